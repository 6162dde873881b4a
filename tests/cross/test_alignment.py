"""The vectorised alignment against a loop over characters, on generated evidence and chunks."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragbench.eval_set.align import Evidence
from ragbench.eval_set.coverage import Alignment, Fate, relevant_chunks
from ragbench.records.document import DocSpan
from ragbench.testing.cases import document, group, question

PIECES = (
    "年假十五天。",
    "报销\n\n",
    "Leave is 15 days. ",
    "  ",
    "\u3000",
    "见 HR-03 号文，carry over；",
    "\ud800",
    "👍 ok\n",
)
CHECKED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def worlds(draw):
    """Documents, questions with alternatives and whole documents, and chunks in any order, nested ones too."""
    names = ["a.md", "乙.md", "c.md"]
    texts = {name: "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12))) for name in names}

    def interval(name):
        start = draw(st.integers(0, len(texts[name]) - 1))
        return name, start, draw(st.integers(start + 1, len(texts[name])))

    def item():
        name = draw(st.sampled_from(names))
        return name if draw(st.integers(0, 6)) == 0 else interval(name)

    questions = [
        question(f"q{at}", [group(*(item() for _ in range(draw(st.integers(1, 3))))) for _ in range(n)])
        for at, n in enumerate(draw(st.lists(st.integers(0, 3), max_size=4)))
    ]
    chunks = [DocSpan(*interval(draw(st.sampled_from(names)))) for _ in range(draw(st.integers(0, 14)))]
    return {name: document(name, text) for name, text in texts.items()}, questions, chunks


def solid(item, documents):
    text = documents[item.doc_id].text
    return {at for at in range(item.start, item.end) if not text[at].isspace()}


def inside(chunk, item):
    return set(range(chunk.start, chunk.end)) if chunk.doc_id == item.doc_id else set()


def satisfies(chunks, item, documents, tau):
    if item.whole:
        return any(chunk.doc_id == item.doc_id for chunk in chunks)
    wanted = solid(item, documents)
    found = wanted & set().union(*(inside(chunk, item) for chunk in chunks))
    return bool(found) and len(found) >= tau * len(wanted) - 1e-9


def fate(one, chunks, documents, tau):
    if any(item.whole and satisfies(chunks, item, documents, tau) for item in one.items):
        return Fate.WHOLE
    spans = [item for item in one.items if not item.whole]
    if any(satisfies([chunk], item, documents, 1.0) for item in spans for chunk in chunks):
        return Fate.INTACT
    reachable = any(satisfies(chunks, item, documents, tau) for item in spans)
    return Fate.SPLIT if reachable else Fate.UNREACHABLE


def pieces(one, chunks, documents):
    spans = [item for item in one.items if not item.whole]
    return tuple(
        number
        for number, chunk in enumerate(chunks)
        if any(solid(item, documents) & inside(chunk, item) for item in spans)
    )


@CHECKED
@given(world=worlds(), tau=st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_grades_fates_and_pieces_agree_with_a_loop_over_characters(world, tau):
    documents, questions, chunks = world
    found = Alignment(questions, chunks, documents, tau)
    for at, asked in enumerate(questions):
        alone = {
            number: sum(any(satisfies([chunk], i, documents, tau) for i in one.items) for one in asked.groups)
            for number, chunk in enumerate(chunks)
        }
        assert list(found.grades[at].items()) == [(number, grade) for number, grade in alone.items() if grade]
        assert found.fates[at] == tuple(fate(one, chunks, documents, tau) for one in asked.groups)
        assert found.pieces[at] == tuple(pieces(one, chunks, documents) for one in asked.groups)
    broken = [
        (asked.id, one.name, fate(one, chunks, documents, tau), pieces(one, chunks, documents))
        for asked in questions
        for one in asked.groups
    ]
    bad = (Fate.SPLIT, Fate.UNREACHABLE)
    assert [(b.question_id, b.group, b.fate, b.chunks) for b in found.broken()] == [b for b in broken if b[2] in bad]


@CHECKED
@given(world=worlds(), tau=st.sampled_from([0.0, 0.5, 1.0]))
def test_a_grade_is_what_the_chunk_satisfies_in_a_ranking_by_itself(world, tau):
    documents, questions, chunks = world
    for asked, grades in zip(questions, relevant_chunks(questions, chunks, documents, tau)):
        evidence = Evidence(asked, documents)
        alone = [sum(evidence.satisfied([chunk], tau)) for chunk in chunks]
        assert [grades.get(number, 0) for number in range(len(chunks))] == alone
