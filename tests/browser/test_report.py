"""The reports in a real browser: no error, no request to elsewhere, and everything a reader clicks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.report.html import write_report
from ragbench.report.sweep import write_sweep_report
from ragbench.run_dir.read import RunDir
from tests.browser.watched import CONTRAST, Watched, open_question, watch
from tests.report_fixture import TEXTS, make_run, make_sweep, rewrite_summary
from tests.report_fixture.questions import HOSTILE

pytestmark = pytest.mark.browser

WORDS = {
    "en": {
        "after": "after reranking",
        "before": "before reranking",
        "missing": "Evidence that was not found",
        "outcome": "Not recalled",
        "no_room": "no room left",
        "flagged": "Checked before it left: 1 of 3 claims not supported",
        "contradicted": "contradicted",
    },
    "zh": {
        "after": "重排后",
        "before": "重排前",
        "missing": "未找到的证据",
        "outcome": "未召回",
        "no_room": "预算已用完",
        "flagged": "作答前核对：3 条论断中 1 条缺乏依据",
        "contradicted": "与原文矛盾",
    },
}


@pytest.fixture(scope="session", params=["en", "zh"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    root = tmp_path_factory.mktemp("browser")
    return request.param, write_report(make_run(root), root / "report.html", request.param, TEXTS.get)


@pytest.fixture
def shown(browser: Any, report: tuple[str, Path]) -> Iterator[Watched]:
    yield from watch(browser, *report)


def visible_rows(shown: Watched) -> list[str]:
    return [text.strip() for text in shown.page.locator("#questions-table tbody tr:visible .id").all_inner_texts()]


def test_a_row_opens_the_evidence_highlighted_in_the_retrieved_text(shown: Watched) -> None:
    detail = open_question(shown, "zh-002")
    assert detail.locator(".chunk mark").all_inner_texts() == [
        "按日工资收入的300%折算",
        "报销单须在出差结束后15个自然日内提交",
    ]
    assert detail.locator(".chunk").first.locator(".up").inner_text() == "↑2"
    assert "300%" in detail.locator(".chunk.hit .text").first.inner_text()


def test_what_was_packed_and_what_was_not_is_told_with_the_reason(shown: Watched) -> None:
    packed = open_question(shown, "zh-002").locator(".packed")
    assert "2000" in packed.locator("h4").inner_text()
    assert [text[:3] for text in packed.locator("> .tags > *").all_inner_texts()] == ["[1]", "[2]", "[3]"]
    packed.locator("summary").click()
    assert WORDS[shown.lang]["no_room"] in packed.locator(".dropped").inner_text()


def test_the_sentence_that_decides_on_a_claim_is_highlighted_in_its_block(shown: Watched) -> None:
    claim = open_question(shown, "zh-002").locator(".claim").first
    sentence, quoted = claim.locator("mark").inner_text(), claim.locator("blockquote").inner_text()
    assert quoted.startswith(f"[1] {sentence}") and len(quoted) > len(f"[1] {sentence}")


def test_claims_that_the_check_found_unsupported_are_told_with_what_decides(shown: Watched) -> None:
    flagged = open_question(shown, "zh-002").locator(".flagged")
    assert flagged.locator("h4").inner_text() == WORDS[shown.lang]["flagged"]
    assert "公司另付全部<b>差旅</b>费用 and all travel." in flagged.locator(".claim").inner_text()
    assert flagged.locator(".claim .tag").inner_text() == WORDS[shown.lang]["contradicted"]
    sentence = flagged.locator("mark").inner_text()
    assert flagged.locator("blockquote").inner_text().startswith(f"[1] {sentence}") and sentence
    shown.page.locator("#close").click()
    untold = open_question(shown, "en-001").locator(".flagged")
    assert untold.locator(".claim").count() == 1 and untold.locator(".claim .tag, mark").count() == 0
    shown.page.locator("#close").click()
    assert open_question(shown, "zh-001").locator(".flagged").count() == 0


def test_marks_the_answer_carries_are_not_doubled(shown: Watched) -> None:
    detail = open_question(shown, "en-002")
    assert detail.locator("sup").count() == 2
    shown.page.locator("#close").click()
    detail = open_question(shown, "formula-001")
    assert detail.locator("sup").all_inner_texts() == ["[2]"]
    assert "[1]" in detail.locator(".two .text").first.inner_text()


def test_highlighted_evidence_in_a_long_chunk_is_in_sight(shown: Watched) -> None:
    shown.page.set_viewport_size({"width": 420, "height": 900})
    shown.page.add_style_tag(content=".chunk .text{max-height:1.6em!important}")
    detail = open_question(shown, "en-001")
    shown.page.wait_for_timeout(200)
    script = "node => { const a = node.getBoundingClientRect(), b = node.closest('.text').getBoundingClientRect(); return a.bottom > b.top && a.top < b.bottom; }"
    assert detail.locator(".chunk mark").first.evaluate(script)


def test_the_switch_shows_the_order_before_reranking(shown: Watched) -> None:
    detail = open_question(shown, "zh-001")
    after = detail.locator(".chunk").first.get_attribute("data-chunk")
    detail.get_by_role("button", name=WORDS[shown.lang]["before"]).click()
    assert detail.locator(".chunk").first.get_attribute("data-chunk") != after
    assert detail.locator(".chunk").nth(2).get_attribute("data-chunk") == after
    assert detail.locator(".chunk .up").count() == 0
    detail.get_by_role("button", name=WORDS[shown.lang]["after"]).click()
    assert detail.locator(".chunk").first.get_attribute("data-chunk") == after


def test_missing_evidence_is_listed_with_its_quote(shown: Watched) -> None:
    detail = open_question(shown, "en-002")
    missing = detail.locator(".missing")
    assert WORDS[shown.lang]["missing"] in missing.inner_text()
    assert "365 days on the Enterprise plan" in missing.locator("blockquote").inner_text()
    assert detail.locator(".chunk mark").count() == 0


def test_hostile_text_is_text(shown: Watched) -> None:
    detail = open_question(shown, "hostile-001")
    assert detail.locator("h3").text_content() == HOSTILE
    assert shown.page.locator("img").count() == 0


def test_failed_long_and_unanswered_questions_open(shown: Watched) -> None:
    detail = open_question(shown, "failed-001")
    assert "<refused>" in detail.inner_text()
    shown.page.keyboard.press("Escape")
    assert not detail.is_visible()
    assert len(open_question(shown, "long-001").locator("h3").inner_text()) > 2000
    shown.page.locator("#close").click()
    open_question(shown, "noanswer-001")
    width = shown.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, "nothing sticks out of the page"


def test_filters_narrow_the_table_and_reset(shown: Watched) -> None:
    everything = visible_rows(shown)
    shown.page.locator("#search").fill("api key")
    assert visible_rows(shown) == ["mixed-001"]
    shown.page.locator("#reset").click()
    shown.page.locator("#category").select_option("negative")
    assert visible_rows(shown) == ["zh-003", "en-003"]
    shown.page.locator("#outcome").select_option("false_answer")
    assert visible_rows(shown) == ["en-003"]
    assert re.match(r"1 (of|/) 38", shown.page.locator("#shown").inner_text())
    shown.page.locator("#search").fill("没有这样的问题")
    assert shown.page.locator("#nothing").is_visible()
    shown.page.locator("#reset").click()
    assert visible_rows(shown) == everything


def test_columns_sort_both_ways_with_empty_cells_last(shown: Watched) -> None:
    head = shown.page.locator("#questions-table th", has_text="").nth(5).locator("button")
    head.click()
    ranks = shown.page.locator("#questions-table tbody tr td:nth-child(6)").all_inner_texts()
    filled = [int(text) for text in ranks if text != "–"]
    assert filled == sorted(filled) and ranks[len(filled) :] == ["–"] * (len(ranks) - len(filled))
    ids = shown.page.locator("#questions-table th button").first
    ids.click()
    ids.click()
    assert visible_rows(shown)[0] == "zh-follow"
    assert shown.page.locator("#questions-table th[aria-sort=descending]").count() == 1


def test_a_loss_leads_to_its_questions(shown: Watched) -> None:
    link = shown.page.locator("#losses tr", has_text=WORDS[shown.lang]["outcome"]).locator("[data-filter=outcome]")
    link.click()
    rows = visible_rows(shown)
    assert "en-002" in rows and "zh-001" not in rows
    shown.page.locator("#losses details summary").first.press("Enter")
    shown.page.locator("#losses .ids a").first.click()
    assert shown.page.locator("#detail").is_visible()


def test_an_answer_on_topic_without_support_leads_to_its_question(shown: Watched) -> None:
    corner = shown.page.locator("#answers [data-corner=relevant_unfaithful]")
    assert corner.locator(".tag.bad").is_visible()
    corner.locator(".ids a").first.click()
    assert shown.page.locator("#detail").is_visible()
    assert shown.page.locator("#answers-refusals").count() == 1


def test_the_keyboard_alone_is_enough(shown: Watched) -> None:
    shown.page.locator("#questions-table tbody a").first.focus()
    shown.page.keyboard.press("Enter")
    first = shown.page.locator("#detail .mono").inner_text()
    shown.page.keyboard.press("ArrowRight")
    assert shown.page.locator("#detail .mono").inner_text() != first
    shown.page.keyboard.press("ArrowLeft")
    assert shown.page.locator("#detail .mono").inner_text() == first
    shown.page.keyboard.press("Escape")
    assert not shown.page.locator("#detail").is_visible()


def test_a_link_to_a_question_opens_it(shown: Watched) -> None:
    shown.page.goto(shown.path.as_uri() + "#q=zh-follow")
    shown.page.reload()
    assert "二线城市" in shown.page.locator("#detail h3").inner_text()
    assert "一线城市住宿标准是多少" in shown.page.locator("#detail").inner_text()


def test_the_theme_switch_changes_the_colours_of_page_and_charts(shown: Watched) -> None:
    script = "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('svg text')).fill]"
    light = shown.page.evaluate(script)
    shown.page.locator("#theme").click()
    dark = shown.page.evaluate(script)
    assert light[0] != dark[0] and light[1] != dark[1]


def test_text_has_enough_contrast_in_both_themes(shown: Watched) -> None:
    for _ in range(2):
        weak = shown.page.evaluate(CONTRAST)
        assert weak == []
        shown.page.locator("#theme").click()


def test_chinese_is_drawn_with_real_glyphs(shown: Watched) -> None:
    open_question(shown, "zh-001")
    assert shown.page.evaluate(GLYPHS, "年假折算") == []
    assert shown.page.evaluate(GLYPHS, "\U0010fffd") != [], "the test can see a missing glyph"


def test_without_javascript_everything_but_details_can_be_read(browser: Any, report: tuple[str, Path]) -> None:
    for shown in watch(browser, *report, java_script_enabled=False):
        assert shown.page.locator("#questions-plain tbody tr").count() == 38
        assert shown.page.locator(".nojs").is_visible()
        assert shown.page.locator("figure svg").count() == 5


def test_a_narrow_screen_does_not_scroll_sideways(browser: Any, report: tuple[str, Path]) -> None:
    for shown in watch(browser, *report):
        shown.page.set_viewport_size({"width": 390, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_comparison_leads_to_the_reports_of_its_runs(browser: Any, lang: str, tmp_path: Path) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 500))
    for run in runs:
        write_report(run, run.folder / "report.html", lang, TEXTS.get)
    path = write_sweep_report(folder, runs, folder / "report.html", lang)
    for shown in watch(browser, lang, path):
        assert shown.page.locator("#table thead .variant").count() == 2
        shown.page.get_by_role("link", name="chunk_size=500").click()
        shown.page.wait_for_selector("#questions-table")
        assert "size500-1" in shown.page.title()


GLYPHS = """(text) => {
  const font = getComputedStyle(document.body).fontFamily;
  const draw = (char) => {
    const canvas = new OffscreenCanvas(48, 48), pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.font = "32px " + font;
    pen.textBaseline = "top";
    pen.fillText(char, 4, 4);
    return pen.getImageData(0, 0, 48, 48).data.filter((_, at) => at % 4 === 3).join();
  };
  const missing = new Set(["\\u{10fffe}", "\\u{e123}", "\\u{f8fe}", "\\u{10fffd}"].map(draw));
  const blank = draw(" ");
  return [...text].filter((char) => missing.has(draw(char)) || draw(char) === blank);
}"""


@pytest.mark.parametrize("width", [1280, 1000, 420])
def test_what_does_not_fit_scrolls_in_its_box_and_says_so(browser: Any, tmp_path: Path, width: int) -> None:
    folder, runs = make_sweep(tmp_path, sizes=(200, 300, 400, 500, 600, 700, 800))
    path = write_sweep_report(folder, runs, folder / "report.html", "en")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    for box in page.locator(".scroll").all():
        wide = box.evaluate("e => e.scrollWidth > e.clientWidth + 1")
        hint = box.locator("xpath=preceding-sibling::*[1][contains(@class, 'more-hint')]")
        hint.wait_for(state="visible" if wide else "hidden", timeout=2000)
        if wide and box.locator("table.pinned").count():
            first = box.locator("tbody th").first
            before = first.bounding_box()
            box.evaluate("e => { e.scrollLeft = e.scrollWidth }")
            page.wait_for_timeout(50)
            assert first.bounding_box()["x"] == before["x"], "the first column stays in sight"
            assert "more" not in (box.get_attribute("class") or "").split()
    assert width > 420 or page.locator(".more-hint:visible").count() > 0
    page.close()


def test_the_run_of_another_system_says_what_is_not_known_and_has_no_empty_section(
    browser: Any, tmp_path: Path
) -> None:
    run = make_run(tmp_path)
    unknown = ("chunks/", "query/", "retrieval/")
    known = {key: row for key, row in run.summary["metrics"].items() if not key.startswith(unknown)}
    rewrite_summary(run, metrics=known)
    path = run.folder / "manifest.json"
    write_json(path, read_json(path) | {"foreign": {"depth": 3}})
    page = write_report(RunDir(run.folder), tmp_path / "report.html", "zh", TEXTS.get)
    for shown in watch(browser, "zh", page):
        for _ in range(2):
            assert shown.page.locator("#foreign").is_visible()
            assert shown.page.locator("#layers h3").count() == len({key.partition("/")[0] for key in known})
            assert shown.page.locator("#layers h3 + .lead + .sub").count() == 0
            shown.page.locator("#speak").click()
