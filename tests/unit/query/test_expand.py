import time
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.errors import ConfigError
from ragbench.query.expand import ExpandQuery
from ragbench.query.feedback import feedback_terms
from ragbench.records.question import Question
from tests.unit.pipeline.words import Place, corpus_of, pipeline_of
from tests.unit.query.models import MODEL, QUESTIONS, planned, texts

PASSAGES = {
    "zh": ["未休年假可以结转到次年，结转上限五天", "结转的年假三月底作废", "报销单据要贴发票", "发票抬头写公司全称"],
    "en": ["Unused leave carries over; the carryover limit is five days", "carryover leave lapses in March", "Receipts need a stamp", "Stamp the receipts"],
    "mixed": ["未休 leave 可以结转 carryover 五天", "结转 carryover 三月底作废", "报销 receipts", "receipts 要发票"],
}  # fmt: skip
ASKED = {"zh": "没休完的年假怎么办", "en": "What about leave I did not take?", "mixed": "没休完的 leave 怎么办"}
FOUND = {"zh": "结转", "en": "carryover", "mixed": "carryover"}


def stage(**changed) -> ExpandQuery:
    fields = {
        "classifier": None,
        "rewriter": None,
        "llm": None,
        "terms": 3,
        "feedback": 2,
        "weight": 0.5,
        "routes": "sparse",
        "join": "sum",
    }
    return ExpandQuery(**(fields | changed))


@pytest.mark.parametrize("language", ASKED)
def test_words_that_the_best_chunks_share(language: str) -> None:
    words = feedback_terms(ASKED[language], PASSAGES[language], 2, 3)
    assert FOUND[language] in words
    assert not {"年假", "leave", "发票", "receipts", "the"} & set(words)
    _, requests, _ = planned(stage(), ASKED[language], search=lambda request: PASSAGES[language])
    assert [(one.form, one.weight, one.routes) for one in requests] == [
        ("typed", 1.0, ()),
        ("expansion", 0.5, ("sparse",)),
    ]
    assert requests[1].text == " ".join([ASKED[language], *words])


def test_feedback_that_shares_nothing_adds_nothing() -> None:
    assert feedback_terms("x", [], 4, 5) == []
    assert feedback_terms("x", ["alpha beta", "gamma delta"], 2, 5) == []
    assert feedback_terms("x", ["alpha alpha 12345 7"], 1, 5) == ["alpha"]
    assert feedback_terms("", ["的了是 the of", "的了是 the of"], 2, 5) == []
    assert texts(planned(stage(), "x y", search=lambda request: [])[1]) == ["x y"]


def test_the_search_is_made_for_the_question_itself() -> None:
    seen = []
    planned(
        stage(),
        Question("q", ASKED["en"], filter={"a": 1}, principal="acme"),
        search=lambda request: seen.append(request) or [],
    )
    assert [(one.text, one.filter, one.tenant) for one in seen] == [(ASKED["en"], {"a": 1}, "acme")]


def test_words_of_a_model() -> None:
    one = stage(llm=MODEL, routes="all")
    _, requests, _ = planned(one, QUESTIONS["zh"], '{"queries": ["远程办公", "WFH", "弹性工作", "第四个"]}')
    assert requests[1].text == f"{QUESTIONS['zh']} 远程办公 WFH 弹性工作"
    assert requests[1].routes == ()
    assert (one.searches, stage().searches) == (False, True)
    assert one.idle_fields() == {"feedback": "a language model"}


def test_needs_an_index() -> None:
    with pytest.raises(ConfigError, match="query=expand: expected an index"):
        planned(stage(), "How long?")


DOCUMENTS = {
    "leave.md": "Unused leave carries over. Carryover lapses in March.\n\nThe carryover limit of leave is five days.\n\n"
    * 2
}


def test_in_a_pipeline_it_reads_the_variants_own_index(tmp_path: Path) -> None:
    asked = [Question("q", "unused leave")]
    place = _place(tmp_path / "one", DOCUMENTS)
    pipeline = pipeline_of("query=expand", "variant=bm25", "chunk_size=60", "pipeline.query.terms=2")
    step = place.ask(pipeline, asked)[0].steps[0]
    assert [one.form for one in step.requests] == ["typed", "expansion"]
    assert "limit" in step.requests[1].text
    searched = place.n_searched
    again = place.ask(pipeline, asked)[0].steps[0]
    assert (again.requests, place.n_searched) == (step.requests, searched), "first search and second are stored"
    other = _place(
        tmp_path / "two", {"b.md": "Unused leave is paid out.\n\nPayout of leave in March.\n\nPaid payout of leave"}
    )
    assert "limit" not in other.ask(pipeline, asked)[0].steps[0].requests[-1].text


def _place(folder: Path, documents: dict[str, str]) -> Place:
    store = Store(folder / "store")
    return Place(corpus_of(folder / "corpus", documents, store), store)


@pytest.mark.parametrize(
    ("name", "value"),
    [("terms", 0), ("terms", 31), ("feedback", 0), ("feedback", True), ("weight", -1), ("weight", float("inf")), ("routes", "graph"), ("routes", []), ("join", "votes")],
)  # fmt: skip
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize(
    "changed", [{"terms": 2}, {"feedback": 3}, {"weight": 1}, {"routes": "all"}, {"join": "rrf"}, {"llm": MODEL}]
)
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()


def test_the_search_before_the_search_is_no_time_of_understanding(tmp_path: Path) -> None:
    place = _place(tmp_path, DOCUMENTS)
    pipeline = pipeline_of("query=expand", "variant=bm25", "chunk_size=60")
    with place.bench(pipeline) as bench:
        search = bench.lists.find

        def slow(*given):
            time.sleep(0.3)
            return search(*given)

        bench.lists.find = slow
        times: dict[str, float] = {}
        bench.plan(Question("q", "unused leave"), times)
    assert 0 <= times["query"] < 250
