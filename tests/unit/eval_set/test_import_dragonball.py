"""Import of DRAGONBall's documents and question files."""

import json

import pytest

from ragbench.errors import DataError

DOCUMENTS = [
    {"domain": "Finance", "language": "zh", "doc_id": 0, "company_name": "海燕公司",
     "content": "海燕公司成立于2001年。\n2019年5月，海燕公司发放股息三百万元。2019年5月，公司换帅。"},
    {"domain": "Finance", "language": "zh", "doc_id": 1, "company_name": "白鲸公司", "content": "白鲸公司成立于2003年。净利润为1.5亿元。"},
    {"domain": "Finance", "language": "zh", "doc_id": 2, "company_name": "白鲸公司", "content": "白鲸公司是另一家，注册在宁波。"},
    {"domain": "Law", "language": "en", "doc_id": 3, "court_name": "Petrel Court",
     "content": "**Petrel Court**\nThe verdict was given on May 3.\nThe fine is $15.\nIn June it was “paid”."},
    {"domain": "Law", "language": "en", "doc_id": 4, "court_name": "Whale Court", "content": "The 判决 verdict was given on July 9."},
]  # fmt: skip
ZH = [
    ("多文档信息整合问题", "两家公司何时成立？", [("海燕公司", ["海燕公司成立于2001年。"]), ("白鲸公司", ["白鲸公司成立于2003年。"])], "2001年和2003年。"),
    ("多文档对比问题", "哪家利润高？", [("海燕公司", ["发放股息三百万元"]), ("白鲸公司", ["净利润为15亿元"])], "白鲸。"),
    ("多文档时间序列问题", "先后？", [("海燕公司", ["2019年5月"]), ("白鲸公司", ["注册在宁波"])], "海燕在先。"),
    ("无关无解问", "董事长喜欢什么颜色？", [("海燕公司", ["海燕公司成立于2001年。"])], "无法回答"),
    ("无关无解问", "谁先成立？", [("海燕公司", [])], "海燕公司先成立。"),
    ("多文档信息整合问题", "名字不同？", [("白鲸股份有限公司", ["净利润为1.5亿元"])], "1.5亿元。"),
    ("多文档信息整合问题", "名字不同，到处都有？", [("红鹰公司", ["公司"])], "没有。"),
]  # fmt: skip
EN = [
    ("Multi-document Time Sequence Question", "Which verdict came first?",
     [("Petrel Court", ["Court The verdict was given on May 3. The"]), ("Whale Court", ["The 判决 verdict was given on July 9."])], "Petrel."),
    ("Multi-document Comparison Question", "Which fine is higher?", [("Petrel Court", ["The fine is $1.5."])], "Petrel."),
    ("Unanswerable Question", "Who drove the car?", [], "Unable to answer."),
    ("Multi-document Information Integration Question", "Paid when?", [("Petrel Court", ['In June it was "paid".'])], "June."),
]  # fmt: skip


def rows(items, keys, name):
    question, kind, answer = keys
    return [
        {kind: k, question: q, "ref": [{name: n, "content": c} for n, c in ref], answer: a} for k, q, ref, a in items
    ]


@pytest.fixture
def folder(written):
    written("dragonball_docs.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in DOCUMENTS))
    written(
        "finance/zh/qra_multidoc/0/海燕_白鲸.json",
        {"qa_multi_document_compare": rows(ZH, ("问题", "问题类型", "答案"), "公司名")},
    )
    return written(
        "law/en/qra_irrelevant.json", rows(EN, ("question", "question type", "answer"), "court_name")
    ).parents[2]


def zh(number):
    return f"finance/zh/0/海燕_白鲸/compare/{number}"


def en(number):
    return f"law/en/qra_irrelevant/{number}"


def test_references_are_located_whatever_the_language(imported, folder):
    found = imported("dragonball", folder)
    assert found.quotes(zh(0)) == [["海燕公司成立于2001年。"], ["白鲸公司成立于2003年。"]]
    assert found.quotes(zh(2)) == [["2019年5月", "2019年5月"], ["注册在宁波"]]
    assert found.quotes(en(3)) == [["In June it was “paid”."]]
    assert found.quotes(zh(5)) == [["净利润为1.5亿元"]]
    categories = {name: q.category for name, q in found.questions.items()}
    assert categories == {
        zh(0): "multi_hop", zh(2): "comparison", zh(3): "negative", zh(5): "multi_hop",
        en(2): "negative", en(3): "multi_hop",
    }  # fmt: skip
    assert {q.language for q in found.questions.values()} == {"zh", "en"}
    document = found.documents["finance/zh/0.md"]
    assert (document.title, document.metadata["doc_id"]) == ("海燕公司", 0)
    assert document.text == DOCUMENTS[0]["content"]


def test_another_wording_is_repaired_only_where_it_is_the_same_words(imported, folder):
    found = imported("dragonball", folder)
    assert found.reasons("repaired") == {
        "width, case or punctuation marks differ: placed where the rest agrees": [en(3)],
        "no document has the name given: placed in the only document that holds the words": [zh(5)],
    }
    assert found.reasons("rejected") == {
        "the quote is not in the document": [en(0), en(1)],
        "the quote is in none of its documents": [zh(1)],
        "labelled unanswerable, but its answer states no lack": [zh(4)],
        "the quote stands at several places": [zh(6)],
    }
    assert found.reasons("noted") == {"the quote stands at several places: each is accepted": [zh(2)]}
    assert found.questions[zh(3)].groups == ()


def test_line_breaks_are_no_other_wording(imported, folder, written):
    kept = rows(
        [(EN[0][0], "First?", [("Petrel Court", ["The verdict was given on May 3.The fine is $15."])], "May.")],
        ("question", "question type", "answer"),
        "court_name",
    )
    written("law/en/qra_irrelevant.json", kept)
    found = imported("dragonball", folder)
    assert found.quotes(en(0)) == [["The verdict was given on May 3.\nThe fine is $15."]]
    assert found.reasons("repaired")["white space differs: placed where the rest agrees"] == [en(0)]


def test_one_language_can_be_kept(imported, folder):
    found = imported("dragonball", folder, language="en")
    assert set(found.documents) == {"law/en/3.md", "law/en/4.md"}
    assert {q.language for q in found.questions.values()} == {"en"}


def test_the_published_query_list_names_documents_by_number(imported, folder, written):
    def row(number, kind, docs, quotes, answer):
        query = {"query_id": number, "query_type": kind, "content": f"Question {number}?"}
        truth = {"doc_ids": docs, "content": answer, "references": quotes, "keypoints": []}
        return {"domain": "Law", "language": "en", "query": query, "ground_truth": truth}

    queries = [
        row(7, "Factual Question", [4], ["given on July 9"], "July 9."),
        row(8, "Multi-hop Reasoning Question", [3, 4], ["fine is $15", "given on July 9"], "Both."),
        row(9, "Irrelevant Unsolvable Question", [], [], "Unable to answer."),
        row(10, "Factual Question", [99], ["fine is $15"], "Fifteen."),
    ]
    table = written("queries.jsonl", "".join(json.dumps(query) + "\n" for query in queries) + "{broken\n")
    found = imported("dragonball", folder / "dragonball_docs.jsonl", table)
    assert {name: q.category for name, q in found.questions.items()} == {
        "queries/7": "lookup", "queries/8": "multi_hop", "queries/9": "negative",
    }  # fmt: skip
    assert found.quotes("queries/8") == [["fine is $15"], ["given on July 9"]]
    assert found.reasons("rejected") == {
        "the document of the evidence is not in the corpus": ["queries/10"],
        "the row has no 问题 and no question": ["queries.jsonl line 5"],
    }


@pytest.mark.parametrize("own", ["../../x", "a\x00", 0])
def test_a_document_that_cannot_be_named_is_left_out(imported, folder, own):
    bad = {"domain": "Finance", "language": "zh", "doc_id": own, "company_name": "坏", "content": "坏"}
    with (folder / "dragonball_docs.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(bad) + "\n" + json.dumps({"doc_id": 9}) + "\n")
    found = imported("dragonball", folder)
    assert len(found.documents) == 5
    reasons = found.reasons("unread")
    first = reasons["a document whose name cannot be used"]
    second = reasons["a document that is no {doc_id, domain, language, content}"]
    assert first[0].startswith("dragonball_docs.jsonl line 6: “finance/zh/")
    assert second == ["dragonball_docs.jsonl line 7"]


def test_files_of_another_shape_are_one_line(imported, folder, written, tmp_path):
    written("law/en/other.json", {"a": 1})
    assert imported("dragonball", folder).reasons("unread") == {
        "a JSON file without lists of questions": ["law/en/other.json"]
    }
    with pytest.raises(DataError, match=r"found 0 dragonball_docs.jsonl and 3 question files"):
        (folder / "dragonball_docs.jsonl").unlink()
        imported("dragonball", folder, target="other/v1")
