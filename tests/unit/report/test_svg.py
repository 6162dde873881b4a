"""Drawings in one page: what they define has names of its own."""

from __future__ import annotations

import re

import pytest

from ragbench.report.html import write_report
from ragbench.report.svg import own_ids
from ragbench.report.sweep import write_sweep_report
from tests.report_fixture import TEXTS, make_run, make_sweep

DRAWN = re.compile(r"<svg .*?</svg>", re.S)


def test_what_a_drawing_uses_is_what_it_defines():
    drawing = (
        '<svg x="1"><defs><path id="m1"/></defs><use xlink:href="#m1"/><g clip-path="url(#m1)">#m1 id="m1"</g></svg>'
    )
    first, second = DRAWN.findall(own_ids(f"<p id='m1'>{drawing}{drawing}", "zh"))
    assert 'id="zh0-m1"/>' in first and '"#zh0-m1"' in first and "url(#zh0-m1)" in first
    assert first.replace("zh0-", "zh1-") == second


@pytest.mark.parametrize("kind", ["run", "sweep"])
def test_no_two_drawings_of_a_page_share_an_id(tmp_path, kind):
    page = tmp_path / "report.html"
    if kind == "run":
        write_report(make_run(tmp_path), page, "en", TEXTS.get)
    else:
        folder, runs = make_sweep(tmp_path)
        write_sweep_report(folder, runs, page, "en", TEXTS.get)
    drawings = "".join(DRAWN.findall(page.read_text(encoding="utf-8")))
    ids = re.findall(r' id="([^"]+)"', drawings)
    assert ids and len(set(ids)) == len(ids)
    used = set(re.findall(r'"#([^"]+)"|url\(#([^)]+)\)', drawings))
    assert {one or other for one, other in used} <= set(ids)
