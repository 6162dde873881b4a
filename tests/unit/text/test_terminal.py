"""Hostile text is inert on a terminal; commands read back as the words they were made of."""

import shlex
import shutil
import subprocess

import pytest

from ragbench.text.terminal import columns, command, folded, one_line

HOSTILE = "\x1b]0;owned\x07\x1b[2J红\u202e字\rred\x00"


def test_one_line_is_inert_flat_and_cut_by_columns():
    shown = one_line(f"a\n b\t{HOSTILE}")
    assert shown.isprintable() and "\\x1b" in shown and "\\u202e" in shown and "红" in shown
    assert one_line("年假可以结转五天", 9) == "年假可以…"
    assert columns(one_line("年假可以结转五天", 9)) == 9
    assert one_line("short", 9) == "short"
    assert columns("e\u0301") == 1


WORDS = [
    "ragbench", "run", "eval_set.path=/tmp/年 假", "questions=[a,b]", "overlap=10%", "x='quoted'", "y=$HOME `id` !!",
    "~drop", "a=\\back", "{1,2}", "#no comment", "", "tab=\there", "esc=\x1b[31m'red'\\",
]  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize("width", [0, 30])
def test_a_command_reads_back(shell, width):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    line = command(WORDS, width)
    assert all(part.isprintable() for part in line.split("\n"))
    printed = f"printf '%s\\0' {line}"
    done = subprocess.run([shell, "-c", printed], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == WORDS


def test_lines_are_broken_at_the_width():
    lines = command([f"key_{n}=value" for n in range(20)], 40).split("\n")
    assert len(lines) > 5 and all(columns(line) <= 40 for line in lines)
    assert shlex.split(command(["a b", "c"], 0)) == ["a b", "c"]


@pytest.mark.parametrize("text", ["年假可以结转五天" * 9, "leave carries over " * 9, "年假 carry over 五天 " * 9])
def test_folded_lines_keep_every_word(text):
    lines = folded(f"{text}\x1b[2J", 30)
    assert len(lines) > 3 and max(map(columns, lines)) <= 30
    assert "".join("".join(lines).split()) == "".join(one_line(f"{text}\x1b[2J").split())
    assert folded("", 30) in ([], [""])
