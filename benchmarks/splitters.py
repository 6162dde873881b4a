"""Splitters: CPU seconds on texts of one and of five million characters, against other libraries and the bare parsers.

The texts are generated, the same on every machine: Chinese, English and mixed prose with headings, lists, code fences
and tables, and one each of clauses, questions with answers, turns of a chat, Python, JavaScript, Chinese without
punctuation, nothing but long paragraphs, and a web page. `--text FILE` takes a text of your own in place of the prose,
repeated up to the sizes. Counted are CPU seconds of the process from text to chunks, without imports; each round in new
processes, contestants in turn; the best round counts, because other work on the machine can only add to a time.

    python benchmarks/splitters.py [--rounds 3] [--sizes 1,5] [--text FILE] [--peer PYTHON]
    python benchmarks/splitters.py memory [--megabytes 60,200]

`--peer` names the interpreter of an environment with langchain-text-splitters, chonkie and tokenizers; without it they
are left out. All cut at 500 units, with an overlap of 50 where a splitter has one; tokens are those of multilingual-e5.
`memory` cuts a large text file by `recursive` and prints the most memory held on the way.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

PROSE = ("zh", "en", "mixed")
FORMS = ("clauses", "pairs", "turns", "python", "javascript", "unpunctuated", "paragraphs")
SIZE, OVERLAP = 500, 50
# The 3755 characters of GB 2312's first level.
COMMON_HAN = sorted(
    ord(bytes(pair).decode("gb2312")) for pair in product(range(0xB0, 0xD8), range(0xA1, 0xFF)) if pair < (0xD7, 0xFA)
)
PLAIN, UNITS = ("fixed", "recursive", "sentence"), ("chars", "words", "tokens")
FORM_OF = {"clause": "clauses", "qa": "pairs", "dialogue": "turns", "sentence chars": "unpunctuated"}
RIVALS = {
    "fixed chars": ["chonkie Token, chars", "langchain Character"],
    "recursive chars": ["langchain Recursive", "chonkie Recursive, chars"],
    "sentence chars": ["chonkie Sentence, chars", "jieba"],
    "markdown": ["langchain MarkdownHeader", "markdown-it"],
    "markdown, loading included": ["markdown-it"],
    "html": ["markdown-it"],
    "html page": ["lexbor"],
    "html page, loading included": ["lexbor"],
    "cascade": ["markdown-it"],
    "cascade, tokens": ["markdown-it and tokenizers"],
    "fixed tokens": ["chonkie Token, e5 tokens", "tokenizers"],
    "recursive tokens": ["tokenizers"],
    "sentence tokens": ["tokenizers"],
    "code, outline included": ["ast, tree-sitter"],
}
SEPARATORS = ["\n\n", "\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ", ""]
MAX_SOURCE = 2_000_000  # as in ragbench.corpus.limits, which the peers' interpreter does not have
Times = dict[str, dict[str, float]]


class Writer:
    """Generated text; the same seed, the same text."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.han = [chr(point) for point in self.rng.sample(COMMON_HAN, 2000)]
        self.han_weights = [1 / (rank + 5) for rank in range(len(self.han))]
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        self.words = [a + b + c for a in letters for b in ("", *letters[:12]) for c in letters[:9]]
        self.word_weights = [1 / (rank + 3) for rank in range(len(self.words))]

    def zh(self) -> str:
        """A Chinese sentence."""
        signs = self.rng.choices(self.han, self.han_weights, k=self.rng.randint(10, 40))
        signs.insert(self.rng.randint(4, 9), "，")
        return "".join(signs) + self.rng.choice("。。。！？；")

    def en(self) -> str:
        """An English sentence and a blank."""
        words = self.rng.choices(self.words, self.word_weights, k=self.rng.randint(6, 22))
        return " ".join(words).capitalize() + self.rng.choice([". ", ". ", "? ", "! "])

    def mixed(self) -> str:
        """A sentence of both."""
        return self.zh() + self.rng.choice(["使用 text-embedding-v3 时，", "HTTP 400，", "见 AI-2024-03。"]) + self.en()

    def prose(self, sentence: Callable[[], str]) -> Iterator[str]:
        """Paragraphs, among them headings, lists, fences and tables."""
        number = 0
        while True:
            number += 1
            if number % 6 == 1:
                yield f"{'#' * self.rng.randint(1, 4)} {sentence().strip()[:30]}\n\n"
            if number % 17 == 3:
                yield "```python\n" + "".join(f"x_{row} = {row} * 3\n" for row in range(12)) + "```\n\n"
            elif number % 19 == 5:
                yield "| a | b |\n| --- | --- |\n" + "".join(f"| {row} | 值 {row} |\n" for row in range(8)) + "\n"
            elif number % 11 == 7:
                yield "".join(f"- {sentence().strip()}\n" for _ in range(5)) + "\n"
            else:
                yield "".join(sentence() for _ in range(self.rng.randint(2, 8))).strip() + "\n\n"

    def form(self, kind: str) -> Iterator[str]:
        """Units of a text of one of `FORMS`."""
        number = 0
        while True:
            number += 1
            if kind == "clauses":
                yield f"Article {number}. {self.en()}{self.en()}{self.zh()}\n\n"
            elif kind == "pairs":
                yield f"Q: {self.en().strip()}\nA: {self.zh()}{self.en()}\n\n"
            elif kind == "turns":
                yield f"{('Customer', '客服')[number % 2]}: {self.zh()}{self.en().strip()}\n"
            elif kind == "paragraphs":
                yield "".join(self.en() for _ in range(30)).strip() + "\n\n"
            elif kind == "unpunctuated":
                yield "".join(self.rng.choices(han_words(), k=40))
            else:
                yield self.source(kind, number)

    def source(self, language: str, number: int) -> str:
        """A function with some statements."""
        names = [f"{word}_{at}" for at, word in enumerate(self.rng.choices(self.words, k=8))]
        if language == "python":
            body = "".join(f"    {name} = {at} * value + len('{name}')\n" for at, name in enumerate(names))
            return f'def f{number}(value):\n    """Doc of {number}."""\n{body}    return {names[0]}\n\n\n'
        body = "".join(f"  const {name} = {at} * value + '{name}'.length;\n" for at, name in enumerate(names))
        return f"function f{number}(value) {{\n{body}  return {names[0]};\n}}\n\n"


@cache
def han_words() -> list[str]:
    """The words of Han characters that jieba's dictionary counts most often."""
    import jieba

    jieba.setLogLevel(60)
    jieba.initialize()
    ranked = sorted(jieba.dt.FREQ.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ranked[:4000] if all("一" <= sign <= "龥" for sign in word)]


def generate(folder: Path, sizes: list[int], own: Path | None) -> None:
    """Write every text at every size (characters)."""
    for kind in (*(("own",) if own else PROSE), *FORMS):
        writer = Writer(20240301)
        if own and kind == "own":
            units: Iterator[str] = iter([own.read_text(encoding="utf-8") + "\n"] * 10**6)
        else:
            units = writer.prose(getattr(writer, kind)) if kind in PROSE else writer.form(kind)
        parts, length = [], 0
        while length < max(sizes):
            parts.append(next(units))
            length += len(parts[-1])
        for size in sizes:
            text = _until("".join(parts), size)
            (folder / f"{kind}.{size}.txt").write_text(text, encoding="utf-8")
            if kind in ("own", "en"):
                (folder / f"page.{size}.txt").write_text(_page(text), encoding="utf-8")


def _page(text: str) -> str:
    """Markdown as the web page that is made of it."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(text)
    return f"<!DOCTYPE html><html><head><title>t</title></head><body>{body}</body></html>"


def _until(text: str, size: int) -> str:
    """The first characters, up to the last blank line where there is one."""
    end = text.rfind("\n\n", 0, size)
    return text[: end + 1 if end > 0.9 * size else size]


def timed(function: Callable[..., object], *arguments: object) -> float:
    """CPU seconds of a call; what earlier ones left behind is collected before."""
    gc.collect()
    started = time.process_time()
    function(*arguments)
    return time.process_time() - started


def texts(folder: Path, *kinds: str) -> Iterator[tuple[str, str]]:
    """Name and text of the files of some kinds, or of the prose."""
    wanted = kinds or ("own", *PROSE)
    for path in sorted(folder.glob("*.txt"), key=lambda path: (path.stem.split(".")[0], int(path.stem.split(".")[1]))):
        if path.stem.split(".")[0] in wanted:
            yield path.stem, path.read_text(encoding="utf-8")


def ours(folder: Path) -> Times:
    """Every splitter of the package that needs no embedder."""
    from dataclasses import replace

    from ragbench.corpus.code_structure import code_outline, code_structure
    from ragbench.corpus.loader import make_document
    from ragbench.corpus.parsed import whole
    from ragbench.records.document import Document
    from ragbench.splitter import length

    times: Times = {}

    def take(row: str, name: str, document: Callable[[], Document], cut: Any) -> None:
        length._memory.clear()
        times.setdefault(row, {})[name] = timed(lambda: cut.spans(document()))

    def source(text: str, language: str) -> Document:
        found = code_structure(text, language)
        return Document("a", text, "code", "", outline=code_outline(text, found.definitions) if found else ())

    cuts = {f"{name} {unit}": splitter(name, unit, OVERLAP) for name in PLAIN for unit in UNITS}
    cuts |= {name: splitter(name) for name in ("whole", "parent_child", "markdown", "html", "cascade")}
    for row in ("fixed tokens", "sentence tokens"):  # the tokeniser and the dictionary are loaded once a process
        cuts[row].spans(Document("a", "年假" * 600, "text", ""))
    for name, text in texts(folder):
        read = make_document("a.md", whole(text, "md", structured=True))
        for row, cut in cuts.items():
            kind = row if row == "html" else "md" if row in ("markdown", "cascade") else "text"
            document = replace(read, doc_type=kind, outline=() if kind == "text" else read.outline)
            take(row, name, partial(replace, document), cut)
        loaded = partial(make_document, "a.md", whole(text, "md", structured=True))
        take("markdown, loading included", name, loaded, cuts["markdown"])
    unlike_prose(folder, take, cuts)
    for row, kind in FORM_OF.items():
        for name, text in texts(folder, kind):
            document = make_document("a.txt", whole(text, "text"))
            take(row, name, partial(replace, document), splitter(row.split()[0], "chars"))
    for language in ("python", "javascript"):
        for name, text in texts(folder, language):
            take("code, outline included", name, partial(source, text, language), splitter("code"))
    return times


def unlike_prose(folder: Path, take: Callable[..., None], cuts: dict[str, Any]) -> None:
    """What the prose does not show: long paragraphs, which a parser is soon through, and a web page from its bytes."""
    from dataclasses import replace

    from ragbench.corpus.load_html import load_html
    from ragbench.corpus.loader import make_document
    from ragbench.corpus.parsed import whole
    from ragbench.records.document import Document

    def page(data: bytes) -> Document:
        return make_document("a.html", load_html(data))

    for name, text in texts(folder, "paragraphs"):
        read = make_document("a.md", whole(text, "md", structured=True))
        for row in ("markdown", "html", "cascade"):
            take(row, name, partial(replace, read, doc_type="html" if row == "html" else "md"), cuts[row])
        loaded = partial(make_document, "a.md", whole(text, "md", structured=True))
        take("markdown, loading included", name, loaded, cuts["markdown"])
        take("cascade, tokens", name, partial(replace, read), splitter("cascade", "tokens"))
    for name, text in texts(folder, "page"):
        take("html page", name, partial(replace, page(text.encode())), cuts["html"])
        take("html page, loading included", name, partial(page, text.encode()), cuts["html"])


def splitter(name: str, unit: str = "chars", overlap: int = 0) -> Any:
    """One of ours, composed from its configuration."""
    from ragbench.run.build import experiment

    knobs = [f"chunk_size={SIZE}", f"chunk_unit={unit}", f"overlap={overlap}"] if name != "whole" else []
    return experiment(["variant=bm25", "generator=none", "judge=none", f"splitter={name}", *knobs]).pipeline.splitter


def bare(folder: Path) -> Times:
    """What the libraries below ours need for parsing alone."""
    import ast

    import jieba
    import tree_sitter
    import tree_sitter_javascript
    from markdown_it import MarkdownIt
    from selectolax.lexbor import LexborHTMLParser

    tokeniser, times = e5(), Times()
    jieba.setLogLevel(60)
    jieba.initialize()
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))
    for name, text in texts(folder):
        times.setdefault("markdown-it", {})[name] = timed(MarkdownIt("commonmark").enable("table").parse, text)
        clean = tokeniser.normalise(text)
        times.setdefault("tokenizers", {})[name] = timed(tokeniser._tokenizer.encode, clean)
    for name, text in texts(folder, "paragraphs"):
        parsing = timed(MarkdownIt("commonmark").enable("table").parse, text)
        times["markdown-it"][name] = parsing
        cutting = timed(tokeniser._tokenizer.encode, tokeniser.normalise(text))
        times.setdefault("markdown-it and tokenizers", {})[name] = parsing + cutting
    for name, text in texts(folder, "page"):
        times.setdefault("lexbor", {})[name] = timed(LexborHTMLParser, text)
    for name, text in texts(folder, "unpunctuated"):
        times.setdefault("jieba", {})[name] = timed(partial(jieba.lcut, HMM=False), text)
    for name, text in texts(folder, "python"):
        times.setdefault("ast, tree-sitter", {})[name] = timed(ast.parse, text)
    for name, text in texts(folder, "javascript"):
        times.setdefault("ast, tree-sitter", {})[name] = timed(parser.parse, text.encode())
    return times


def e5() -> Any:
    """The tokeniser of the offline embedder."""
    from ragbench.embedder.e5_file import locate
    from ragbench.embedder.e5_tokenizer import load_tokenizer

    path = locate()
    if path is None:
        raise SystemExit("the offline embedder is not installed")
    return load_tokenizer(path)


def peers(folder: Path) -> Times:
    """langchain-text-splitters and chonkie, in an environment of their own."""
    from chonkie import RecursiveChunker, SentenceChunker, TokenChunker
    from langchain_text_splitters import (
        CharacterTextSplitter,
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )
    from tokenizers import Tokenizer

    sized = {"chunk_size": SIZE, "chunk_overlap": OVERLAP}
    levels = [("#" * level, f"h{level}") for level in range(1, 7)]
    stops = [". ", "! ", "? ", "。", "！", "？", "；", "\n"]
    tokens = TokenChunker(Tokenizer.from_file(str(folder / "e5.json")), **sized)
    contestants: dict[str, Callable[[str], object]] = {
        "langchain Character": CharacterTextSplitter(**sized).split_text,
        "langchain Recursive": RecursiveCharacterTextSplitter(separators=SEPARATORS, **sized).split_text,
        "langchain MarkdownHeader": MarkdownHeaderTextSplitter(levels).split_text,
        "chonkie Token, chars": TokenChunker(**sized).chunk,
        "chonkie Token, e5 tokens": lambda text: tokens.chunk(text.replace("\n", " ")),
        "chonkie Recursive, chars": RecursiveChunker(chunk_size=SIZE).chunk,
        "chonkie Sentence, chars": SentenceChunker(**sized, delim=stops).chunk,
    }
    times: Times = {row: {} for row in contestants}
    for name, text in texts(folder):
        for row, cut in contestants.items():
            times[row][name] = timed(cut, text)
    return times


CONTESTANTS = {"ours": ours, "bare": bare, "peers": peers}


def in_process(python: str, what: str, folder: Path) -> Times:
    """One round of a contestant in a new interpreter."""
    command = [python, __file__, "--contestant", what, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def compare(folder: Path, options: argparse.Namespace) -> None:
    """Rounds in turn; the best of each and ratios."""
    sizes = [int(float(size) * 1e6) for size in options.sizes.split(",")]
    generate(folder, sizes, options.text)
    e5()._tokenizer.save(str(folder / "e5.json"))
    runs: dict[str, list[Times]] = {}
    for number in range(options.rounds):
        for what in ("bare", "ours", *(("peers",) if options.peer else ())):
            print(f"round {number + 1}: {what}", file=sys.stderr)
            python = options.peer if what == "peers" else sys.executable
            runs.setdefault(what, []).append(in_process(python, what, folder))
    best = {
        what: {row: {name: min(run[row][name] for run in found) for name in found[0][row]} for row in found[0]}
        for what, found in runs.items()
    }
    for kind in dict.fromkeys(name.split(".")[0] for rows in best["ours"].values() for name in rows):
        table(best, kind, sizes)
    print("\nRatios: time of the other ÷ ours; ours ÷ bare parser")
    for row, others in RIVALS.items():
        # Longer source code is not parsed by the package, so that a ratio would flatter it.
        fair = [size for size in sizes if size <= MAX_SOURCE or not row.startswith("code")]
        for other, size in product(others, fair):
            show_ratio(best, row, other, size)


def table(best: dict[str, Times], kind: str, sizes: list[int]) -> None:
    """Seconds of one text by size, and how they grow."""
    print(f"\n{kind:<28}" + "".join(f"{size / 1e6:>9g} M" for size in sizes) + f"{'growth':>9}")
    for rows in best.values():
        for row, found in rows.items():
            times = [found[f"{kind}.{size}"] for size in sizes if f"{kind}.{size}" in found]
            if times:
                growth = f"{times[-1] / max(times[0], 1e-3):9.1f}" if len(times) > 1 else ""
                print(f"{row:<28}" + "".join(f"{seconds:>9.2f} s" for seconds in times) + growth)


def show_ratio(best: dict[str, Times], row: str, other: str, size: int) -> None:
    """One line: the ratio for each text that both were timed on."""
    rows = {name: found for times in best.values() for name, found in times.items()}
    names = [name for name in rows.get(row, {}) if name in rows.get(other, {}) and name.endswith(f".{size}")]
    if not names:
        return
    is_bare = other in best["bare"]
    parts = []
    for name in names:
        mine, theirs = max(rows[row][name], 1e-3), max(rows[other][name], 1e-3)
        parts.append(f"{name.split('.')[0]} {mine / theirs if is_bare else theirs / mine:.2f}")
    line = f"{row} ÷ {other}" if is_bare else f"{other} ÷ {row}"
    print(f"{line:<58} {size / 1e6:>4g} M  {'  '.join(parts)}")


def memory(megabytes: int, language: str, unit: str) -> None:
    """Cut a file of so many megabytes and print time and the most memory on the way."""
    from ragbench.corpus.loader import load_file
    from ragbench.splitter.chunking import chunk_corpus

    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "large.txt"
        writer = Writer(1)
        units = writer.prose(getattr(writer, language))
        block = "".join(next(units) for _ in range(8000))
        with path.open("w", encoding="utf-8") as handle:
            for _ in range(-(-megabytes * 2**20 // len(block.encode()))):
                handle.write(block)
        document = load_file(path.name, path)
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cut = splitter("recursive", unit, OVERLAP)
    started = time.process_time()
    chunks = chunk_corpus(cut, [document])
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{megabytes:>4} MB {language}, {unit:<6}: {len(chunks):>7} chunks, {seconds:6.1f} s CPU, most memory"
        f" {peak:5.0f} MB (while loading {loaded:.0f} MB)"
    )


def main() -> None:
    """Compare, or measure memory; `--contestant` is a round in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("speed", "memory"), default="speed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="1,5", help="millions of characters")
    parser.add_argument("--text", type=Path, help="a UTF-8 text of your own")
    parser.add_argument("--megabytes", default="60,200")
    parser.add_argument(
        "--peer", help="interpreter of an environment with langchain-text-splitters, chonkie, tokenizers"
    )
    parser.add_argument("--contestant", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant and options.contestant[0] == "memory":
        memory(int(options.contestant[1]), *options.contestant[2:])
    elif options.contestant:
        print(json.dumps(CONTESTANTS[options.contestant[0]](Path(options.contestant[1]))))
    elif options.what == "memory":
        for size in options.megabytes.split(","):
            for language in ("en", "zh"):
                for unit in ("chars", "tokens"):
                    subprocess.run(
                        [sys.executable, __file__, "--contestant", "memory", size, language, unit], check=True
                    )
    else:
        with tempfile.TemporaryDirectory() as temporary:
            compare(Path(temporary), options)


if __name__ == "__main__":
    main()
