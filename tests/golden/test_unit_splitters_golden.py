"""What the splitters by sentences, clauses, pairs and turns give for one document each.

Another result needs a higher VERSION, or old caches would pass for new.
"""

from __future__ import annotations

import pytest

from ragbench.core.fingerprint import fingerprint
from ragbench.splitter.clause import ClauseSplitter
from ragbench.splitter.dialogue import DialogueSplitter
from ragbench.splitter.qa import QaSplitter
from ragbench.splitter.sentence import SentenceSplitter
from ragbench.testing.splitter_contract import FRAGMENTS, make

PROSE = (
    "\n\n".join(FRAGMENTS[:13] * 2)
    + "\n\n"
    + "员工请假须提前在系统中提交申请并说明原因" * 9
    + " Dr. Li paid 3.14 e.g. today. Next"
)
NUMERALS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十")
CLAUSES = [f"第{numeral}条 {text}" for numeral, text in zip(NUMERALS, FRAGMENTS)]
LAW = "\n\n".join(["# 办法", "某年公布。", "## 第一章 总则", *CLAUSES[:4], "## 第二章 其他", *CLAUSES[4:]])
CONTRACT = "\n\n".join(f"### Article {n} Title\n\n{n}.1 {FRAGMENTS[n]}\n\n{n}.2 See Article 2." for n in range(1, 6))
FAQ = (
    "# FAQ\n\n说明。\n\n"
    + "\n\n".join(f"**问：第{n}问？**\n答：{FRAGMENTS[n]}" for n in range(8))
    + "\n\n## 附录\n\n"
    + PROSE
)
CHAT = "群名：互助群\n\n" + "\n".join(f"10:{n:02} {'小李' if n % 2 else 'Wu'}: {FRAGMENTS[n % 9]}" for n in range(17))

KNOBS = {"chunk_size": 90, "chunk_unit": "chars", "min_size": None}
STAGES = {
    "sentence": (SentenceSplitter(**KNOBS, overlap=30), PROSE),
    "sentence words": (SentenceSplitter(**(KNOBS | {"chunk_unit": "words", "chunk_size": 25}), overlap=0), PROSE),
    "clause": (ClauseSplitter(**KNOBS, overlap=None, max_clause=None), LAW),
    "clause cut": (ClauseSplitter(**KNOBS, overlap=10, max_clause=95), CONTRACT),
    "qa": (QaSplitter(**KNOBS, overlap=10, max_pair=None), FAQ),
    "qa cut": (QaSplitter(**KNOBS, overlap=None, max_pair=60), FAQ),
    "dialogue": (DialogueSplitter(**KNOBS, overlap=None, turns=6, overlap_turns=1, max_turn=None), CHAT),
    "dialogue cut": (DialogueSplitter(**KNOBS, overlap=None, turns=3, overlap_turns=2, max_turn=60), CHAT),
}
GOLDEN = {
    "sentence": (1, 19, "5c130f904327"),
    "sentence words": (1, 25, "1804719e70e8"),
    "clause": (1, 11, "90a79cec945a"),
    "clause cut": (1, 7, "09ccd519928c"),
    "qa": (1, 28, "917b6c7dcd58"),
    "qa cut": (1, 27, "7072914f5af1"),
    "dialogue": (1, 4, "dba2127dfae1"),
    "dialogue cut": (1, 14, "afe77aa0aa4a"),
}


@pytest.mark.parametrize("name", STAGES)
def test_splitter(name):
    stage, text = STAGES[name]
    spans = [[span.start, span.end, list(span.flags)] for span in stage.spans(make(text))]
    assert (stage.VERSION, len(spans), fingerprint(spans)[:12]) == GOLDEN[name]
