"""What people type finds the text that answers, in Chinese, English and mixed text, by either analyser."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from ragbench.sparse.analyser import ANALYSERS
from ragbench.sparse.bm25 import Bm25Sparse

FRAMES = {
    "zh": ("按照{}处理该单据。", "{}怎么处理？"),
    "en": ("Handle the form as in {}.", "what about {}?"),
    "mixed": ("form 按 {}，由 manager 处理", "{} 的 form 怎么处理"),
}
# Each with its neighbours, from which a part must not be taken for the whole.
IDENTIFIERS = {
    "E-1042": ["E-1043", "E-2042", "F-1042", "1042-E"],
    "API_v2.3": ["API_v2.4", "API_v3.3", "APP_v2.3", "API_2.3"],
    "SKU-77/8": ["SKU-77/9", "SKU-78/8", "SKV-77/8", "SKU-8/77"],
    "/etc/app/main.conf": ["/etc/app/other.conf", "/var/app/main.conf", "/etc/main/app.conf"],
    "C:\\logs\\run.txt": ["C:\\logs\\ran.txt", "D:\\loga\\run.txt"],
    "v4.2.1": ["v4.2.2", "v4.3.1", "v5.2.1"],
    "2024-11-29": ["2024-11-28", "2023-11-29", "2024-12-29"],
    "AI-2024-03号文": ["AI-2024-04号文", "AI-2023-03号文", "BI-2024-03号文"],
    "C++": ["C#", "Java"],
    "text-embedding-v3": ["text-embedding-v4", "text-generation-v3"],
    "10.0.0.7": ["10.0.0.8", "10.0.1.7"],
    "user@corp.example": ["admin@corp.example", "user@corp.test"],
}
ANALYSER = pytest.mark.parametrize("analyser", ANALYSERS)
LANGUAGE = pytest.mark.parametrize("language", FRAMES)
STOP_WORDS = pytest.mark.parametrize("stop_words", ["none", "function"])


def search(folder: Path, texts, query: str, depth: int = 99, **changed) -> list[tuple[int, float]]:
    stage = Bm25Sparse(
        **{"analyser": "jieba", "stop_words": "function", "k1": 1.5, "b": 0.75, "method": "lucene"} | changed
    )
    folder.mkdir(exist_ok=True)
    stage.build(folder, texts)
    with stage.open(folder) as reader:
        return list(zip(*(part.tolist() for part in reader.search(query, depth))))


@ANALYSER
@LANGUAGE
@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_an_identifier_beats_its_neighbours(tmp_path: Path, analyser: str, language: str, identifier: str) -> None:
    text, query = FRAMES[language]
    texts = [text.format(one) for one in [*IDENTIFIERS[identifier], identifier, *IDENTIFIERS[identifier]]]
    hits = search(tmp_path / "i", texts, query.format(identifier), analyser=analyser)
    right = len(IDENTIFIERS[identifier])
    assert hits[0][0] == right
    assert len(hits) == 1 or hits[0][1] > hits[1][1], "not by the order of the texts"


@ANALYSER
@STOP_WORDS
@LANGUAGE
@pytest.mark.parametrize(
    ("letter", "others"), [("C", ["R", "D", "S"]), ("R", ["C", "J", "Q"]), ("A 类", ["B 类", "C 类", "Ｄ类"])]
)
def test_one_letter_decides(tmp_path: Path, analyser, stop_words, language, letter: str, others: list[str]) -> None:
    text, query = FRAMES[language]
    texts = [text.format(one) for one in [*others, letter, *others]]
    hits = search(tmp_path / "i", texts, query.format(letter), analyser=analyser, stop_words=stop_words)
    assert hits[0][0] == len(others)
    assert len(hits) == 1 or hits[0][1] > hits[1][1]


@ANALYSER
@pytest.mark.parametrize(
    ("language", "plain", "other"),
    [
        ("zh", "员工请假须经主管批准", "員工請假須經主管批准"),
        ("zh", "年假计划与报销单据", "年假計畫與報銷單據"),
        ("zh", "编号１２３的规定", "編號123的規定"),
        ("en", "ABC123 and annual leave", "ＡＢＣ１２３ and ａｎｎｕａｌ ｌｅａｖｅ"),
        ("en", "cafe E-1042", "ＣＡＦＥ Ｅ－１０４２"),
        ("mixed", "VPN 权限 E-1042 申请", "ＶＰＮ 權限 Ｅ－１０４２ 申請"),
        ("mixed", "kubernetes 集群升级", "ＫＵＢＥＲＮＥＴＥＳ 叢集 集群升級"),
    ],
)
def test_width_and_script_make_no_difference(tmp_path: Path, analyser, language, plain: str, other: str) -> None:
    fillers = ["出差补助每天一百元", "backups are kept", "出差 travel 补助"]
    for at, (text, query) in enumerate(((plain, other), (other, plain))):
        asked = search(tmp_path / f"{at}q", [*fillers, text], query, analyser=analyser)
        assert asked[0][0] == 3


@ANALYSER
@pytest.mark.parametrize(
    ("one", "other"), [("請假", "请假"), ("请假", "請假"), ("ＡＢＣ１２３", "abc123"), ("Ａ類", "a类")]
)
def test_a_term_in_another_form_scores_the_same(tmp_path: Path, analyser: str, one: str, other: str) -> None:
    texts = [f"关于{one}的规定", "the rest 其余"]
    scores = [search(tmp_path / str(at), texts, query, analyser=analyser) for at, query in enumerate((one, other))]
    assert scores[0] == scores[1] and scores[0][0][0] == 0


@ANALYSER
@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("zh", "魑魅魍魉"),
        ("en", "zyzzyva quux"),
        ("mixed", "魑魅 quux E-9999x"),
        ("en", "   "),
        ("zh", "，。？"),
        ("en", ""),
    ],
)
def test_nothing_known_finds_nothing(tmp_path: Path, analyser: str, language: str, query: str) -> None:
    texts = ["年假按工龄计算", "annual leave", "VPN 权限"]
    assert search(tmp_path / "i", texts, query, analyser=analyser) == []
    known = {"zh": "年假", "en": "annual", "mixed": "vpn"}[language]
    with_known = search(tmp_path / "i2", texts, f"{query} {known}", analyser=analyser)
    assert with_known == search(tmp_path / "i3", texts, known, analyser=analyser), "an unknown word costs nothing"


@ANALYSER
@pytest.mark.parametrize(
    ("language", "text"), [("zh", "年假按工龄计算"), ("en", "annual leave by years"), ("mixed", "年假 annual leave")]
)
@pytest.mark.parametrize("depth", [1, 3, 99])
def test_equal_texts_stand_in_chunk_order(tmp_path: Path, analyser, language, text: str, depth: int) -> None:
    texts = [text if number % 3 else f"{number} 其余 rest" for number in range(60)]
    hits = search(tmp_path / "i", texts, text, depth, analyser=analyser)
    equal = [number for number in range(60) if number % 3]
    assert [number for number, _ in hits] == equal[:depth]
    assert len({score for _, score in hits}) == 1


@ANALYSER
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ["请假", "报销", "加班", "出差", "发票", "合同"]),
        ("en", ["leave", "receipt", "overtime", "travel", "invoice", "contract"]),
        ("mixed", ["请假", "receipt", "加班", "travel", "发票", "contract"]),
    ],
)
def test_equal_sums_are_ties_in_whatever_order_they_are_added(tmp_path: Path, analyser, language, words) -> None:
    """The terms of the first text are as rare as those of the second, one by one."""
    one, other = words[:3], words[3:]
    rest = [word for at in (1, 2) for word in (one[at], other[at]) for _ in range(4 * at)]
    stage = Bm25Sparse(analyser=analyser, stop_words="none", k1=1.5, b=0.75, method="lucene")
    stage.build(tmp_path, [" ".join(one), " ".join(other), *rest])
    with stage.open(tmp_path) as reader:
        for order in permutations(other):
            for asked in ([*one, *order], [*order, *one]):
                numbers, scores = reader.search(" ".join(asked), 2)
                assert numbers.tolist() == [0, 1] and scores[0] == scores[1]
