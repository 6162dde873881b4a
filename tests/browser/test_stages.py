"""The section on fusion and reranking in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from tests.browser.watched import CONTRAST, Watched, watch
from tests.report_fixture import TEXTS, make_run, rewrite_summary
from tests.report_fixture.corpus import chunk_documents
from tests.report_fixture.effects import effects_of

pytestmark = pytest.mark.browser
REGRESSION = {"en": "regression", "zh": "退步"}


@pytest.fixture(scope="module", params=["en", "zh"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    root = tmp_path_factory.mktemp("stages")
    run = make_run(root, n_filler=60)
    stages = effects_of(list(run.questions.values()), list(run.traces()), chunk_documents(), turned=True)
    path = write_report(rewrite_summary(run, stages=stages), root / "report.html", request.param, TEXTS.get)
    return request.param, path


@pytest.fixture
def shown(browser: Any, report: tuple[str, Path]) -> Iterator[Watched]:
    yield from watch(browser, *report)


def test_a_regression_stands_out_by_word_and_colour(shown: Watched) -> None:
    tags = shown.page.locator("#stages .alert .tag.bad")
    assert tags.count() > 3 and tags.first.inner_text() == REGRESSION[shown.lang]
    bad = tags.first.evaluate("e => getComputedStyle(e).color")
    assert bad != shown.page.locator("#stages td.n").first.evaluate("e => getComputedStyle(e).color")


def test_a_lost_question_opens_its_detail(shown: Watched) -> None:
    shown.page.locator("#stage-rerank ~ details.turned summary").first.click()
    link = shown.page.locator("#stage-rerank ~ details.turned[open] .ids a").first
    question_id = link.inner_text()
    link.click()
    assert question_id in shown.page.locator("#detail .mono").inner_text()


def test_a_category_leads_to_its_questions(shown: Watched) -> None:
    shown.page.locator("#stages [data-filter=category]").first.click()
    rows = shown.page.locator("#questions-table tbody tr:visible")
    assert 0 < rows.count() < len(shown.page.locator("#data-list").text_content().strip().splitlines())


def test_the_pieces_fill_their_bars(shown: Watched) -> None:
    script = "e => [...e.children].reduce((sum, i) => sum + i.getBoundingClientRect().width, 0) / e.clientWidth"
    bars = shown.page.locator("#stages .pieces")
    assert bars.count() == 6
    assert abs(bars.last.evaluate(script) - 1) < 0.02
    assert all(0 < bar.evaluate(script) <= 1.001 for bar in bars.all())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_and_a_narrow_screen_does_not_scroll_sideways(
    browser: Any, report: tuple[str, Path], scheme: str
) -> None:
    for shown in watch(browser, *report, color_scheme=scheme):
        assert shown.page.evaluate(CONTRAST) == []
        shown.page.set_viewport_size({"width": 390, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_javascript_all_figures_and_lists_can_be_read(browser: Any, report: tuple[str, Path]) -> None:
    for shown in watch(browser, *report, java_script_enabled=False):
        shown.page.locator("#stage-rerank ~ details.turned summary").first.click()
        assert shown.page.locator("#stage-rerank ~ details.turned[open] .ids a").first.is_visible()
        assert shown.page.locator("#stages table tbody tr").first.is_visible()
