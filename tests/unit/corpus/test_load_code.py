"""Source code: what is kept, what is a definition, what broken and hostile source becomes."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus import code_grammars
from ragbench.corpus.code_languages import SUFFIXES
from ragbench.corpus.code_structure import code_structure
from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.load_code import load_code
from ragbench.corpus.loader import load_file, make_document

PYTHON = '''#!/usr/bin/env python
"""模块 module."""
import os

# 关于 f
@decorated(
    1)
def f(a, b="x:y",
      *c, **d) -> dict[str, int]:  # note: here
    """Doc."""
    def inner(): pass
    return 1
x = 1
if x:
    class 类(B, metaclass=M):
        y = 2
        # of m
        def m(self): return "é"

        async def n(self):
            pass
        z = 3
else:
    def q(): pass
# behind
main()
'''


def document(source, language="python"):
    return make_document("a.x", load_code(source.encode() if isinstance(source, str) else source, language))


def shown(source, language="python"):
    """Level, title and first line of each heading."""
    loaded = document(source, language)
    return [(heading.level, heading.title, loaded.text[heading.start :].split("\n")[0]) for heading in loaded.outline]


def test_python():
    assert shown(PYTHON) == [
        (1, 'def f(a, b="x:y", *c, **d) -> dict[str, int]', "# 关于 f"),
        (1, "", "x = 1"),
        (1, "class 类(B, metaclass=M)", "    class 类(B, metaclass=M):"),
        (2, "def m(self)", "        # of m"),
        (2, "async def n(self)", "        async def n(self):"),
        (2, "", "        z = 3"),
        (1, "", "else:"),
        (1, "def q()", "    def q(): pass"),
        (1, "", "# behind"),
    ]


def test_definitions_are_whole_lines_inside_one_another():
    found = code_structure(PYTHON, "python").definitions
    text = {one.signature: PYTHON[one.start : one.end] for one in found}
    assert text["def m(self)"] == '        # of m\n        def m(self): return "é"\n'
    assert text["class 类(B, metaclass=M)"].endswith("            pass\n        z = 3\n")
    assert [(one.kind, one.level) for one in found] == [
        ("function", 1),
        ("class", 1),
        ("function", 2),
        ("function", 2),
        ("function", 1),
    ]


SOURCES = {
    "javascript": (
        "/** doc */\nexport class A extends B {\n  // c\n  m(x) { return x }\n  p = () => { }\n}\n"
        "const f = async (a) => {\n}\nA.prototype.g = function (b) {\n}\n// behind\n\nrun()\n",
        [
            (1, "class A extends B", "/** doc */"),
            (2, "m(x)", "  // c"),
            (2, "p = () =>", "  p = () => { }"),
            (1, "const f = async (a) =>", "const f = async (a) => {"),
            (1, "A.prototype.g = function (b)", "A.prototype.g = function (b) {"),
            (1, "", "// behind"),
        ],
    ),
    "typescript": (
        "@Dec()\nexport class A<T> {\n  @In()\n  foo(a: number): void {\n  }\n}\nnamespace N {\n"
        "  export function h(): void {\n  }\n}\ninterface I {\n}\ntype T = 1\n",
        [
            (1, "class A<T>", "@Dec()"),
            (2, "foo(a: number): void", "  @In()"),
            (1, "namespace N", "namespace N {"),
            (2, "function h(): void", "  export function h(): void {"),
            (1, "interface I", "interface I {"),
            (1, "type T = 1", "type T = 1"),
        ],
    ),
    "tsx": ("function View() {\n  return <a>文</a>\n}\n", [(1, "function View()", "function View() {")]),
    "java": (
        "package p;\n\n/** doc */\n@A\npublic class C {\n  C() {\n  }\n\n  @Override\n  public void f() {\n  }\n}\n",
        [
            (1, "@A public class C", "/** doc */"),
            (2, "C()", "  C() {"),
            (2, "@Override public void f()", "  @Override"),
        ],
    ),
    "go": (
        "package p\n\n// A is 甲.\ntype A struct {\n\tx int\n}\n\nfunc (a *A) F(b int) (int, error) {\n\treturn 1, nil\n}\n",
        [
            (1, "type A struct", "// A is 甲."),
            (1, "func (a *A) F(b int) (int, error)", "func (a *A) F(b int) (int, error) {"),
        ],
    ),
    "rust": (
        "/// doc\n#[derive(Debug)]\npub struct A {\n    x: i32,\n}\n\nimpl A {\n    /// m\n    pub fn f(&self) -> i32 {\n"
        "        1\n    }\n}\n",
        [
            (1, "pub struct A", "/// doc"),
            (1, "impl A", "impl A {"),
            (2, "pub fn f(&self) -> i32", "    /// m"),
        ],
    ),
    "c": (
        "#include <a.h>\nstruct P;\nstruct P {\n  int y;\n};\n/* two\n   lines */\nstatic int f(int a)\n{\n  return a;\n}\n",
        [(1, "struct P", "struct P {"), (1, "static int f(int a)", "/* two")],
    ),
    "cpp": (
        "#ifndef X\nnamespace a {\n// t\ntemplate <typename T>\nclass A : public B {\n  int f() const {\n    return 1;\n"
        "  }\n};\n}\n#endif\n",
        [
            (1, "namespace a", "namespace a {"),
            (2, "class A : public B", "// t"),
            (3, "int f() const", "  int f() const {"),
            (1, "", "#endif"),
        ],
    ),
    "c_sharp": (
        "namespace A.B {\n  [Attr]\n  public class C {\n    /// doc\n    public void F() {\n    }\n  }\n}\n",
        [
            (1, "namespace A.B", "namespace A.B {"),
            (2, "[Attr] public class C", "  [Attr]"),
            (3, "public void F()", "    /// doc"),
        ],
    ),
}


def test_every_grammar_is_tried():
    assert SOURCES.keys() == code_grammars.GRAMMARS.keys()


@pytest.mark.parametrize("language", SOURCES)
def test_other_languages(language):
    pytest.importorskip(code_grammars.GRAMMARS[language][0], reason="needs the extra code")
    source, outline = SOURCES[language]
    assert shown(source, language) == outline


def test_only_comments_directly_above_and_on_their_own_line_belong_to_a_definition():
    assert shown("s = '''text\n# of s'''\ndef f(): pass\n")[-1] == (1, "def f()", "def f(): pass")
    assert shown("# far\n\ndef f(): pass\n") == [(1, "def f()", "def f(): pass")]
    for language, source, line in (
        ("javascript", "let a = 1; // of a\nfunction f() {\n}\n", "function f() {"),
        ("javascript", "// far\n\nfunction f() {\n}\n", "function f() {"),
        ("rust", "/// far\n\nfn f() {\n}\n", "fn f() {"),
    ):
        pytest.importorskip(code_grammars.GRAMMARS[language][0], reason="needs the extra code")
        assert [heading[2] for heading in shown(source, language)] == [line]


def test_a_header_of_classes_is_cplusplus():
    assert document("namespace a {\n}\n", "c").metadata["language"] == "cpp"
    assert document("int f(void);\n", "c").metadata["language"] == "c"


def test_without_the_grammar_it_is_text_and_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(code_grammars.GRAMMARS, "go", ("no_such_module", "language"))
    code_grammars._parser.cache_clear()
    loaded = document("func f() {\n}\n", "go")
    code_grammars._parser.cache_clear()
    assert loaded.text == "func f() {\n}"
    assert loaded.outline == ()
    assert "ragbench[code]" in loaded.metadata["warnings"][0]


def test_a_language_without_grammar_has_no_warning():
    loaded = document("SELECT 1;", "sql")
    assert (loaded.doc_type, loaded.metadata, loaded.outline) == ("code", {"language": "sql", "encoding": "utf-8"}, ())


@pytest.mark.parametrize(
    "source", ["def f(:\n    pass\n", "print 'python 2'\n", "def f():\n\tx\n        y\n", "x = '未完\n", "(" * 5000]
)
def test_python_with_a_syntax_error_has_a_warning_and_its_text(source):
    loaded = document(source)
    assert loaded.text == source.rstrip()
    assert loaded.outline == ()
    assert "no definitions" in loaded.metadata["warnings"][0]


def test_a_grammar_finds_what_lies_around_an_error():
    pytest.importorskip("tree_sitter_javascript", reason="needs the extra code")
    loaded = document("function a() {\n}\nx = = 1;\nfunction b() {\n}\n", "javascript")
    assert [heading.title for heading in loaded.outline if heading.title] == ["function a()", "function b()"]
    assert "syntax errors" in loaded.metadata["warnings"][0]


def test_every_blank_is_kept():
    source = "def f():\n\n\n\n    x  =  1   \n\ty = '　全角  '\n"
    assert document(source).text == source.rstrip("\n")


def test_it_is_found_by_suffix_in_any_encoding(tmp_path):
    (tmp_path / "a.PY").write_bytes("# 年假\ndef 天数(): return 5\n".encode("gb18030"))
    loaded = load_file("a.PY", tmp_path / "a.PY")
    assert loaded.metadata == {"language": "python", "encoding": "gb18030"}
    assert (loaded.title, loaded.outline[0].title) == ("", "def 天数()")
    assert all(LOADERS[suffix] == f"load_code {language}" for suffix, language in SUFFIXES.items())


@pytest.mark.parametrize("source", ["", "\n\n", "# only a comment", "x", "\ufeff", "\x00"])
@pytest.mark.parametrize("language", ["python", "javascript", "sql"])
def test_nearly_empty_files(source, language):
    assert document(source, language).outline == ()


def test_definitions_on_one_line_are_not_told_apart():
    pytest.importorskip("tree_sitter_javascript", reason="needs the extra code")
    minified = "function a(){return 1}function b(){return 2}class C{m(){}}" * 50
    assert [heading.title for heading in document(minified, "javascript").outline] == ["function a()"]
    joined = "function a() {\n} function b() {\n  return\n} class C {\n  m() {\n  }\n}\n"
    assert shown(joined, "javascript") == [
        (1, "function a()", "function a() {"),
        (1, "function b()", "  return"),
        (1, "class C", "  m() {"),
    ]


def test_a_long_signature_is_cut():
    titles = [heading.title for heading in document(f"def f({', '.join(f'a{n}' for n in range(9999))}): pass").outline]
    assert len(titles[0]) == 160
    assert titles[0].endswith("…")


HOSTILE = {
    "python": [
        "(",
        "-",
        "not ",
        "[1,",
        "a.b",
        "a()",
        "if x:\n ",
        "elif x:\n pass\n",
        "lambda:",
        "# x\n",
        "def f(): pass\n",
    ],
    "javascript": ["{", "(", "class A{\n", "function f(){", "function f(){}", "export ", "// x\n", "`${", "m(){}\n"],
    "cpp": ["namespace a {\n", "template<", "#if X\n", "int f(){}\n", "#else\n", "*"],
}


@pytest.mark.parametrize(
    ("language", "piece"), [(language, piece) for language in HOSTILE for piece in HOSTILE[language]]
)
def test_hostile_source_takes_seconds_and_no_recursion(language, piece):
    started = time.process_time()
    document(piece * (200_000 // len(piece)), language)
    assert time.process_time() - started < 10


def test_elif_chains_and_nested_classes_below_the_parsers_limits():
    chain = "if x:\n    pass\n" + "elif x:\n    pass\n" * 900 + "def f(): pass\n"
    assert [heading.title for heading in document(chain).outline] == ["def f()"]
    nested = "".join(" " * depth + f"class A{depth}:\n" for depth in range(90)) + " " * 90 + "pass"
    assert [heading.level for heading in document(nested).outline] == [1, 2, 3, 4, 5] + [6] * 85


@pytest.mark.parametrize(
    ("language", "unit", "said"),
    [
        ("java", "a<", "more than 200 signs <"),
        ("c_sharp", "a<", "more than 200 signs <"),
        ("c_sharp", "<a ", "more than 200 signs <"),
        ("typescript", "a<b,", "more than 200 signs <"),
        ("tsx", "年<b,", "more than 200 signs <"),
        ("go", "case a:", "too many readings"),
        ("javascript", "case a:", "too many readings"),
    ],
)
def test_source_that_a_grammar_takes_too_long_for_has_no_definitions_and_a_reason(language, unit, said):
    started = time.process_time()
    loaded = document(unit * (400_000 // len(unit)), language)
    assert time.process_time() - started < 30, "some seconds at most, a quarter of an hour without the limits"
    assert said in loaded.metadata["warnings"][0] and loaded.outline == ()
    assert document("class A { void m() { } }", "java").outline, "the parser goes on"


@pytest.mark.parametrize("word", ["年假", "leave", "HR 年假"], ids=["zh", "en", "mixed"])
def test_many_comparisons_and_types_are_no_reason(word):
    method = (
        f"  boolean m(int a, List<Map<String, List<Long>>> b) {{ // {word}\n    return a < 1 && b.size() < 2;\n  }}\n"
    )
    loaded = document(f"class A<T extends Comparable<T>> {{\n{method * 500}}}\n", "java")
    assert "warnings" not in loaded.metadata and len(loaded.outline) == 501
