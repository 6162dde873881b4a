"""HTML pages become Markdown-like text."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus.load_html import load_html
from ragbench.corpus.loader import make_document


def text_of(body: str) -> str:
    return make_document("a.html", load_html(f"<html><body>{body}</body></html>".encode())).text


PAGE = """<!DOCTYPE html><html><head><title>{title} - 站点</title><style>p{{}}</style></head><body>
<header><h2>Site</h2><form><input></form></header><nav><ul><li>Home</li></ul></nav><aside>ad</aside>
<main><h1>{title}</h1><script>var x = "<p>no</p>";</script><p>{one} <b>{two}</b>。</p>
<h2>{title} 2</h2><ul><li>{one}</li><li>{two}<ul><li>inner</li></ul></li></ul>
<table><tr><th>A</th><th>B|C</th></tr><tr><td>{one}</td><td>x<br>y</td></tr></table></main>
<div hidden>secret</div><footer>(c)</footer></body></html>"""


@pytest.mark.parametrize(
    ("title", "one", "two"),
    [("绩效办法", "半年", "考核"), ("Ports", "open", "closed"), ("API 说明", "batch 上限", "10 条")],
    ids=["zh", "en", "mixed"],
)
def test_structure_and_boilerplate(title, one, two):
    document = make_document("p.html", load_html(PAGE.format(title=title, one=one, two=two).encode()))
    assert document.title == title
    assert document.text == (
        f"# {title}\n\n{one} {two}。\n\n## {title} 2\n\n- {one}\n- {two}\n  - inner\n\n| A | B\\|C |\n| {one} | x y |"
    )
    assert [(h.level, h.title) for h in document.outline] == [(1, title), (2, f"{title} 2")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a<br>b</p>c<div>d</div>", "a\nb\n\nc\n\nd"),
        ("<p>H<sub>2</sub>O, 10<sup>6</sup>, note<sup>[1]</sup></p>", "H₂O, 10⁶, note[1]"),
        (
            "<pre><code class='language-py'>if x:\n    y = 1\n\n\n# c</code></pre>",
            "```py\nif x:\n    y = 1\n\n\n# c\n```",
        ),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<ol><li><p>one</p><p>more</p></li><li>two</li></ol>", "- one\n  more\n- two"),
        ("<p>&lt;b&gt; &amp; &#24180;</p>", "<b> & 年"),
        ("<p>title<br>-----</p>", "title\n\n-----"),
        ("<form><p>all in a form</p></form>", "all in a form"),
        ("<article><header><h1>Kept</h1><ul><li>menu</li></ul></header><p>x</p></article>", "# Kept\n\nx"),
        ("<p>unclosed <b>bold<p>next", "unclosed bold\n\nnext"),
        ("", ""),
    ],
)
def test_pieces(body, expected):
    assert text_of(body) == expected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr>", "| a | b |\n| a | c |"),
        (
            "<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr><tr><td>d</td><td>e</td></tr>",
            "| a | b |\n| a | c |\n| d | e |",
        ),
        ("<tr><td colspan=2>wide</td></tr><tr><td>b</td><td>c</td></tr>", "| wide |\n| b | c |"),
        ("<caption>cap</caption><tr><td>a</td><td></td></tr><tr><td></td><td></td></tr>", "cap\n\n| a |  |"),
        ("<tr><td colspan=9999999 rowspan=x>a</td><td>b</td></tr>", "| " + "a | " * 100 + "b |"),
        ("<tr><td><h2>H</h2></td><td><p>text</p></td></tr>", "## H\n\ntext"),
        ("<tr><td>only</td></tr>", "only"),
        ("<tr><td>a</td><td><table><tr><td>x</td><td>y</td></tr></table></td></tr>", "| a | x y |"),
    ],
)
def test_tables(table, expected):
    assert text_of(f"<table>{table}</table>") == expected


def test_declared_encoding():
    data = '<meta charset="gb2312"><p>价格</p>'.encode("gb18030")
    assert make_document("a.html", load_html(data)).text == "价格"


@pytest.mark.parametrize("piece", ["<div>", "<b>", "<ul><li>", "<table><tr><td>", "<p", "<!--", "&amp", "<pre>"])
def test_deep_nesting_neither_crashes_nor_hangs(piece):
    started = time.process_time()
    load_html((piece * 2000 + "text").encode())
    assert time.process_time() - started < 10
