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
    assert loaded.metadata == {"title": title, "date": "2024-03-01", "tags": ["a", "b"]}
    assert [heading.start for heading in loaded.outline] == [0]


def test_json_front_matter():
    loaded = document('{"title": "T", "n": 3}\n\n# H\ntext')
    assert (loaded.title, loaded.metadata["n"], loaded.text) == ("T", 3, "# H\ntext")


def test_what_yaml_refuses_but_people_write_is_taken_line_by_line():
    metadata, rest = split_front_matter('---\ntitle: Security: TLS, roles\nversion: "4.2"\n---\nbody')
    assert metadata == {"title": "Security: TLS, roles", "version": "4.2"}
    assert rest == "body"


@pytest.mark.parametrize(
    "text",
    [
        "---\nJust a rule\n---\ntext",
        "---\nno end",
        "--- not\na: b\n---",
        '{"a": 1} trailing',
        "{not json}\n",
        "a: b\n---\n",
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text):
    assert split_front_matter(text) == ({}, text)


def test_windows_line_ends_and_byte_order_mark():
    loaded = make_document("a.md", load_md(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n# A\r\nb\r\n"))
    assert (loaded.title, loaded.text) == ("T", "# A\nb")


def test_broken_front_matter_is_an_error_with_the_line():
    with pytest.raises(DataError, match="line 4"):
        load_md(b"---\na:\n  - [\nb: 2\n---\ntext")


def test_alias_bombs_do_not_expand():
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]"
    assert split_front_matter(f"---\n{bomb}\n---\n")[0]["c"] == "[*b,*b]"
    with pytest.raises(DataError, match="aliases"):
        split_front_matter(f"---\n{bomb}\nd:\n  - *c\n---\n")


def test_title_of_the_first_heading_of_level_one():
    assert document("## A\n\n# B *two* `three`\n\n# C").title == "B two three"
    assert document("## A").title == ""
