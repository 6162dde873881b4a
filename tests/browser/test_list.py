"""From a figure to its category, to its questions, to one question's whole trace, in either language of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from tests.browser.watched import CONTRAST, Watched, watch
from tests.report_fixture import TEXTS, make_run

pytestmark = pytest.mark.browser
ROWS = "#questions-table tbody tr"
OTHER = {"en": "zh", "zh": "en"}
WORDS = {
    "en": {
        "lookup": "Lookup",
        "title": "RAG evaluation report",
        "found": "Dense search: 8 hits",
        "read": "as the generator read it",
    },
    "zh": {"lookup": "标准查询", "title": "RAG 评测报告", "found": "向量检索：8 条", "read": "生成器读到的上下文"},
}

UNNAMED = """() => [...document.querySelectorAll("button, select, input, a[href], summary, dialog, [role=region]")]
  .filter((one) => !one.closest("template") && !(one.getAttribute("aria-label") || one.textContent.trim() || one.getAttribute("aria-labelledby")))
  .map((one) => one.outerHTML.slice(0, 120))"""
SKIPPED = """() => [...document.querySelectorAll("main h1, main h2, main h3, main h4, main h5")]
  .map((one) => [Number(one.tagName[1]), one.textContent]).filter(([level], at, all) => at > 0 && level > all[at - 1][0] + 1)"""
UNSCOPED = """() => [...document.querySelectorAll("main th")].filter((one) => !one.scope || !one.textContent.trim())
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More questions than one page of the list holds."""
    root = tmp_path_factory.mktemp("list")
    return write_report(make_run(root, n_filler=230), root / "report.html", "en", TEXTS.get)


@pytest.fixture(scope="module", params=["en", "zh"])
def page_of(request: pytest.FixtureRequest, browser: Any, report: Path) -> Iterator[Watched]:
    """One page for all tests of a language; it is made in English, so that Chinese is the reader's choice."""
    for shown in watch(browser, request.param, report):
        if request.param == "zh":
            shown.page.locator("#speak").click()
        yield shown


@pytest.fixture
def shown(page_of: Watched) -> Watched:
    page_of.open()
    return page_of


def ids(shown: Watched) -> list[str]:
    return list(shown.page.locator(f"{ROWS} .id").all_inner_texts())


def test_the_language_chosen_is_remembered_and_everything_is_in_it(shown: Watched) -> None:
    page, words = shown.page, WORDS[shown.lang]
    assert page.evaluate("document.documentElement.lang").startswith(shown.lang)
    assert words["title"] in page.title() and words["title"] in page.locator("h1").inner_text()
    assert page.locator("#category option", has_text=words["lookup"]).count() == 1
    page.evaluate("location.hash = '#q=zh-002'")
    assert words["found"] in page.locator("#detail .switch").inner_text()
    other = WORDS[OTHER[shown.lang]]
    assert other["read"] not in page.locator("#detail").inner_text()


def test_switching_keeps_filters_order_and_place(shown: Watched) -> None:
    page = shown.page
    page.locator("#category").select_option("lookup")
    page.locator("#search").fill("filler")
    page.locator(f"{ROWS}:nth-child(78)").wait_for(state="detached")
    page.locator("#questions-table th button").first.click()
    page.locator("#questions-table th button").first.click()
    before = ids(shown)
    page.locator("#questions").scroll_into_view_if_needed()
    page.locator("#speak").click()
    assert page.evaluate("document.documentElement.lang").startswith(OTHER[shown.lang])
    assert ids(shown) == before and before == sorted(before, reverse=True)
    assert page.locator("#search").input_value() == "filler" and page.locator("#category").input_value() == "lookup"
    top = page.locator("#questions").bounding_box()["y"]
    assert -100 < top < 900, "the section that was read is still in sight"
    page.locator("#speak").click()
    page.locator(f"{ROWS} a").first.click()
    assert page.locator("#detail").is_visible(), "links work after two switches"
    assert page.locator("#detail .mono").first.inner_text() == before[0]


def test_a_figure_leads_to_its_questions_the_worst_first(shown: Watched) -> None:
    page = shown.page
    cell = page.locator("#groups td a[data-filter=category][data-value=lookup][data-sort='ranking/mrr']")
    cell.click()
    assert page.locator("#category").input_value() == "lookup"
    head = page.locator("#questions-table th[data-measure='ranking/mrr']")
    assert head.get_attribute("aria-sort") == "ascending"
    shown_values = [float(text) for text in page.locator(f"{ROWS} td:last-child").all_inner_texts() if text != "–"]
    assert shown_values == sorted(shown_values) and len(set(shown_values)) > 1
    assert page.evaluate("document.activeElement.className").startswith("questions")
    page.locator("#overview .card a").first.click()
    assert page.locator("#category").input_value() == ""
    page.locator("#reset").click()
    assert page.locator("th[data-chosen]").count() == 0


def test_a_category_leads_to_the_questions_it_lost_most(shown: Watched) -> None:
    link = shown.page.locator("#groups a[data-outcome]").first
    link.click()
    rows = shown.page.locator(ROWS)
    category, outcome = link.get_attribute("data-value"), link.get_attribute("data-outcome")
    assert rows.count() > 0
    assert {(row.get_attribute("data-c"), row.get_attribute("data-o")) for row in rows.all()} == {(category, outcome)}


def test_long_lists_are_shown_page_by_page_and_searched_whole(shown: Watched) -> None:
    page = shown.page
    assert page.locator(ROWS).count() == 200 and "244" in page.locator("#shown").inner_text()
    assert page.locator("#page-previous").is_disabled()
    page.locator("#page-next").click()
    assert page.locator(ROWS).count() == 44 and page.locator("#page-next").is_disabled()
    last = ids(shown)[-1]
    page.locator(f"{ROWS} a").last.click()
    assert page.locator("#next").is_disabled() and not page.locator("#previous").is_disabled()
    page.locator("#close").click()
    page.locator("#search").fill(last)
    page.locator(f"{ROWS}:nth-child(2)").wait_for(state="detached")
    assert ids(shown) == [last] and not page.locator("#page-next").is_visible()


def test_every_list_of_the_retrieval_can_be_chosen_and_the_context_read(shown: Watched) -> None:
    shown.page.evaluate("location.hash = '#q=zh-002'")
    detail = shown.page.locator("#detail")
    buttons = detail.locator(".switch button")
    assert buttons.count() == 4
    first = {}
    for at in range(4):
        buttons.nth(at).click()
        assert buttons.nth(at).get_attribute("aria-pressed") == "true"
        first[at] = [one.get_attribute("data-chunk") for one in detail.locator(".list .chunk").all()]
    assert len(first[2]) == 8 and len(first[3]) == 6 and len({tuple(one) for one in first.values()}) == 4
    context = detail.locator("details.context")
    assert context.locator(".chunk").count() == 0, "drawn on demand"
    context.locator("summary").click()
    assert context.locator(".chunk header b").all_inner_texts() == ["[1]", "[2]", "[3]"]
    assert context.locator("mark").first.inner_text() == "按日工资收入的300%折算"


def test_names_headings_scopes_and_contrast(shown: Watched) -> None:
    for _ in range(2):
        assert shown.page.evaluate(UNNAMED) == []
        assert shown.page.evaluate(SKIPPED) == []
        assert shown.page.evaluate(UNSCOPED) == []
        shown.page.evaluate("location.hash = '#q=zh-002'")
    assert shown.page.locator("#shown").get_attribute("aria-live") == "polite"
    shown.page.evaluate("document.querySelectorAll('#detail details').forEach((one) => { one.open = true; })")
    weak = CONTRAST.replace("main *", "dialog *")
    assert shown.page.evaluate(weak) == []
    shown.page.locator("#close").click()
    shown.page.locator("#theme").click()
    shown.page.evaluate("location.hash = '#q=zh-001'")
    assert shown.page.evaluate(weak) == []


def test_what_has_the_focus_can_be_seen(shown: Watched) -> None:
    page = shown.page
    for selector in ("#speak", "#theme", "#search", "#category", "#questions-table th button", f"{ROWS} a"):
        page.locator(selector).first.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        style = "getComputedStyle(document.activeElement)"
        assert page.evaluate(f"{style}.outlineStyle") != "none", selector


def test_paper_has_the_list_and_no_controls(shown: Watched) -> None:
    shown.page.emulate_media(media="print")
    assert shown.page.locator(ROWS).last.is_visible()
    assert not shown.page.locator("nav").is_visible() and not shown.page.locator("#search").is_visible()
    assert shown.page.locator(".questions.scripted").evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    shown.page.emulate_media(media="screen")
