"""HTML pages become Markdown-like text."""

from __future__ import annotations

import re
import time

import pytest

from ragbench.corpus.html_depth import flattened
from ragbench.corpus.load_html import load_html
from ragbench.corpus.loader import make_document
from ragbench.corpus.structure import structure


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


NESTED = [
    "<div>",
    "<b>",
    "<ul><li>",
    "<table><tr><td>",
    "<section><header>",
    "<p><i>",
    "<span><div>",
    "<p",
    "<!--",
    "&amp",
    "<pre>",
]


@pytest.mark.parametrize("closed", [False, True], ids=["unclosed", "closed"])
@pytest.mark.parametrize("piece", NESTED)
def test_deep_nesting_takes_linear_time(piece, closed):
    ends = "".join(f"</{tag}>" for tag in re.findall("<([a-z]+)>", piece)[::-1])
    started = time.process_time()
    load_html((piece * 80_000 + "text" + ends * 80_000 * closed).encode())
    assert time.process_time() - started < 8


@pytest.mark.parametrize("word", ["制度", "policy", "IT 制度"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("tag", ["div", "ul><li", "blockquote", "span", "table><tr><td"])
def test_what_stands_deeper_than_the_limit_is_read_and_told(tag, word):
    ends = "".join(f"</{name}>" for name in tag.split("><")[::-1])
    page = f"<p>{word} 1</p>" + f"<{tag}>{word} " * 3000 + ends * 3000 + f"<h2>{word} 2</h2><p>end</p>"
    parsed = load_html(page.encode())
    text = parsed.parts[0][0]
    assert text.count(word) == 3002 and text.endswith(f"## {word} 2\n\nend")
    assert parsed.warnings == ("elements nested more than 512 deep were read as one level",)


def test_unclosed_tags_side_by_side_are_not_nesting():
    rows = "".join(f"<tr><td><font size=2>{n}<td><p>b<li>c" for n in range(2000))
    text = f"<table><tr><td>{'<br>' * 3000}x</td><td>y</td></tr></table><!--{'<div>' * 3000}--><script>{'<div>' * 3000}</script>"
    for page in (f"<table>{rows}</table>", "<p>x<p>y<ul><li>z" * 400, text, "<div>x</div>" * 3000):
        assert flattened(page)[1] is False or "<font" in page
    parsed = load_html(f"<table>{rows}</table><ul><li>kept<ul><li>inner</ul></ul>".encode())
    assert parsed.parts[0][0].endswith("- kept\n  - inner") and "| 1999 |" in parsed.parts[0][0]


@pytest.mark.parametrize("word", ["制度", "policy", "IT 制度"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize(
    "hidden",
    [
        "style='display:none'",
        "style='color: red; DISPLAY : none !important; top: 0'",
        "style='visibility:hidden'",
        "style='visibility: collapse;'",
        "hidden",
        "aria-hidden=true",
    ],
)
def test_hidden_elements_go(hidden, word):
    inside = f"<div {hidden}><p>{word} secret</p></div>"
    body = f"<p>{word} <span {hidden}>secret</span>1</p>{inside}<pre>{word}<b {hidden}>secret</b></pre>"
    table = f"<table><tr><td>{word}<i {hidden}>secret</i></td><td>2</td></tr></table>"
    assert text_of(body + table) == f"{word} 1\n\n```\n{word}\n```\n\n| {word} | 2 |"


@pytest.mark.parametrize(
    "shown",
    [
        "style='display:block'",
        "style='visibility:visible'",
        "style='x-display:none'",
        "style='background:url(display:none)'",
        "style",
    ],
)
def test_other_styles_hide_nothing(shown):
    assert text_of(f"<p {shown}>shown</p>") == "shown"


@pytest.mark.parametrize("tag", ["template", "noscript"])
def test_what_is_not_drawn_goes(tag):
    assert text_of(f"<p>a</p><{tag}><p>no</p></{tag}><p>b</p>") == "a\n\nb"


def test_hidden_elements_within_others_that_go():
    assert (
        text_of("<nav><aside hidden><ul><li>x</ul></aside></nav><header><nav>n</nav><ul><li>y</ul></header><p>a</p>")
        == "a"
    )


WORDS = pytest.mark.parametrize(
    ("one", "two"),
    [("年假有几天？", "五天。"), ("How many days?", "Five days."), ("HR-12 年假？", "五天 of leave。")],
    ids=["zh", "en", "mixed"],
)


@WORDS
def test_a_page_written_in_a_form_keeps_it_whatever_stands_outside(one, two):
    body = f"<a href='#c'>Skip</a><form id=aspnetForm><h1>{one}</h1><p>{two * 20}</p><input><select><option>x</select>"
    assert text_of(f"{body}</form><footer>f</footer>") == f"Skip\n\n# {one}\n\n{two * 20}"
    assert (
        text_of(f"<h1>{one}</h1><p>{two * 20}</p><form><p>Mail</p><label>{two}</label></form>")
        == f"# {one}\n\n{two * 20}"
    )


@WORDS
def test_a_button_stays_where_it_is_all_of_a_heading(one, two):
    for tag in ("h2", "h6"):
        text = text_of(
            f"<{tag}><button class=accordion>{one}<svg><title>v</title></svg></button></{tag}><div>{two}</div>"
        )
        assert text == f"{'#' * int(tag[1])} {one}\n\n{two}"
    assert text_of(f"<details><summary><button>{one}</button></summary>{two}</details>") == f"{one}\n\n{two}"
    assert (
        text_of(f"<h2>{one} <button>Copy link</button></h2><p>{two}<button>Send</button></p>") == f"## {one}\n\n{two}"
    )
    head = f"<th><button>{one}</button></th><th>{two} <button>Sort</button></th>"
    assert text_of(f"<table><tr>{head}</tr><tr><td>1<button>Edit</button></td><td>2</td></tr></table>").startswith(
        f"| {one} | {two} |\n"
    )
    assert text_of(f"<h2><button hidden>x</button>{one}</h2><pre>{two}<button>Copy</button></pre>") == (
        f"## {one}\n\n```\n{two}\n```"
    )


@WORDS
def test_a_page_header_with_the_only_title_stays(one, two):
    header = f"<header id=title-block-header><h1 class=title>{one}</h1><p>Ann</p><ul><li>menu</ul><nav>n</nav></header>"
    assert text_of(f"{header}<h2>1</h2><p>{two}</p>") == f"# {one}\n\nAnn\n\n## 1\n\n{two}"
    assert text_of(f"{header}<main><h1>{two}</h1><p>x</p></main>") == f"# {two}\n\nx", "the name of the site"
    assert text_of(f"<div role=banner>{header}</div><p>{two}</p>") == two
    assert text_of(f"<main><header><h1>{one}</h1></header><p>{two}</p></main>") == f"# {one}\n\n{two}"


@WORDS
@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("# {}", "\\# {}"),
        ("###### {}", "\\###### {}"),
        ("#{}", "#{}"),
        ("```", "\\```"),
        ("~~~ {}", "\\~~~ {}"),
        ("&lt;!-- {}", "\\<!-- {}"),
        ("&lt;script&gt; {}", "\\<script> {}"),
        ("&lt;div&gt; {}", "<div> {}"),
        ("| {} | b |", "\\| {} | b |"),
        ("{} | b<br>--- | ---", "{} | b\n\\--- | ---"),
        ("- {}", "- {}"),
    ],
)
def test_text_that_looks_like_markdown_opens_no_structure(one, two, line, written):
    document = make_document(
        "a.html",
        load_html(f"<p>{line.format(one)}</p><ul><li>{line.format(one)}<li>x</ul><h2>{two} #</h2><p>y</p>".encode()),
    )
    shown = written.format(one)
    item = "\n  ".join(shown.split("\n"))
    assert document.text == f"{shown}\n\n- {item}\n- x\n\n## {two} \\#\n\ny"
    found = structure(document.text)
    assert [heading.title for heading in found.outline] == [f"{two} #"]
    assert [block.kind for block in found.blocks] == ["heading"]
