"""Losses by category and class, their proof and the commands to copy, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from tests.browser.watched import CONTRAST, Watched, open_question, watch
from tests.report_fixture import TEXTS, make_run
from tests.report_fixture.proofs import prove
from tests.report_fixture.questions import HOSTILE

pytestmark = pytest.mark.browser
WORDS = {
    "en": {"proved": "perfect retrieval", "answered": "Answered with perfect retrieval", "copied": "Copied"},
    "zh": {"proved": "检索完美", "answered": "若检索完美", "copied": "已复制"},
}


@pytest.fixture(scope="module", params=["en", "zh"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    root = tmp_path_factory.mktemp("losses")
    run = make_run(root, n_filler=30)
    prove(run)
    return request.param, write_report(run, root / "report.html", request.param, TEXTS.get)


@pytest.fixture
def shown(browser: Any, report: tuple[str, Path]) -> Iterator[Watched]:
    yield from watch(browser, *report)


def test_a_count_leads_to_exactly_its_questions(shown: Watched) -> None:
    links = shown.page.locator("#loss-grid tbody a")
    assert links.count() > 5
    for at in (0, links.count() // 2, links.count() - 1):
        link = links.nth(at)
        n, category, outcome = (
            int(link.inner_text()),
            *(link.get_attribute(f"data-{one}") for one in ("value", "outcome")),
        )
        link.focus()
        shown.page.keyboard.press("Enter")
        rows = shown.page.locator("#questions-table tbody tr:visible")
        assert rows.count() == n
        held = rows.evaluate_all("all => all.map((one) => [one.dataset.c, one.dataset.o])")
        assert all(kind == outcome and own == category if outcome else kind == category for own, kind in held)


def test_a_lost_question_says_what_its_proof_says(shown: Watched) -> None:
    told = open_question(shown, "en-002").locator(".proof-told")
    assert WORDS[shown.lang]["proved"] in told.inner_text() and WORDS[shown.lang]["answered"] in told.inner_text()
    assert told.locator("blockquote").text_content() == f"答案 {HOSTILE}"
    shown.page.keyboard.press("Escape")
    assert open_question(shown, "zh-001").locator(".proof-told").count() == 0


def test_a_command_is_copied_or_selected(browser: Any, report: tuple[str, Path]) -> None:
    for permissions in (["clipboard-read", "clipboard-write"], []):
        for shown in watch(browser, *report, permissions=permissions):
            row = shown.page.locator("#tries .copied").first
            row.locator("button").focus()
            shown.page.keyboard.press("Enter")
            command = row.locator("code").inner_text()
            assert command.startswith("ragbench run ") and shown.page.evaluate("String(getSelection())") == command
            if permissions:
                row.get_by_text(WORDS[shown.lang]["copied"], exact=True).wait_for()
                assert shown.page.evaluate("navigator.clipboard.readText()") == command


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_and_a_narrow_screen_does_not_scroll_sideways(
    browser: Any, report: tuple[str, Path], scheme: str
) -> None:
    for shown in watch(browser, *report, color_scheme=scheme):
        assert shown.page.evaluate(CONTRAST) == []
        shown.page.set_viewport_size({"width": 390, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_javascript_the_tables_can_be_read(browser: Any, report: tuple[str, Path]) -> None:
    for shown in watch(browser, *report, java_script_enabled=False):
        assert shown.page.locator("#tries code").first.is_visible()
        assert not shown.page.locator("#tries button").first.is_visible()


def test_without_a_proof_the_page_says_which_command_makes_it(browser: Any, tmp_path: Path) -> None:
    run = make_run(tmp_path, "a b-1", n_filler=4)
    path = write_report(run, tmp_path / "report.html", "zh", TEXTS.get)
    for shown in watch(browser, "zh", path):
        commands = shown.page.locator("#unproved code").all_inner_texts()
        assert commands == ["ragbench diagnose 'a b-1' --prove", "ragbench report 'a b-1'"]
