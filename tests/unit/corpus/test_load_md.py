"""Markdown files and their front matter."""

from __future__ import annotations

import pytest

from ragbench.corpus.load_md import load_md, split_front_matter
from ragbench.corpus.loader import make_document
from ragbench.errors import DataError


def document(text: str):
    return make_document("a.md", load_md(text.encode()))


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("休假制度", "# 总则\n\n年假5天。"),
        ("Leave policy", "# Scope\n\nFive days."),
        ("IT 账号 policy", "# 账号 accounts\n\nMFA 必须。"),
    ],
    ids=["zh", "en", "mixed"],
)
def test_yaml_front_matter_is_metadata_not_text(title, body):
    loaded = document(f"---\ntitle: {title}\ndate: 2024-03-01\ntags: [a, b]\n---\n\n{body}\n")
    assert loaded.text == body
    assert loaded.title == title
    assert loaded.metadata == {"title": title, "date": "2024-03-01", "tags": ["a", "b"], "encoding": "utf-8"}
    assert [heading.start for heading in loaded.outline] == [0]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("休假制度", "# 总则\n\n年假5天。"),
        ("Leave policy", "# Scope\n\nFive days."),
        ("IT 账号 policy", "# 账号 accounts\n\nMFA 必须。"),
    ],
    ids=["zh", "en", "mixed"],
)
def test_toml_front_matter_is_metadata_not_text(title, body):
    loaded = document(f'+++\ntitle = "{title}"\ndate = 2024-03-01\n[extra]\ntags = ["a", "b"]\n+++\n\n{body}\n')
    assert (loaded.text, loaded.title) == (body, title)
    assert loaded.metadata == {
        "title": title,
        "date": "2024-03-01",
        "extra": {"tags": ["a", "b"]},
        "encoding": "utf-8",
    }


@pytest.mark.parametrize("block", ["---\n---\n", "---\n\n# draft\n---\n", "---  \n...\n", "+++\n+++\n", "+++\n\n+++\n"])
def test_empty_front_matter_goes(block):
    loaded = document(f"{block}# 一 one\ntext")
    assert loaded.text == "# 一 one\ntext" and loaded.metadata == {"encoding": "utf-8"}


def test_json_front_matter():
    loaded = document('{"title": "T", "n": 3}\n\n# H\ntext')
    assert (loaded.title, loaded.metadata["n"], loaded.text) == ("T", 3, "# H\ntext")


@pytest.mark.parametrize("title", ["休假制度", "Leave policy", "IT 账号 policy"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize(
    "block",
    [
        '---json\n{{"title": "{0}", "n": 3}}\n---\n',
        ';;;\n{{\n "title": "{0}",\n "n": 3\n}}\n;;;\n',
        ';;;\n"title": "{0}",\n"n": 3\n;;;\n',
        '---toml\ntitle = "{0}"\nn = 3\n---\n',
        "---yaml\ntitle: {0}\nn: 3\n---\n",
    ],
)
def test_front_matter_that_names_its_language(title, block):
    loaded = document(f"{block.format(title)}# 一 one\ntext")
    assert (loaded.title, loaded.metadata["n"], loaded.text) == (title, 3, "# 一 one\ntext")
    assert "warnings" not in loaded.metadata


def test_what_yaml_refuses_but_people_write_is_taken_line_by_line():
    metadata, rest = split_front_matter('---\ntitle: Security: TLS, roles\nversion: "4.2"\n---\nbody')
    assert metadata == {"title": "Security: TLS, roles", "version": "4.2"}
    assert rest == "body"
    assert "line by line" in document("---yaml\ntitle: a: b\n---\ntext").metadata["warnings"][0]
    loaded = document("---\ntitle: 安全: TLS\nby: @ann\nquoted: 'a: b'\n---\n正文")
    assert (loaded.title, loaded.text, loaded.metadata["by"], loaded.metadata["quoted"]) == (
        "安全: TLS",
        "正文",
        "@ann",
        "a: b",
    )
    assert loaded.metadata["warnings"] == [
        "front matter is not YAML, read line by line as texts: mapping values are not allowed here in line 2"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "---\nJust a rule\n---\ntext",
        "---\nno end",
        "--- not\na: b\n---",
        '{"a": 1} trailing',
        "{not json}\n",
        "a: b\n---\n",
        "+++\n",
        "+++ a\nb = 1\n+++\n",
        "---\n\ntext\n\n---\n",
        "---\n\nSome text between rules: not yaml\n\n---\n\nmore\n",
        "---\n \n注意：这里是正文\nnote: text\n---\n更多",
        "---\n\ntitle: T\n---\ntext",
        ";;;\n",
        "---jsonx\n{}\n---\n",
        "---yaml\njust text\n---\n",
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text):
    assert split_front_matter(text) == ({}, text)


def test_windows_line_ends_and_byte_order_mark():
    loaded = make_document("a.md", load_md(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n# A\r\nb\r\n"))
    assert (loaded.title, loaded.text) == ("T", "# A\nb")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\na:\n  - [\nb: 2\n---\ntext", "in line 4"),
        ("---\ntitle: [unclosed\n---\ntext", "expected YAML"),
        ("---\ntitle: 制度\ntags: {a: 1\n---\n正文", "expected YAML"),
        ('---\ntitle: "open: x\n---\n正文', "expected YAML"),
        ("---\na: &a [x, x]\nb: *a\n---\ntext", "aliases are not allowed"),
        ("---\ntitle: 甲: 乙\nb: *a\n---\ntext", "expected YAML"),
        ('---\na: !!python/object/apply:os.system ["touch /tmp/x"]\n---\ntext', "python/object/apply:os.system"),
        ("---\ntitle: T\na: !!python/name:os.system\n---\n正文 text", "python/name:os.system"),
        ("+++\nn = " + "9" * 5000 + "\n+++\ntext", "expected TOML"),
        ("---\ntitle: 制度\n\n# 总则\n正文", "without a closing line"),
        ("+++\ntitle = 制度\n+++\ntext", "expected TOML"),
        ("+++\ntitle = 'T'\n\n# 总则\n正文", "without a closing line +++"),
        ('{\n "title": "T",\n}\n# 一', "not one JSON object"),
        ("---\n\ntitle: 制度\n---\n正文", "blank line at its beginning"),
        ('---json\n{"title": "制度",}\n---\n正文', "expected JSON"),
        (';;;\n"title": T\n;;;\ntext', "expected JSON"),
        ('---json\n{"title": "T"}\n\ntext', "---json without a closing line"),
        ("---toml\ntitle = 制度\n---\n正文", "expected TOML"),
    ],
)
def test_broken_front_matter_is_kept_as_text_with_a_warning(text, said):
    loaded = document(text)
    assert loaded.text == text
    assert said in loaded.metadata["warnings"][0]


def test_an_authors_keys_do_not_pass_for_ours():
    loaded = document("---\nencoding: x\nwarnings: none\n---\ntext")
    assert loaded.metadata == {"front_matter_encoding": "x", "front_matter_warnings": "none", "encoding": "utf-8"}


def test_alias_bombs_do_not_expand():
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]"
    with pytest.raises(DataError, match="aliases"):
        split_front_matter(f"---\n{bomb}\n---\n")
    with pytest.raises(DataError, match="aliases"):
        split_front_matter(f"---\n{bomb}\nd:\n  - *c\n---\n")


def test_title_of_the_first_heading_of_level_one():
    assert document("## A\n\n# B *two* `three`\n\n# C").title == "B two three"
    assert document("## A").title == ""
