"""The section on query understanding in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from tests.browser.watched import CONTRAST, Watched, watch
from tests.report_fixture import TEXTS
from tests.report_fixture.understood import HOSTILE_FORM, write

pytestmark = pytest.mark.browser
WORDS = {"en": ("As typed", "As searched", "error"), "zh": ("按原问题", "实际检索", "误判")}


@pytest.fixture(scope="module", params=["en", "zh"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    root = tmp_path_factory.mktemp("query")
    return request.param, write_report(write(root), root / "report.html", request.param, TEXTS.get)


@pytest.fixture
def shown(browser: Any, report: tuple[str, Path]) -> Iterator[Watched]:
    yield from watch(browser, *report)


def test_errors_and_right_classes_differ_by_word_and_colour(shown: Watched) -> None:
    error, right = (shown.page.locator(f"#query-classes ~ .scroll .tag.{kind}").first for kind in ("bad", "good"))
    assert error.inner_text() == WORDS[shown.lang][2] != right.inner_text()
    colours = {one.evaluate("e => getComputedStyle(e).color") for one in (error, right)}
    assert len(colours) == 2
    assert (
        shown.page.locator(".confusion td.right").count() > 2 and shown.page.locator(".confusion td.error").count() > 2
    )


def test_an_example_opens_by_keyboard_and_shows_both_sides(shown: Watched) -> None:
    example = shown.page.locator("details.example").first
    example.locator("summary").first.focus()
    shown.page.keyboard.press("Enter")
    assert example.evaluate("e => e.open")
    heads = [one.inner_text() for one in example.locator("h4").all()]
    assert heads == list(WORDS[shown.lang][:2])
    columns = example.locator(".two > div")
    assert columns.count() == 2 and all(one.locator("> ol.hits li").first.is_visible() for one in columns.all())
    assert example.locator(".two > div > ol mark").first.is_visible()
    assert len({round(one.bounding_box()["x"]) for one in columns.all()}) == 2


def test_what_one_form_alone_retrieves_is_behind_its_own_fold(shown: Watched) -> None:
    example = shown.page.locator("details.example.harmful").first
    example.locator("summary").first.click()
    alone = example.locator("blockquote details").first
    assert not alone.locator("ol").is_visible()
    alone.locator("summary").click()
    assert alone.locator("ol").is_visible()


def test_an_example_leads_to_the_whole_question(shown: Watched) -> None:
    example = shown.page.locator("details.example.helpful").first
    example.locator("summary").first.click()
    name = example.locator("summary b").first.inner_text()
    example.locator("a[data-open]").click()
    assert name in shown.page.locator("#detail .mono").first.inner_text()


def test_hostile_forms_are_text_and_nothing_runs(shown: Watched) -> None:
    example = shown.page.locator("details.example").first
    example.locator("summary").first.click()
    assert HOSTILE_FORM in " ".join(example.locator("blockquote").nth(2).text_content().split())
    assert shown.page.locator("#query img, #query script").count() == 0


def test_the_oracle_stands_at_the_top(shown: Watched) -> None:
    assert shown.page.locator("#overview .alert[role=note]").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_and_a_narrow_screen_does_not_scroll_sideways(
    browser: Any, report: tuple[str, Path], scheme: str
) -> None:
    for shown in watch(browser, *report, color_scheme=scheme):
        shown.page.locator("#query details").evaluate_all("all => all.forEach(e => { e.open = true; })")
        assert shown.page.evaluate(CONTRAST) == []
        shown.page.set_viewport_size({"width": 390, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_javascript_figures_and_examples_can_be_read(browser: Any, report: tuple[str, Path]) -> None:
    for shown in watch(browser, *report, java_script_enabled=False):
        shown.page.locator("details.example summary").first.click()
        assert shown.page.locator("details.example[open] ol.hits li").first.is_visible()
        assert shown.page.locator(".confusion tbody tr").first.is_visible()
