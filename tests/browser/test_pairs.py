"""The section on what a change did, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.report.sweep import write_sweep_report
from tests.browser.watched import CONTRAST, Watched, watch
from tests.unit.compare import F1, NDCG, TOKENS, write_run

pytestmark = pytest.mark.browser
N = 48
WORSE = {"en": "worse", "zh": "更差"}


def values(shift: float, seed: int) -> list[float]:
    return np.clip(0.5 + shift + 0.1 * np.random.default_rng(seed).standard_normal(N), 0, 1).tolist()


@pytest.fixture(scope="module", params=["en", "zh"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    root = tmp_path_factory.mktemp("pairs")
    outcomes = [{f"q{at:03}": "ok" if at % 2 == part else "not_recalled" for at in range(N)} for part in (0, 1)]
    runs = [
        write_run(root, name, {NDCG: values(up, 1), F1: values(down, 2), TOKENS: [tokens] * N}, summary={"diagnosis_by_question": told}, **more)
        for name, up, down, tokens, told, more in (
            ("a-1", 0.0, 0.1, 500.0, outcomes[0], {}),
            ("b-1", 0.1, 0.0, 900.0, outcomes[1], {"variant": {"alpha": 0.3}, "roots": {"alpha": 0.3}}),
        )
    ]  # fmt: skip
    (runs[0].folder / "report.html").write_text("<title>t</title><h1>trace</h1>", encoding="utf-8")
    return request.param, write_sweep_report(root / "x", runs, root / "report.html", request.param)


@pytest.fixture
def shown(browser: Any, report: tuple[str, Path]) -> Iterator[Watched]:
    yield from watch(browser, *report)


def test_the_change_stands_before_the_verdict_and_that_before_the_figures(shown: Watched) -> None:
    tops = [
        shown.page.locator(f"#pairs {part}").first.bounding_box()["y"]
        for part in ("table.changes", ".said", "table.pinned")
    ]
    assert tops == sorted(tops)
    assert shown.page.locator("#pairs .tag.bad").first.inner_text() == WORSE[shown.lang]


def test_the_bar_of_a_gain_lies_right_of_the_middle_and_of_a_loss_left(shown: Watched) -> None:
    def at(row: int) -> float:
        bar = shown.page.locator("#pairs .scale.zero").nth(row)
        whole, mark = bar.bounding_box(), bar.locator("u").bounding_box()
        return float((mark["x"] - whole["x"]) / whole["width"])

    assert at(0) > 0.5 > at(1)


def test_questions_won_and_lost_are_filtered_searched_and_lead_to_their_traces(shown: Watched) -> None:
    page, rows = shown.page, shown.page.locator("#questions-table tbody tr")
    assert rows.count() == N
    page.locator("#pairs p.turned a[data-turned=lost]").click()
    assert rows.count() == N // 2 and page.locator("#turned").input_value() == "lost"
    assert rows.locator(".tag.bad").count() == N // 2
    page.locator("#search").fill("q000")
    assert rows.locator(".id").all_inner_texts() == ["q000"]
    page.locator("#reset").click()
    page.locator("#turned").select_option("won")
    page.locator("#search").fill("q000")
    assert page.locator("#nothing").is_visible()
    page.locator("#speak").click()
    assert page.locator("#search").input_value() == "q000" and page.locator("#turned").input_value() == "won"
    page.locator("#reset").click()
    assert rows.locator("a").all_inner_texts() == ["A"] * N, "B has no report, so nothing leads there"
    assert "b-1" in page.locator("#questions .lead").first.inner_text()
    rows.locator("a").first.click()
    assert page.url.endswith("/a-1/report.html#q=q000") and page.locator("h1").inner_text() == "trace"


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_paper_is_light_whatever_the_screen_is(browser: Any, report: tuple[str, Path], kind: str) -> None:
    for shown in watch(browser, *report, color_scheme="dark"):
        if kind == "light":
            shown.page.click("#theme")
        shown.page.click("#theme")
        shown.page.emulate_media(media="print", color_scheme="dark")
        style = "getComputedStyle(document.body)"
        assert shown.page.evaluate(f"[{style}.color, {style}.getPropertyValue('--card').trim()]") == [
            "rgb(29, 39, 51)", "#fff",
        ]  # fmt: skip
        assert shown.page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_and_a_narrow_screen_does_not_scroll_sideways(
    browser: Any, report: tuple[str, Path], scheme: str
) -> None:
    for shown in watch(browser, *report, color_scheme=scheme):
        assert shown.page.evaluate(CONTRAST) == []
        shown.page.set_viewport_size({"width": 390, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_speaks_the_other_language_at_a_click(shown: Watched) -> None:
    page, lang = shown.page, shown.lang
    other = {"en": "zh", "zh": "en"}[lang]
    title = page.title()
    page.click("#speak")
    assert page.evaluate("document.documentElement.lang").startswith(other)
    assert page.title() != title and page.locator("#pairs .tag.bad").first.inner_text() == WORSE[other]
    page.click("#speak")
    assert page.title() == title and page.locator("#pairs .tag.bad").first.inner_text() == WORSE[lang]
