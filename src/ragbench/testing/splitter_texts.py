"""Texts and documents that every splitter is tried on."""

from __future__ import annotations

from hypothesis import strategies as st

from ragbench.corpus.kinds import loader_of
from ragbench.corpus.loader import make_document
from ragbench.corpus.parsed import Parsed, whole
from ragbench.records.document import Document

FRAGMENTS = (
    "员工年假有多少天？工作满一年不满十年的，年休假5天；已满十年的，10天。",
    "（一）“加班”须事先审批！……见 AI-2024-03 号文。",
    "How many days? After one year 5 days; see e.g. annex 3, dated 2024-03-01. Ask HR!",
    "使用 text-embedding-v3 时 batch ≤ 10，otherwise the API returns HTTP 400。",
    "# 总则",
    "## Scope of this rule",
    "###### deep",
    "1. first step\n2. second step\n   continued",
    "- item\n  - inner\n\n    indented",
    "```python\ndef f(x):\n\n    # not a heading\n    return x\n```",
    "~~~\n| not | a table |\n~~~",
    "| 级别 | 时限 |\n| --- | --- |\n| 一级 | 15 分钟 |\n| 二级 | 30 分钟 |",
    "| a | b |\n| c \\| d | e |",
    "```\nnever closed",
    "👩‍👩‍👧‍👦🏽🇨🇳✊🏿",
    "ＡＢＣ１２３　全角，（括号）：①②③",
    "e\u0301a\u0308o\u0302\u0323 か\u3099 नि",
    "长" * 90,
    "x" * 130,
    "a,b;c.d" * 15,
    "\u3000\u3000缩进的一段。",
    "x",
    "。",
)
OPENINGS = (
    "# 手册 Guide\n\n## 一、总则\n\n### 1.1 适用范围\n\n",
    "## Leave\n### How many days\n",
    "两行\n标题\n===\n\n",
    "Underlined\n---\n",
    "#tag\n---\n",
)
INVISIBLE = "\ufffd"  # a replacement character: not blank, and nothing to a tokeniser


def documents() -> st.SearchStrategy[Document]:
    """Documents of up to about 2000 characters, of a kind with or without structure."""
    pieces = st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(OPENINGS), st.text(max_size=20))
    gaps = st.sampled_from(("\n\n", "\n", " ", "", "\n    "))
    texts = st.lists(st.tuples(pieces, gaps), max_size=25).map(lambda parts: "".join(map("".join, parts)))
    return st.builds(make, texts, st.sampled_from(("md", "text")))


def make(text: str, kind: str = "md") -> Document:
    """A document of a text, normalised, with its outline when it is Markdown."""
    return make_document(f"a.{kind}", whole(text, kind, structured=kind == "md"))


CODE = (
    "import os\n",
    "# 说明 what follows\n",
    "@decorated\ndef f(a, b=1):\n    return a + b\n\n",
    "def 计算(x):\n    '''文档。Doc.'''\n    return x\n\n",
    "class A:\n    x = 1\n\n    def m(self):\n        return 1\n\n    def n(self): pass\n\n",
    "def long():\n" + "    call('with an argument')\n" * 12 + "\n",
    "x = '" + "长" * 90 + "'\n",
    "def broken(:\n",
)
ROWS = ("city,days\n", "北京,5\n", '"a, b",10\n', ",\n", "年假\n", "x" * 90 + ",1\n")
LINES = (
    '{"q": "年假有几天？", "a": [5, 10]}\n',
    '{"deep": {"er": {"text": "How many? Five."}}}\n',
    '"text"\n',
    "[]\n",
    "1\n",
)
UNITS_OF_TEXT = (
    "第一条　员工年假为五天。\n\n第二条　加班须事先审批，\n（一）书面；\n（二）当日。\n\n",
    "Article 1 Scope. It holds for all.\n\nArticle 2 Terms. “Day” is a working day; see Article 1.\n\n",
    "问：年假有几天？\n答：五天。\n\n问：要审批吗？\n答：要。\n\n",
    "Q: How many days?\nA: Five.\n\nQ: Who agrees?\nA: HR does.\n\n",
    "[10:02] 小王：好的！\n[10:03] Li: thanks, bye\n[10:04] 小王：再见\n",
)
# One text a kind, each longer than a chunk.
TEXTS = {
    "zh": "员工年假有多少天？工作满一年不满十年的，年休假5天；已满十年的，10天。\n\n" * 40,
    "en": "How many days? After one year 5 days; see e.g. annex 3, dated 2024-03-01. Ask HR!\n\n" * 20,
    "mixed": "使用 text-embedding-v3 时 batch ≤ 10，otherwise the API returns HTTP 400。\n" * 30,
    "code": "```python\ndef f(x):\n\n    # not a heading\n    return x\n```\n\n" * 30,
    "tables": "| 级别 | 时限 |\n| --- | --- |\n| 一级 | 15 分钟 |\n\ntext between\n\n" * 30,
    "emoji": "👩‍👩‍👧‍👦🏽🇨🇳✊🏿 年假 👍🏽\n" * 80,
    "full-width": "ＡＢＣ１２３　全角，（括号）：①②③㎏。\n" * 60,
    "combining marks": "e\u0301a\u0308o\u0302\u0323 か\u3099 नि क्षि. " * 60,
    "no blanks": "年假5天abc，" * 300,
    "one sign": "长" * 2000,
    "one word": "x" * 2000,
    "clauses": UNITS_OF_TEXT[0] * 20,
    "pairs": UNITS_OF_TEXT[2] * 20,
    "turns": UNITS_OF_TEXT[4] * 20,
}
DOC_TYPES = ("md", "html", "docx", "pdf", "text", "json", "jsonl", "csv", "sqlite", "code")


def documents_of(kind: str) -> st.SearchStrategy[Document]:
    """Documents of one of `DOC_TYPES`, from those without text to about 2000 characters."""
    return st.lists(_pieces_of(kind), max_size=20).map(lambda pieces: of_type(kind, pieces))


def of_type(kind: str, pieces: list[str]) -> Document:
    """A document of one of `DOC_TYPES`, read by its loader or as its loader would write it."""
    name, joined = {"code": "a.py"}.get(kind, f"a.{kind}"), "".join(pieces)
    if kind in ("code", "csv", "jsonl"):
        return make_document(name, loader_of(name)(joined.encode()))
    if kind == "pdf":
        pages = tuple((piece, number) for number, piece in enumerate(pieces, 1))
        return make_document(name, Parsed(pages, "pdf", joint="\n\n"))
    if kind in ("json", "sqlite"):
        joined = "".join(f"rows[{number}].text: {piece}\n" for number, piece in enumerate(pieces))
    return make_document(name, whole(joined, kind, structured=kind in ("md", "html", "docx")))


def long_text(text: str, length: int) -> str:
    """Copies of a text up to a length, each with a number of its own."""
    copies = (text[:-1] + f"{number}{text[-1]}" for number in range(length // len(text) + 1))
    return "".join(copies)[:length]


def _pieces_of(kind: str) -> st.SearchStrategy[str]:
    own = {"code": CODE, "csv": ROWS, "jsonl": LINES}.get(kind)
    if own:
        return st.sampled_from(own)
    prose = st.sampled_from(FRAGMENTS + OPENINGS + UNITS_OF_TEXT)
    gaps = st.sampled_from(("\n\n", "\n", " ", ""))
    return st.tuples(st.one_of(prose, st.text(max_size=20)), gaps).map("".join)
