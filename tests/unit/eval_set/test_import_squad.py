"""Import of SQuAD-style files."""

import pytest

from ragbench.errors import DataError, Problems

PARAGRAPHS = [
    {
        "context": "海燕号载了 308 吨，  排名第六。308 吨是港口第六。",
        "qas": [
            {
                "id": "a",
                "question": "载了多少吨？",
                "answers": [{"text": "308 吨", "answer_start": 6}, {"text": "308 吨", "answer_start": 6}],
            },
            {"id": "b", "question": "第二次提到的吨数？", "answers": [{"text": "308 吨", "answer_start": 19}]},
            {"id": "c", "question": "排名？", "answers": [{"text": "排名第六", "answer_start": 0}]},
            {"id": "d", "question": "谁？", "answers": [{"text": "白鲸号", "answer_start": -1}]},
            {"id": "e", "question": "无解？", "is_impossible": True, "answers": []},
            {
                "id": "g",
                "question": "船名？",
                "answers": [{"text": "海燕号", "answer_start": 0}, {"text": "海燕船", "answer_start": -1}],
            },
            {"id": "h", "question": "吨数，没有偏移？", "answers": [{"text": "308 吨", "answer_start": 3}]},
        ],
    },
    {
        "context": "The Petrel carried 308 tonnes of 生铁.",
        "qas": [{"id": "f", "question": "How many tonnes?", "answers": [{"text": "308", "answer_start": 19}]}],
    },
]


@pytest.fixture
def source(written):
    return written("set.json", {"data": [{"title": "t", "paragraphs": PARAGRAPHS}]})


@pytest.mark.parametrize("unit", ["paragraph", "article"])
def test_every_answer_lands_on_its_text(imported, source, unit):
    found = imported("squad", source, unit=unit)
    held = {name: found.quotes(name) for name in found.questions}
    assert held == {
        "a": [["308 吨"]], "b": [["308 吨"]], "c": [["排名第六"]], "e": [], "g": [["海燕号"]], "f": [["308"]],
    }  # fmt: skip
    first, second = (found.questions[name].groups[0].items[0].start for name in "ab")
    assert first < second
    carried = found.questions["f"].groups[0].items[0]
    assert found.documents[carried.doc_id].text[: carried.start].endswith("The Petrel carried ")
    assert len(found.documents) == (2 if unit == "paragraph" else 1)
    assert (found.questions["f"].language, found.questions["a"].language) == ("en", "zh")
    assert not found.questions["e"].answerable
    assert found.questions["e"].category == "negative"
    assert found.reasons("repaired") == {"wrong offset: moved to the only place of its text": ["c"]}
    assert found.reasons("dropped") == {"wrong offset, and the quote is not in the document": ["g"]}
    assert found.reasons("rejected") == {
        "wrong offset, and the quote is not in the document": ["d"],
        "wrong offset, and the quote stands at several places": ["h"],
    }


def test_rows_that_cannot_be_used_are_named_and_the_rest_goes_on(imported, written):
    rows = [
        {"id": "ok", "question": "多少吨？", "answers": [{"text": "308", "answer_start": 3}]},
        {"id": "ok", "question": "又一次？", "answers": [{"text": "308", "answer_start": 3}]},
        {"question": "没有编号？", "answers": []},
        {"id": "no-answers", "question": "没有答案？", "answers": []},
        {"id": "texts", "question": "错的形状？", "answers": ["308"]},
        "text",
    ]
    data = [{"paragraphs": [{"context": "海燕号308吨"[:3] + "308吨。", "qas": rows}, {"qas": []}]}, {"title": "t"}, 7]
    found = imported("squad", written("set.json", {"data": data}))
    assert list(found.questions) == ["ok"]
    assert found.reasons("rejected") == {
        "the question has no id or no text": ["a0000-p000 paragraph 0 question 2", "a0000-p000 paragraph 0 question 5"],
        "it has no answers and is not marked is_impossible": ["no-answers"],
        "its answers are no list of {text, answer_start}": ["texts"],
        "the id was used before": ["ok"],
    }
    assert found.reasons("unread") == {
        "a paragraph without a context": ["article 0 paragraph 1"],
        "an article without a list of paragraphs": ["article 1", "article 2"],
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1]", "expected SQuAD JSON with a list"),
        ("{}", "found something else"),
        ("", "found an empty file"),
        ("{", "found no JSON"),
        ("年假".encode("gb18030"), "expected UTF-8, found byte 0 is not"),
        ([{"context_id": "T", "context_text": "文", "qas": []}], "ragbench eval-set import cmrc"),
    ],
)
def test_another_kind_of_file_is_one_line(imported, written, content, words):
    with pytest.raises(DataError) as error:
        imported("squad", written("set.json", content))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_nothing_usable_is_an_error_and_leaves_nothing(imported, written, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        imported("squad", tmp_path / "none.json")
    rows = [{"id": "d", "question": "谁？", "answers": [{"text": "白鲸号", "answer_start": -1}]}]
    with pytest.raises(Problems, match=r"no questions in .* can be used"):
        imported("squad", written("set.json", {"data": [{"paragraphs": [{"context": "海燕号。", "qas": rows}]}]}))
    with pytest.raises(Problems, match="no documents"):
        imported("squad", written("set.json", {"data": []}))
    assert not (tmp_path / "made").exists()


def test_answers_of_impossible_questions_are_told_and_not_used(imported, written):
    rows = [
        {"id": "a", "question": "载了多少吨？", "answers": [{"text": "308 吨", "answer_start": 0}]},
        {"id": "x", "question": "无解？", "is_impossible": True, "answers": [{"text": "308 吨", "answer_start": 0}]},
        {"id": "y", "question": "也无解？", "is_impossible": True, "answers": []},
    ]
    found = imported("squad", written("set.json", {"data": [{"paragraphs": [{"context": "308 吨。", "qas": rows}]}]}))
    assert found.reasons("noted") == {"it is marked is_impossible and has answers: they are not used": ["x"]}
    assert not found.questions["x"].answerable and found.quotes("x") == [] and not found.questions["x"].reference


@pytest.mark.parametrize(("context_form", "answer_form"), [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize("words", ["Café Zürich", "ガラス・バー", "Zürich 分公司"])
def test_another_unicode_form_is_no_wrong_offset(imported, written, context_form, answer_form, words):
    from unicodedata import normalize

    context = normalize(context_form, f"Wir waren: é{words}, zweimal: {words}.")
    answer = normalize(answer_form, words)
    at = context.rindex(normalize(context_form, words))
    rows = [
        {"id": "right", "question": "Wo?", "answers": [{"text": answer, "answer_start": at}]},
        {"id": "wrong", "question": "Wo sonst?", "answers": [{"text": answer, "answer_start": at + 1}]},
    ]
    found = imported("squad", written("set.json", {"data": [{"paragraphs": [{"context": context, "qas": rows}]}]}))
    if normalize("NFC", words) == normalize("NFD", words):
        assert found.reasons("repaired") == {}
    else:
        reason = "right offset, letters and accents composed otherwise (NFC, NFD): placed there"
        assert found.reasons("repaired") == {reason: ["right"]}
    item = found.questions["right"].groups[0].items[0]
    (document,) = found.documents.values()
    assert item.start == document.text.rindex(normalize("NFC", words)) and item.quote == normalize("NFC", words)
    assert found.reasons("rejected") == {"wrong offset, and the quote stands at several places": ["wrong"]}
