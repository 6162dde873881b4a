"""Import of a folder of documents with a table of questions and quotes."""

import pytest

from ragbench.errors import DataError, Problems

DOCS = {
    "人事/休假.md": "# 休假\n\n年假满一年五天，满五年十天。\n\n病假须交证明。",
    "en/guide.txt": "Backups run at 02:00. Backups are kept for 35 days.\n\nPort 8443 must be open.",
    "mixed/上线.txt": "发布窗口 release window 是周二。\n\nPort 8443 must be open.",
}
HEADER = "编号,问题,原文,文档,答案,类别,可答,部门\n"
ROWS = """q1,年假几天？,满一年五天,休假.md,五天,查询,,人事
q2,When do backups run and how long are they kept?,run at 02:00||kept for 35 days,en/guide.txt,,,,
q3,release window 是哪天？,发布窗口 release window 是周二,,周二,,是,
q4,食堂几点开门？,,,没有写,无解,否,
q5,病假要什么？,,人事/休假.md,证明,流程,,
"""


@pytest.fixture
def docs(written):
    for name, text in DOCS.items():
        written(f"docs/{name}", text)
    return written("docs/picture.png", b"\x89PNG").parent


def test_quotes_find_their_documents(imported, written, docs):
    found = imported("csv", docs, written("questions.csv", "\ufeff" + HEADER + ROWS))
    assert found.quotes("q1") == [["满一年五天"]]
    assert found.quotes("q2") == [["run at 02:00"], ["kept for 35 days"]]
    assert found.questions["q3"].groups[0].items[0].doc_id == "mixed/上线.txt"
    assert found.questions["q5"].groups[0].items[0].whole
    assert not found.questions["q4"].answerable
    assert [q.category for q in found.questions.values()] == ["lookup", "multi_hop", "lookup", "negative", "procedure"]
    assert [q.language for q in found.questions.values()] == ["zh", "en", "mixed", "zh", "zh"]
    assert found.questions["q1"].metadata == {"部门": "人事"}
    assert found.reasons("unread") == {"no known kind of document": ["picture.png"]}
    assert sorted(found.documents) == sorted(DOCS)


@pytest.mark.parametrize(
    ("row", "kind", "reason", "name"),
    [
        ("x,年假？,满六年,休假.md,,,,", "rejected", "the quote is not in the document", "x"),
        ("x,端口？,Port 8443 must be open.,,,,,", "rejected", "the quote stands at several places", "x"),
        ("x,没有依据？,,,,,,", "rejected", "it has no quote and no document; a question without an answer is marked answerable=false", "row 1"),
        ("x,矛盾？,满一年五天,休假.md,,,否,", "rejected", "it is marked unanswerable, but has a quote or a document", "row 1"),
        ("x,矛盾？,满一年五天,休假.md,,无解,是,", "rejected", "it is marked answerable, but its category is negative", "row 1"),
        ("x,哪里？,五天,../休假.md,,,,", "rejected", "its document is not in the folder", "row 1: “../休假.md” leaves the corpus folder"),
        ("x,哪里？,五天,/etc/passwd,,,,", "rejected", "its document is not in the folder", "row 1: “/etc/passwd” is absolute"),
        ("x,哪里？,五天,没有.md,,,,", "rejected", "its document is not in the folder", "row 1: “没有.md”"),
        ("x,,五天,休假.md,,,,", "rejected", "the question has no text", "row 1"),
        ("x,可答？,五天,休假.md,,,也许,", "rejected", "its answerable is none of ours", "row 1: “也许”"),
        ("x,一,二,三,四,五,六,七,八", "rejected", "the row has more cells than the header (8)", "row 1"),
        ("x,年假？,满五年十天,休假.md,,闲聊,,", "noted", "a category of their own is kept: 闲聊", "x"),
        ("x,年假？,满一年五天,休假.md,,,,\nx,年假呢？,满五年十天,休假.md,,,,", "rejected", "the id was used before", "x"),
        ("x,年假？,年假满 一年五天，满五年十天,休假.md,,,,", "repaired", "white space differs: placed where the rest agrees", "x"),
        ("x,年假？,\"年假满一年五天,满五年十天\",休假.md,,,,", "repaired", "width, case or punctuation marks differ: placed where the rest agrees", "x"),
        ("x,年假？,满一年 五天,休假.md,,,,", "rejected", "the quote is in another spelling and short", "x"),
        ("x,端口？,Port 8443must be open,,,,,", "rejected", "the quote stands at several places, in another spelling", "x"),
    ],
)  # fmt: skip
def test_each_fault_names_its_row(imported, written, docs, row, kind, reason, name):
    found = imported("csv", docs, written("questions.csv", f"{HEADER}{row}\n" + ROWS))
    assert found.reasons(kind) == {reason: [name]}
    assert set(found.questions) >= {"q1", "q2", "q3", "q4", "q5"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encodings_and_delimiters_of_spreadsheets(imported, written, docs, encoding, delimiter):
    text = delimiter.join(["问题", "引用"]) + "\r\n" + delimiter.join(["年假满一年有几天？", "满一年五天"]) + "\r\n"
    found = imported("csv", docs, written("questions.csv", text.encode(encoding)))
    assert found.quotes("row-1") == [["满一年五天"]]


def test_columns_can_be_named(imported, written, docs):
    table = written("q.csv", "客户说,answer,reference,wording\n年假几天？,五天,六天,满一年五天\n")
    with pytest.raises(DataError, match="expected one column for reference, found answer, reference"):
        imported("csv", docs, table, columns={"question": "客户说"})
    found = imported("csv", docs, table, columns={"question": "客户说", "reference": "answer", "quote": "wording"})
    assert found.questions["row-1"].reference == "五天"
    assert found.questions["row-1"].metadata == {"reference": "六天"}
    for columns, words in (
        ({"question": "无"}, "expected a column of q.csv"),
        ({"frage": "客户说"}, "expected one of id, question"),
        ({"reference": "answer"}, "expected a column of questions"),
    ):
        with pytest.raises(DataError, match=words):
            imported("csv", docs, table, columns=columns)


def test_alternatives_lists_and_other_separators(imported, written, docs):
    text = '问题,引用\n年假？,"[[""满一年五天"",""满五年十天""],""病假须交证明""]"\n另问,[不在这里]\n'
    found = imported("csv", docs, written("q.csv", text))
    assert found.quotes("row-1") == [["满一年五天", "满五年十天"], ["病假须交证明"]]
    assert found.reasons("rejected") == {"the quote is in none of its documents": ["row-2"]}
    other = written("r.csv", "问题,引用\n年假？,满一年五天／满五年十天\n")
    assert imported("csv", docs, other, target="other", separator="／").quotes("row-1") == [
        ["满一年五天"],
        ["满五年十天"],
    ]


def test_as_many_documents_as_quotes_are_pairs(imported, written, docs):
    text = "问题,引用,文档\n哪里？,Port 8443 must be open.||release window,上线||上线\n"
    text += "两处？,Port 8443 must be open.||Port 8443 must be open.,guide||上线\n"
    found = imported("csv", docs, written("q.csv", text))
    groups = found.questions["row-2"].groups
    assert [group.items[0].doc_id for group in groups] == ["en/guide.txt", "mixed/上线.txt"]


def test_a_table_among_the_documents_is_no_document(imported, written, docs):
    found = imported("csv", docs, written("docs/questions.csv", HEADER + ROWS))
    assert sorted(found.documents) == sorted(DOCS)


def test_another_kind_of_source_is_one_line(imported, written, docs):
    for content, words in (
        ("", "found an empty file"),
        ("问题,问题\na,b\n", "expected each column once, found 问题 twice"),
        ('问题,引用\n"年假,五天\n', "expected CSV, found unexpected end of data"),
        (bytes(range(128, 256)) * 9, "expected"),
    ):
        with pytest.raises(DataError) as error:
            imported("csv", docs, written("q.csv", content))
        assert words in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(DataError, match="found 1 folders and 0 files"):
        imported("csv", docs)
    with pytest.raises(Problems, match="no questions"):
        imported("csv", docs, written("q.csv", "问题,引用\n"))
