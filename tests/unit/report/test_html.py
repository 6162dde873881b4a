"""The report of a run as a file: whole, safe, in two languages, and the same for the same run."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ragbench.errors import ConfigError
from ragbench.report import run_charts, svg
from ragbench.report.html import json_lines, write_report
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, rewrite_summary
from tests.report_fixture.questions import HOSTILE


class Page(HTMLParser):
    """Tags with attributes, and the raw text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.words: list[str] = []
        self._script: dict[str, str | None] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = dict(attrs) if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))
        else:
            self.words.append(data)

    def data(self, name: str) -> list[Any]:
        text = next(text for attributes, text in self.scripts if attributes.get("id") == name)
        return [json.loads(line) for line in text.split("\n") if line]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@dataclass(frozen=True)
class Made:
    run: RunDir
    path: Path
    html: str
    page: Page


def make(root: Path, lang: str, **changes: Any) -> Made:
    run = make_run(root)
    if changes:
        run = rewrite_summary(run, **changes)
    path = write_report(run, root / f"{lang}.html", lang, TEXTS.get)
    text = path.read_text(encoding="utf-8")
    return Made(run, path, text, Page(text))


@pytest.fixture(scope="module", params=["en", "zh"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("html"), request.param)


def test_nothing_of_the_data_becomes_markup(made: Made) -> None:
    hosts = [attributes for tag, attributes in made.page.tags if tag in ("script", "img", "iframe", "object", "embed")]
    assert len(hosts) == 7 and not any("src" in attributes for attributes in hosts)
    assert not [attributes for _, attributes in made.page.tags if any(name.startswith("on") for name in attributes)]
    assert HOSTILE in {row["q"] for row in made.page.data("data-questions")}
    assert "<b>.pdf" in made.page.text


def test_the_page_asks_for_nothing_from_elsewhere(made: Made) -> None:
    links = [
        str(value)
        for _, attributes in made.page.tags
        for name, value in attributes.items()
        if name in ("href", "src", "xlink:href")
    ]
    assert {link[:1] for link in links} <= {"#", "d"}, links
    assert [link for link in links if link.startswith("d")] == ["data:,"]
    assert not re.search(r"url\((?!#)|@import", made.html)
    policy = next(
        a["content"] for tag, a in made.page.tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None and policy.startswith("default-src 'none'") and "script-src 'sha256-" in policy


def test_every_question_has_a_row_that_can_be_read_without_javascript(made: Made) -> None:
    rows = [one for tag, one in made.page.tags if tag == "tr" and re.fullmatch(r"r\d+", one.get("id") or "")]
    assert [row["id"] for row in rows] == [f"r{n}" for n in range(len(made.run.questions))]
    assert "工作满一年有多少天年假" in made.page.text


def test_the_words_shown_are_of_one_language_and_the_others_are_at_hand(made: Made) -> None:
    shown, _, other = made.html.partition("<template id=")
    for zh, html in ((made.path.stem == "zh", shown), (made.path.stem != "zh", other.partition("</template>")[0])):
        text = Page(html).text
        assert ("失分最多的环节" in text) == zh
        assert ("Most losses" in text) != zh
        assert ("多跳推理" in text) == zh and ("Multi-hop" in text) != zh
    assert dict(made.page.tags[0][1])["lang"] == ("zh-CN" if made.path.stem == "zh" else "en")
    assert made.page.data("data-words")[0]["lang"] == made.path.stem


def test_what_stages_said_is_at_hand_in_both_languages(made: Made) -> None:
    said = {words["lang"]: words["said"] for words in made.page.data("data-words")}
    assert said["en"] == {} and said["zh"]
    rows = made.page.data("data-questions")
    left = {text for row in rows for text in (row["why"], *row["whys"].values()) if text}
    assert set(said["zh"]) <= left | {row["answer"]["reason"] for row in rows if row["answer"]}


def test_what_each_route_found_and_the_context_are_whole(made: Made) -> None:
    rows = {row["id"]: row for row in made.page.data("data-questions")}
    traces = {trace.question_id: trace for trace in made.run.traces()}
    chunks = {row["n"]: row for row in made.page.data("data-chunks")}
    for question_id in ("zh-002", "en-001", "mixed-001"):
        row, step = rows[question_id], traces[question_id].steps[-1]
        assert [(one[0], one[2]) for one in row["lists"]] == [(r.route, len(r.chunks)) for r in step.route_lists]
        assert [one[3][::2] for one in row["lists"]] == [list(r.chunks[:10]) for r in step.route_lists]
        context = traces[question_id].context
        assert context is not None
        assert [chunks[block[6]]["t"] for block in row["blocks"]] == [block.text for block in context.blocks]
        assert row["searched"] == [[None, "", []]]
    assert rows["zh-follow"]["searched"][0][0] == "二线城市的住宿标准是多少？"
    assert [group["routes"] for group in rows["zh-002"]["evidence"]] == [
        [["dense", 3], ["sparse", 4]],
        [["dense", 4], ["sparse", 3]],
    ]


def test_scores_are_those_of_the_run(made: Made) -> None:
    names = made.page.data("data-words")[0]["scored"]
    rows = {row["id"]: dict(zip(names, row["scores"], strict=True)) for row in made.page.data("data-questions")}
    for row in made.run.scores():
        if row["kind"] == "question":
            cell = rows[row["id"]][row["measure"]]
            expected = {"failed": "!", "n/a": None}.get(row["status"], row["value"])
            assert cell == (pytest.approx(expected, abs=1e-4) if row["status"] == "scored" else expected), row


def test_figures_are_those_of_the_summary(made: Made) -> None:
    row = made.run.summary["metrics"]["answer/correctness_f1"]
    assert f"{row['mean']:.3f} {row['low']:.3f} – {row['high']:.3f}" in made.page.text
    ok = made.run.summary["diagnosis"]["ok"]
    n = len(made.run.questions)
    said = f"{ok} of {n} questions were answered well" if made.path.stem == "en" else f"{n} 个问题中有 {ok} 个回答良好"
    assert said in made.page.text


def test_charts_keep_text_as_text_in_the_pages_fonts(made: Made) -> None:
    charts = re.findall(r"<svg.*?</svg>", made.html, re.S)
    assert len(charts) == 10
    joined = "".join(charts[:5])
    assert "font-family" not in joined and "<text" in joined and "var(--accent" in joined
    assert ("多跳推理" in joined) == (made.path.stem == "zh")


def test_the_same_run_gives_the_same_bytes(made: Made, tmp_path: Path) -> None:
    svg.forget()
    run_charts._drawn.cache_clear()
    again = write_report(RunDir(made.run.folder), tmp_path / "again.html", made.path.stem, TEXTS.get)
    assert again.read_bytes() == made.path.read_bytes()


def test_details_hold_ranks_moves_routes_and_evidence(made: Made) -> None:
    rows = {row["id"]: row for row in made.page.data("data-questions")}
    chunks = {row["n"]: row for row in made.page.data("data-chunks")}
    two = rows["zh-002"]
    assert [(group["before"], group["after"], group["packed"]) for group in two["evidence"]] == [
        (3, 1, True),
        (4, 2, True),
    ]
    first = two["after"][0]
    assert first[2] == 3 and "300%" in chunks[first[0]]["t"]
    assert ["dense", 3] in two["routes"][str(first[0])]
    assert [group["after"] for group in rows["en-002"]["evidence"]] == [0]
    assert rows["failed-001"]["error"].startswith("ConnectError") and rows["failed-001"]["before"] == []
    assert rows["noanswer-001"]["answer"] is None
    assert rows["whole-001"]["evidence"][0]["items"][0][3] is True
    assert rows["zh-follow"]["history"][0] == ["user", "一线城市住宿标准是多少？"]


def test_texts_that_are_not_at_hand_are_left_out_and_said_so(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=0)
    page = Page(write_report(run, tmp_path / "r.html", "en", lambda _: None).read_text(encoding="utf-8"))
    chunks = page.data("data-chunks")
    assert chunks and all(chunk["t"] is None for chunk in chunks)
    assert "text is not shown" in page.data("data-words")[0]["t"]["d_no_text"]
    quotes = [item[4] for row in page.data("data-questions") for group in row["evidence"] for item in group["items"]]
    assert "年休假为5天" in quotes, "the eval set's own quotes need no corpus"


def test_a_bare_summary_still_gives_a_report(tmp_path: Path) -> None:
    keys = [
        "metrics",
        "by_category",
        "by_difficulty",
        "by_language",
        "by_answerability",
        "by_split",
        "diagnosis",
        "diagnosis_by_question",
        "cost",
        "judge",
        "eval_set",
        "variant",
    ]
    for lang in ("en", "zh"):
        root = tmp_path / lang
        root.mkdir()
        made = make(root, lang, **dict.fromkeys(keys))
        assert "年假" in made.page.text


def test_a_run_that_is_no_result_says_so_at_the_top(tmp_path: Path) -> None:
    made = make(tmp_path, "en", health=["answer/faithfulness: 9 of 20 failed <b>"])
    assert "These figures are no result: answer/faithfulness: 9 of 20 failed <b>" in made.page.text


def test_faithfulness_that_tells_nothing_is_marked(tmp_path: Path) -> None:
    saturated = make(tmp_path, "en", saturated=["answer/faithfulness"], variant={"generator": "llm"}).page.text
    assert "saturated" in saturated and "at ceiling by construction" not in saturated
    copying = write_report(make_run(tmp_path, "b-1"), tmp_path / "b.html", "en", TEXTS.get)
    assert "at ceiling by construction" in Page(copying.read_text(encoding="utf-8")).text


def test_an_unknown_language_is_an_error_in_one_line(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=0)
    with pytest.raises(ConfigError, match=r"report\.lang: expected en or zh, found 'fr'"):
        write_report(run, tmp_path / "r.html", "fr", TEXTS.get)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "\u2028\u2029", "a & b", '"\\', "年假\n\n", "\x00\x1f"])
def test_json_lines_survive_any_text(text: str) -> None:
    shown = json_lines([{"t": text}, {"t": "next"}])
    assert "<" not in shown and "&" not in shown
    assert [json.loads(line)["t"] for line in shown.split("\n")] == [text, "next"]


def test_two_thousand_questions_stay_small_enough_to_open(tmp_path: Path) -> None:
    run = make_run(tmp_path, n_filler=2000)
    started = time.process_time()
    path = write_report(run, tmp_path / "r.html", "zh", TEXTS.get)
    assert path.stat().st_size < 12_000_000
    assert time.process_time() - started < 12
