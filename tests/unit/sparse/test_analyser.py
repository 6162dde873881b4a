import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.sparse.analyser import ANALYSERS, bigram_terms, jieba_terms, normalised

BOTH = pytest.mark.parametrize("analyse", ANALYSERS.values(), ids=ANALYSERS)
# The same identifier alone, in English, in Chinese and in a text with both.
FRAMES = pytest.mark.parametrize("frame", ["{}", "see ({}), please.", "按照{}执行。", "用 Python 调用{}，返回 OK"])


@BOTH
@FRAMES
@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("AI-2024-03号文", ["ai-2024-03号文", "ai-2024-03", "ai", "2024", "03"]),
        ("AI-2024-03", ["ai-2024-03", "ai", "2024", "03"]),
        ("4012", ["4012"]),
        ("text-embedding-v3", ["text-embedding-v3", "text", "embedding", "v3"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("c++11", ["c++11", "c++", "c", "11"]),
        ("C/C++", ["c/c++", "c", "c++"]),
        ("C++/C#", ["c++/c#", "c++", "c#", "c"]),
        ("C++-style", ["c++-style", "c++", "c", "style"]),
        ("node.js/C++", ["node.js/c++", "node.js", "node", "js", "c++", "c"]),
        ("my-lib.c++", ["my-lib.c++", "my-lib", "c++", "c"]),
        ("libstdc++6", ["libstdc++6", "libstdc++", "libstdc", "6"]),
        ("C#11", ["c#11", "c#", "c", "11"]),
        ("a+b", ["a+b", "a", "b"]),
        ("1+1", ["1+1", "1"]),
        ("AI\u20102024\u201003", ["ai-2024-03", "ai", "2024", "03"]),
        ("AI\u20112024\u201103号文", ["ai-2024-03号文", "ai-2024-03", "ai", "2024", "03"]),
        ("R", ["r"]),
        ("R&D", ["r&d", "r", "d"]),
        ("E-4012", ["e-4012", "e", "4012"]),
        ("LCP-40312-B", ["lcp-40312-b", "lcp", "40312", "b"]),
        (
            "storage.retention.max_age",
            ["storage.retention.max_age", "storage", "retention", "max_age", "max", "age"],
        ),
        ("--max-age", ["max-age", "max", "age"]),
        ("node.js", ["node.js", "node", "js"]),
        ("ops@lanchuan.example", ["ops@lanchuan.example", "ops", "lanchuan"]),
        ("/etc/hl/hl.conf", ["etc/hl/hl.conf", "etc", "hl", "hl.conf", "conf"]),
        ("v4.2.1", ["v4.2.1", "4.2.1", "4.2"]),
        ("12.5%", ["12.5%", "12.5"]),
        ("30d", ["30d", "30", "d"]),
        ("500MB", ["500mb", "500", "mb"]),
        ("1,200,000", ["1200000"]),
        ("2024-11-29", ["2024-11-29", "2024", "11", "29"]),
        ("ＡＢＣ１２３", ["abc123"]),
    ],
)
def test_identifiers_survive_whole_and_in_parts(analyse, frame: str, identifier: str, parts: list[str]) -> None:
    terms = analyse(frame.format(identifier))
    assert set(parts) <= set(terms)


@pytest.mark.parametrize("number", ["12.5", "0.01", "3.14"])
def test_a_decimal_is_not_torn_apart(number: str) -> None:
    assert jieba_terms(number) == [number]
    assert jieba_terms(f"税率{number}。")[0] == number


@BOTH
def test_sentence_punctuation_is_no_part_of_a_word(analyse) -> None:
    terms = analyse("Stop. Go, now: (a-b); c/ -- _x_ 18+ …")
    assert sorted(terms) == sorted(["stop", "go", "now", "a-b", "a", "b", "c", "x", "18"])


@BOTH
@pytest.mark.parametrize("text", ["", "  ", "，。！？", "--- ... ///", "\x00\ud800", "\n\t"])
def test_text_without_words_has_no_terms(analyse, text: str) -> None:
    assert analyse(text) == []


def test_han_runs() -> None:
    assert jieba_terms("年假有多少天")[-2:] == ["多少", "天"]
    assert {"云南", "云南省"} <= set(jieba_terms("云南省差旅"))
    assert bigram_terms("年假有多少天") == ["年假", "假有", "有多", "多少", "少天"]
    assert bigram_terms("税 率") == ["税", "率"]


@BOTH
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＶＩＴＡＭＩＮ　Ｃ", "vitamin c"),
        ("Cafe\u0301 NAI\u0308VE", "café naïve"),
        ("ﬁne STRASSE", "fine straße"),
        ("㎏ ① Ⅷ", "kg 1 viii"),
        ("報銷：１２％", "報銷:12%"),
        ("don’t", "don't"),
        ("請假須經主管批准", "请假须经主管批准"),
        ("AI-2024-03號文", "ai-2024-03号文"),
        ("答覆：計畫與餅乾，乾隆", "答复：计划与饼干，乾隆"),
        ("ＡＰＩ　權限 API 許可權", "api 权限 API 许可权"),
    ],
)
def test_forms_of_one_text_are_one(analyse, one: str, other: str) -> None:
    assert analyse(one) == analyse(other)


@BOTH
@FRAMES
@pytest.mark.parametrize("sign", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d")
def test_every_hyphen_is_one(analyse, frame: str, sign: str) -> None:
    for name in ("AI-2024-03", "LCP-40312-B", "text-embedding-v3", "2020-2024", "C++-style"):
        assert analyse(frame.format(name.replace("-", sign))) == analyse(frame.format(name))


@BOTH
@pytest.mark.parametrize(("text", "terms"), [("工资——绩效", []), ("pay — bonus", []), ("C++ – fast", ["c++", "c"])])
def test_a_dash_between_words_is_no_term(analyse, text: str, terms: list[str]) -> None:
    found = analyse(text)
    assert not any("-" in term or "\u2014" in term for term in found) and set(terms) <= set(found)


@BOTH
@FRAMES
@pytest.mark.parametrize("text", ["a+b", "1+1", "R&D", "e-mail", "issue#12", "GPT-4+", "18+"])
def test_other_signs_end_no_name(analyse, frame: str, text: str) -> None:
    assert not any(term.endswith(("+", "#")) for term in analyse(frame.format(text)))


@BOTH
def test_one_letter_words_stay(analyse) -> None:
    assert {"vitamin", "c"} <= set(analyse("vitamin C"))
    assert "r" in analyse("R语言")


@given(st.text(max_size=300))
def test_any_text_is_analysed_repeatably(text: str) -> None:
    for analyse in ANALYSERS.values():
        terms = analyse(text)
        assert terms == analyse(text)
        assert all(terms), "no empty term"
        assert all(not term.isspace() for term in terms)


@given(st.text(alphabet="ab1C-._/+#,&@%: \n", max_size=80))
def test_ascii_shortcut_equals_the_general_way(text: str) -> None:
    general = [term for term in jieba_terms(text + " é") if term != "é"]
    assert sorted(jieba_terms(text)) == sorted(general)


@given(st.text(max_size=200))
def test_every_letter_and_digit_of_the_text_is_in_some_term(text: str) -> None:
    kept = set("".join(bigram_terms(text)))
    assert {char for char in normalised(text) if char.isalnum()} <= kept


SIGNS = ("a" + "+" * 100_000, "c++" * 30_000, "c#1" * 30_000, "a\u2011" * 50_000)


@BOTH
def test_long_hostile_text_takes_linear_time(analyse) -> None:
    for text in (
        "a-" * 50_000,
        "1," * 50_000,
        "+" * 100_000,
        "x" * 100_000,
        "a.b_c-d/" * 20_000,
        "号" * 20_000,
        *SIGNS,
    ):
        assert analyse(text) is not None


def test_the_shared_dictionary_and_ours_do_not_reach_each_other() -> None:
    code = (
        "import jieba\n"
        "from ragbench.sparse.analyser import jieba_terms\n"
        "jieba.add_word('假有多', freq=10**9)\n"
        "assert '假有多' not in jieba_terms('年假有多少天')\n"
        "assert '假有多' in jieba.lcut('年假有多少天')\n"
        "jieba.add_word('税率几', freq=10**9)\n"
        "assert '税率几' not in jieba_terms('税率几何')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_nothing_is_printed_and_no_cache_file_is_written(tmp_path) -> None:
    code = "from ragbench.sparse.analyser import jieba_terms; assert jieba_terms('年假有多少天')"
    env = {"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=env)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_import_reads_no_dictionary() -> None:
    code = "import sys, ragbench.sparse.bm25; assert not {'jieba', 'bm25s', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
