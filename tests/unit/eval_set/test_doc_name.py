"""Names from data that become paths."""

import pytest

from ragbench.eval_set.doc_name import name_fault, shown


@pytest.mark.parametrize(
    "name", ["a", "海事法(2018-10-26)", "人事/休假.md", "a b", "com", "console.txt", "x" * 200, "长" * 66]
)
def test_names_that_can_be_paths(name):
    assert name_fault(name) == ""


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../x", "leaves"), ("a/../../x", "leaves"), ("/etc/passwd", "absolute"), ("C:\\x", "absolute"), ("~/x", "absolute"),
        ("a\x00b", "character"), ("a\nb", "character"), ("a\\b", "character"), ("a?b", "character"), ("a//b", "empty"),
        (".git", "hidden"), ("a/.", "hidden"), ("nul", "reserved"), ("COM1.txt", "reserved"), ("a/aux/b", "reserved"),
        ("a ", "blank"), ("a.", "dot"), ("x" * 201, "too long"), ("长" * 67, "too long"), ("a/" * 500, "too long"),
        ("", "empty"), (" ", "empty"), (None, "empty"), (7, "int"),
    ],
)  # fmt: skip
def test_names_that_cannot(name, fault):
    assert fault in name_fault(name)


def test_a_name_in_a_message_is_short_and_one_line():
    assert shown("a\nb\x00") == "“a\\nb\\x00”"
    assert len(shown("长" * 500)) == 60
