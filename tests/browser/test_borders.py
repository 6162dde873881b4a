"""Chunk borders in a real browser: choosing questions and variants, and every border where the chunk rows have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragbench.report.html import write_report
from ragbench.report.sweep import write_sweep_report
from ragbench.run_dir.read import RunDir
from tests.browser.watched import CONTRAST, Watched, open_question, watch
from tests.report_fixture import TEXTS, make_cuts
from tests.report_fixture.questions import HOSTILE

pytestmark = pytest.mark.browser
RUNS = ("lines", "small", "family")
Made = tuple[str, Path, Sequence[RunDir]]


@pytest.fixture(scope="module", params=["en", "zh"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("borders")
    runs = make_cuts(root)
    path = write_sweep_report(root / "cuts", runs, root / "report.html", request.param, TEXTS.get)
    write_report(runs[2], root / "run.html", request.param, TEXTS.get)
    return request.param, path, runs


@pytest.fixture
def shown(browser: Any, made: Made) -> Iterator[Watched]:
    yield from watch(browser, made[0], made[1])


def choose(shown: Watched, question_id: str, a: int, b: int) -> Any:
    option = shown.page.locator("#border-question option").filter(has_text=f"{question_id} ·").get_attribute("value")
    shown.page.select_option("#border-question", option)
    shown.page.select_option("#border-a", str(a))
    shown.page.select_option("#border-b", str(b))
    return shown.page.locator("#border-drawing")


def borders(column: Any) -> tuple[dict[int, int], dict[int, int]]:
    """Offsets of begins and ends by chunk number as the page has them."""
    found = []
    for side in ("begin", "end"):
        script = f"nodes => nodes.map(n => [Number(n.dataset.{side}), Number(n.dataset.at)])"
        found.append(dict(column.locator(f"[data-{side}]").evaluate_all(script)))
    return found[0], found[1]


@pytest.mark.parametrize("question_id", ["zh-001", "zh-002", "en-001", "mixed-001", "en-002"])
def test_borders_and_texts_are_those_of_the_run(shown: Watched, made: Made, question_id: str) -> None:
    question = made[2][0].questions[question_id]
    for a, b in ((0, 1), (2, 0)):
        drawing = choose(shown, question_id, a, b)
        for side, run in ((0, made[2][a]), (1, made[2][b])):
            chunks = run.chunk_rows()
            for at, window in enumerate(drawing.locator(".bwin").all()):
                column = window.locator(".bcol").nth(side)
                begins, ends = borders(column)
                assert begins.keys() == ends.keys()
                assert {n: chunks[n]["start"] for n in begins} == begins and {n: chunks[n]["end"] for n in ends} == ends
                doc_id = window.locator("h4").inner_text().split(" · ")[0]
                for segment in column.locator(".seg").all():
                    start, end = (int(segment.get_attribute(f"data-{edge}") or -1) for edge in "se")
                    assert segment.locator(".text").text_content() == TEXTS[doc_id][start:end]
                    over = [n for n in begins if chunks[n]["start"] <= start and end <= chunks[n]["end"]]
                    kinds = (segment.get_attribute("class") or "").split()
                    assert ("over" in kinds, "bare" in kinds) == (len(over) > 1, not over), (start, end)
                quotes = [g.items[0].quote for g in question.groups if g.items[0].doc_id == doc_id]
                assert "".join(column.locator("mark").all_text_contents()) == "".join(quotes), at


def test_fates_and_ranks_stand_under_the_columns(shown: Watched) -> None:
    drawing = choose(shown, "en-002", 0, 1)
    fates = [one.get_attribute("data-fate") for one in drawing.locator(".bfate p").all()]
    assert fates == ["intact", "unreachable"]
    assert drawing.locator(".bcol").nth(1).locator(".seg.bare mark").inner_text() == "365 days on the Enterprise plan"
    drawing = choose(shown, "zh-001", 0, 1)
    assert [one.get_attribute("data-fate") for one in drawing.locator(".bfate p").all()] == ["intact", "intact"]
    rank = drawing.locator(".bfate p").first.get_attribute("data-rank")
    assert rank == "1" and drawing.locator(".bcol").first.locator(".begin .tag").first.is_visible()


def test_parents_are_drawn_for_the_variant_that_has_them(shown: Watched) -> None:
    drawing = choose(shown, "zh-002", 1, 2)
    assert drawing.locator(".bcol[data-set='1'] [data-parent]").count() == 0
    assert drawing.locator(".bcol[data-set='2'] [data-parent]").count() > 0
    assert drawing.locator(".bcol[data-set='2'] .seg.inparent").count() > 0


def test_buttons_step_through_the_questions(shown: Watched) -> None:
    page = shown.page
    first = page.locator("#border-asked").inner_text()
    assert page.locator("#border-previous").is_disabled()
    page.locator("#border-next").click()
    assert page.locator("#border-asked").inner_text() != first
    page.locator("#border-previous").click()
    assert page.locator("#border-asked").inner_text() == first
    page.select_option("#border-question", page.locator("#border-question option").last.get_attribute("value"))
    assert page.locator("#border-next").is_disabled()


def test_one_variant_twice_and_whole_documents_say_so(shown: Watched) -> None:
    choose(shown, "zh-001", 1, 1)
    assert shown.page.locator("#border-note").is_visible()
    drawing = choose(shown, "whole-001", 0, 1)
    assert drawing.locator(".bcol").count() == 0 and drawing.locator(".sub").is_visible()
    choose(shown, "zh-001", 0, 1)
    assert not shown.page.locator("#border-note").is_visible()


def test_hostile_text_is_text_and_nothing_runs(shown: Watched) -> None:
    choose(shown, "hostile-001", 1, 2)
    assert shown.page.locator("#border-asked").text_content() == HOSTILE
    assert shown.page.locator("#border-drawing .trail").first.text_content().endswith("<b>二级</b>")  # type: ignore[union-attr]
    assert shown.page.locator("img").count() == 0


def test_what_the_script_draws_is_what_stands_there_without_it(browser: Any, made: Made) -> None:
    script = "node => node.innerText.split('\\n').map(line => line.trim()).filter(Boolean)"
    lines = []
    for scripted in (True, False):
        for page in watch(browser, made[0], made[1], java_script_enabled=scripted):
            drawing = page.page.locator("#border-drawing .bcols")
            lines.append([one.evaluate(script) for one in drawing.all()])
    assert lines[0] == lines[1] and lines[0]


@pytest.mark.parametrize(("width", "columns"), [(1280, 2), (420, 1)])
def test_columns_stand_side_by_side_or_below_each_other(shown: Watched, width: int, columns: int) -> None:
    shown.page.set_viewport_size({"width": width, "height": 900})
    drawing = choose(shown, "zh-001", 0, 2)
    boxes = [one.bounding_box() for one in drawing.locator(".bcol").all()]
    assert len({round(box["x"]) for box in boxes}) == columns
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width


def test_borders_can_be_read_in_both_themes(shown: Watched) -> None:
    choose(shown, "zh-002", 1, 2)
    for _ in range(2):
        assert shown.page.evaluate(CONTRAST) == []
        shown.page.locator("#theme").click()


def test_the_detail_of_a_run_draws_its_own_borders_when_opened(browser: Any, made: Made) -> None:
    chunks = made[2][2].chunk_rows()
    for shown in watch(browser, made[0], made[1].with_name("run.html")):
        detail = open_question(shown, "zh-002")
        box = detail.locator(".indoc")
        assert box.locator(".bcol").count() == 0, "drawn on demand"
        box.locator("summary").click()
        box.locator(".bcol").first.wait_for()
        for column in box.locator(".bcol").all():
            begins, ends = borders(column)
            assert begins == {n: chunks[n]["start"] for n in begins} and ends == {n: chunks[n]["end"] for n in begins}
        assert box.locator("mark").all_text_contents()
        shown.page.locator("#close").click()
        assert open_question(shown, "whole-001").locator(".indoc").count() == 0
