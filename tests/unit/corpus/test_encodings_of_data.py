"""Real texts written again in other encodings: how many are read right. `-s` prints the table of docs/corpus.md."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from ragbench.corpus.decode import recognised
from ragbench.errors import DataError

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("RAGBENCH_DATA", ROOT.parent / "shared" / "data"))
FOLDERS = (
    DATA / "laws_zh",
    DATA / "dolphinscheduler_docs",
    ROOT / "eval_sets" / "policy_zh" / "v1" / "corpus",
    ROOT / "eval_sets" / "product_en" / "v1" / "corpus",
)
REAL = {
    "shift_jis_names.csv": "cp932",
    "big5_classical.txt": "big5",
    "big5_no_declaration.html": "big5",
    "gb_table_page.html": "gb18030",
    "gb18030_no_declaration.html.xml": "gb18030",
}
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "big5", "shift_jis")
# The least share that is to be right: two characters are often too few to tell.
LEAST = {"file": 0.99, "heading": 0.98, "sentence": 0.99}

pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA}; set RAGBENCH_DATA"),
]


@pytest.fixture(scope="module")
def texts():
    """Files, headings and first sentences of their lines, each once."""
    found = {"file": [], "heading": [], "sentence": []}
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".md", ".txt", ".html") and path.is_file():
                found["file"].append(plain(path.read_bytes()))
    for name, encoding in REAL.items():
        found["file"].append((DATA / "real_docs" / "encodings" / name).read_bytes().decode(encoding))
    for line in dict.fromkeys(line.strip() for text in found["file"] for line in text.split("\n")):
        if re.match("#+ ", line):
            found["heading"].append(line.lstrip("# "))
        found["sentence"] += re.findall("[^。！？.!?]{6,}[。！？.!?]", line)[:1]
    return {kind: spread(list(dict.fromkeys(filter(None, values)))) for kind, values in found.items()}


def spread(values):
    """At most a thousand or two, from all files alike."""
    return values[:: max(1, len(values) // 1000)]


def plain(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030")


def counted(texts, encoding):
    counts = Counter()
    for text in texts:
        try:
            data = text.encode(encoding)
        except UnicodeEncodeError:
            continue
        try:
            found = recognised(data)
        except DataError:
            counts["failed"] += 1
            continue
        right = "right" if found.text == text else "wrong"
        counts[right] += 1
        counts[f"{right}, told as a guess"] += bool(found.warnings)
    return counts


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", LEAST)
def test_most_are_read_right(texts, kind, encoding):
    counts = counted(texts[kind], encoding)
    print(f"\n{kind} {encoding}: {dict(counts)}")
    total = counts["right"] + counts["wrong"] + counts["failed"]
    assert total > 100 and counts["right"] >= LEAST[kind] * total
    if encoding in ("utf-8", "utf-16") or (kind == "file" and encoding not in ("big5", "shift_jis")):
        assert counts["right"] == total
