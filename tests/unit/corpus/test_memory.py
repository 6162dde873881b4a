"""Memory of loading a file, in a process of its own. `-s` prints the factors of docs/corpus.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.corpus import limits, load_csv, load_html, load_json, load_xml
from ragbench.corpus.code_structure import code_structure
from ragbench.corpus.load_md import load_md
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import DataError

STATUS = Path("/proc/self/status")
PROBE = """
import sys
from pathlib import Path
from ragbench.corpus.loader import load_file

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

warm, full = map(Path, sys.argv[1:])
load_file(warm.name, warm)
before = peak()
load_file(full.name, full)
print((peak() - before) * 1024)
"""
# Name, what a file repeats, and the largest factor of its size that loading may take.
PAGE = (
    '<h2 class="t">Rule</h2>\n<p class="a b">A paragraph of some words, twenty or so, that a person would write in a '
    "hand book of rules.</p>\n<ul><li>one</li><li>two</li></ul>\n"
)
PROSE = (
    "# Head\n\nA paragraph of some words, twenty or so, that a person would write in a hand book.\n\n- one\n- two\n\n"
)
RULES = "## 第一条 总则\n\n员工休假管理制度规定，工作满一年不满十年的，年休假五天；满十年的，年休假十天。\n\n- 项目\n\n"
KINDS = {
    "prose.md": (PROSE, 9),
    "rules_zh.md": (RULES, 10),
    "mixed.md": (PROSE + RULES, 9),
    "lines.md": ("a\n\nb\n", 11),
    "items.md": ("- a\n", 14),
    "quotes.md": ("> - a\n", 12),
    "tables.md": ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n", 9),
    "fences.md": ("```\nx = 1\n```\n\n", 40),
    "headings.md": ("# a\n", 50),
    "page.html": (PAGE, 28),
    "paragraphs.html": ("<p>a</p>", 65),
    "tags.html": ("<p>", 160),
    "elements.xml": ("<r><a>x</a><b>y</b></r>", 50),
    "records.json": ('{"title": "年假 leave", "text": "A paragraph of some words, twenty or so."},', 18),
    "numbers.json": ("1,", 60),
    "records.jsonl": ('{"a": 1}\n', 24),
    "table.csv": ("1,some name,a text of ten or more words for a column\n", 12),
    "source.py": ("x = 1\n", 520),
    "fences.txt": ("```\n", 16),
    "cues.srt": ("1\n00:00:01,000 --> 00:00:02,000\nword\n\n", 12),
    "text.txt": ("ab cd\n\n\n3\t 4\n", 12),
}
QUICK = ("mixed.md", "lines.md", "fences.txt", "page.html", "text.txt")


def written(unit, name, size):
    text = unit * (size // len(unit.encode()) + 1)
    if name.endswith(".json"):
        text = f"[{text.rstrip(',')}]"
    return f"<x>{text}</x>" if name.endswith(".xml") else text


def factor(folder, name, size):
    unit, _ = KINDS[name]
    if name.endswith(".py"):
        size = min(size, limits.MAX_SOURCE - 10)
    if name.endswith(".html"):
        size = min(size, limits.MAX_TAGS["HTML"] // unit.count("<") * len(unit) - len(unit))
    warm, full = folder / f"warm_{name}", folder / name
    warm.write_text(written(unit, name, 1), encoding="utf-8")
    full.write_text(written(unit, name, size), encoding="utf-8")
    command = [sys.executable, "-c", PROBE, str(warm), str(full)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    return int(done.stdout) / full.stat().st_size


@pytest.mark.skipif(not STATUS.exists(), reason="needs /proc")
@pytest.mark.parametrize("name", QUICK)
def test_memory_is_a_small_multiple_of_the_size(tmp_path, name):
    assert factor(tmp_path, name, 2_000_000) < 2 * KINDS[name][1]


@pytest.mark.slow
@pytest.mark.large
@pytest.mark.skipif(not STATUS.exists(), reason="needs /proc")
@pytest.mark.parametrize("name", KINDS)
def test_factor_of_every_kind(tmp_path, name):
    found = factor(tmp_path, name, 20_000_000)
    print(f"\n{name}: {found:.1f} times its size")
    assert found < KINDS[name][1]


@pytest.mark.parametrize("name", ["a.md", "a.html", "a.xml"])
def test_kinds_that_take_much_have_a_smaller_limit(tmp_path, monkeypatch, name):
    monkeypatch.setitem(limits._SMALLER, {"a.md": "load_md", "a.html": "load_html", "a.xml": "load_xml"}[name], 2**20)
    (tmp_path / name).write_bytes(b"x" * (2**20 + 1))
    (tmp_path / "b.txt").write_bytes(b"x" * (2**20 + 1))
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["b.txt"]
    assert loaded.failures[0][1].startswith(f"{name}: expected at most 1 MiB, found 1 MiB")


def test_limits_of_kinds():
    assert {name: limits.max_bytes(name) // 2**20 for name in ("a.md", "a.HTML", "a.xml", "a.txt", "a.csv")} == {
        "a.md": 64,
        "a.HTML": 64,
        "a.xml": 128,
        "a.txt": 256,
        "a.csv": 256,
    }


def test_more_tags_or_values_than_may_be_are_refused(monkeypatch):
    for module in (load_html, load_xml):
        monkeypatch.setattr(module, "MAX_TAGS", {"HTML": 100, "XML": 100})
    monkeypatch.setattr(load_json, "MAX_VALUES", 100)
    monkeypatch.setattr(load_csv, "MAX_CELLS", 100)
    tries = (
        (load_html.load_html, b"<br>" * 101, "at most 100 tags, found 101"),
        (load_xml.load_xml, b"<a>" + b"<b/>" * 99 + b"</a>", "at most 100 tags, found 101"),
        (load_json.load_json, b"[" + b"1," * 101 + b"1]", "at most 100 values, found 101"),
        (load_csv.load_csv, b"a,b\n" + b"1," * 101 + b"\n", "at most 100 cells in a row, found 101"),
        (load_csv.load_csv, b"a,b\n" + b'"\n",' * 101 + b"\n", "at most 100 cells in a row, found 101"),
    )
    for loader, data, said in tries:
        with pytest.raises(DataError, match=said):
            loader(data)
        loader(data.replace(b"<br>", b"", 2).replace(b"<b/>", b"", 2).replace(b"1,", b"", 2).replace(b'"\n",', b"", 2))
    many = load_csv.load_csv(b"a,b\n" + b"1,2\n" * 500)
    assert many.metadata["n_rows"] == 500


def test_large_sources_have_no_definitions_and_say_so(monkeypatch):
    text = "def f(): pass\n"
    found = code_structure(text * (limits.MAX_SOURCE // len(text) + 1), "python")
    assert found.definitions == () and found.warning == "no definitions: source of more than 2000000 characters"
    assert code_structure(text, "python").warning == ""


@pytest.mark.parametrize("word", ["制度", "policy", "IT 制度"], ids=["zh", "en", "mixed"])
def test_the_outline_of_a_text_read_in_pieces(word):
    from ragbench.corpus.loader import make_document

    unit = f"# {word}\n\n{word}\n\n```\n# no\n\n{'x' * 100_000}\n```\n\n- # no\n\n<!--\n\n# no\n{'y' * 100_000}\n\n-->\n\n| {word} |\n|---|\n\n"
    document = make_document("a.md", load_md((unit * 5).encode()))
    assert [heading.title for heading in document.outline] == [word] * 5
    assert all(document.text.startswith(f"# {word}", heading.start) for heading in document.outline)
