"""Import of laws in Markdown as a corpus without questions."""

import pytest

from ragbench.errors import DataError, Problems

LAW = (
    "# 中华人民共和国海事法\n\n{date} 通过\n\n<!-- INFO END -->\n\n## 第一章 总则\n\n第一条 船舶应当登记。\n\n# 附则\n"
)


@pytest.fixture
def folder(written):
    for date in ("2001-05-06", "2010-01-02", "2023-12-29"):
        written(f"行政法/海事法({date}).md", LAW.format(date=date))
    written("民法/港口条例（2015-03-04）.md", "第1条 港口收费。".encode("gb18030"))
    written("民法/继承编.md", "# 民法典\n\n# 继承编\n\n<!-- INFO END -->\n\n第一千一百条 继承。")
    written("README.md", "# Laws\n\nMarkdown of laws.")
    written("notes.pdf.part", "x")
    return written("民法/空(2000-01-01).md", "").parents[1]


def test_documents_know_title_date_and_standing(imported, folder):
    found = imported("laws", folder)
    facts = {name: dict(document.metadata) for name, document in found.documents.items()}
    for fact in facts.values():
        fact.pop("encoding", None)
    assert facts["行政法/海事法(2001-05-06).md"] == {
        "title": "中华人民共和国海事法",
        "law": "海事法",
        "area": "行政法",
        "date": "2001-05-06",
        "status": "superseded",
        "superseded_by": "2010-01-02",
    }
    assert facts["行政法/海事法(2023-12-29).md"]["status"] == "current"
    assert facts["民法/港口条例（2015-03-04）.md"]["title"] == "港口条例"
    assert facts["民法/继承编.md"] == {"title": "民法典 继承编", "law": "继承编", "area": "民法"}
    assert found.documents["行政法/海事法(2010-01-02).md"].text.startswith("# 中华人民共和国海事法\n\n2010-01-02")
    assert found.documents["民法/港口条例（2015-03-04）.md"].text == "第1条 港口收费。"


def test_what_is_no_law_is_said(imported, folder):
    found = imported("laws", folder)
    assert found.reasons("unread") == {
        "no law: it holds no article (第X条)": ["README.md"],
        "a file that cannot be read": ["民法/空(2000-01-01).md: an empty file"],
        "no Markdown": ["notes.pdf.part"],
    }
    assert found.reasons("noted") == {
        "no date in the file name": ["民法/继承编.md"],
        "read as gb18030, written as UTF-8": ["民法/港口条例（2015-03-04）.md"],
    }


def test_the_set_waits_for_questions_and_is_not_frozen(imported, folder):
    found = imported("laws", folder)
    assert (found.report.folder / "questions.jsonl").read_bytes() == b""
    assert not (found.report.folder / "LOCK").exists()
    assert found.report.facts()["lock"] is None


def test_a_folder_without_laws_is_an_error(imported, folder, tmp_path):
    with pytest.raises(DataError, match="found a file"):
        imported("laws", folder / "README.md")
    (tmp_path / "none").mkdir()
    with pytest.raises(Problems, match="no documents"):
        imported("laws", tmp_path / "none")
