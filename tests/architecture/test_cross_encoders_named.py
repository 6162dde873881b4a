"""Nothing that is not a cross-encoder is called one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
OTHERS = r"(?:late[ _-]interaction|max[ _-]?sim|logistic[ _-]fusion|\bmmr\b|reranker=(?:llm|api|none)|chat model|迟交互|逐词交互)"
CROSS = r"(?:cross[ _-]?encoders?|交叉编码(?:器|模型)?)"
CLAIMS = [
    re.compile(rf"{OTHERS}[`*\"”]*(?: reranker)?,?(?: which)? (?:is|are|as|acts as|serves as|means)(?: an?| the| our)? (?:\w+ )?{CROSS}", re.IGNORECASE),
    re.compile(rf"{CROSS}[`*]*,? ?(?:\(|（|such as|like|called|named|namely|i\.e\.)\s?[`*]*{OTHERS}", re.IGNORECASE),
    re.compile(rf"{OTHERS}[`*]* ?(?:\(|（)(?:an? |the )?{CROSS}", re.IGNORECASE),
    re.compile(rf"{OTHERS}[`*]* ?(?:就?是|属于|作为|即)(?:一种|一个)?{CROSS}", re.IGNORECASE),
]  # fmt: skip
DENIED = re.compile(r"\b(?:is|are) (?:not|no|never)\b|不是|并非", re.IGNORECASE)


def claims(text: str) -> list[str]:
    """Passages that call something else a cross-encoder."""
    flat = re.sub(r"\s+", " ", text)
    found = [match[0] for pattern in CLAIMS for match in pattern.finditer(flat)]
    return [words for words in found if not DENIED.search(words)]


def written() -> list[Path]:
    own = (path for kind in ("md", "yaml", "py", "json", "html") for path in ROOT.glob(f"*/**/*.{kind}"))
    kept = ("src", "configs", "docs", "experiments", "benchmarks")
    return sorted([path for path in own if path.relative_to(ROOT).parts[0] in kept] + list(ROOT.glob("*.md")))


def test_no_text_calls_another_reranker_a_cross_encoder() -> None:
    wrong = {
        path.relative_to(ROOT).as_posix(): found for path in written() if (found := claims(path.read_text("utf-8")))
    }
    assert not wrong


@pytest.mark.parametrize(
    "text",
    [
        "`late_interaction` is a cross-encoder",
        "MaxSim serves as our small cross encoder.",
        "a cross-encoder (late interaction)",
        "cross-encoders such as `mmr`",
        "reranker=llm (a cross-encoder)",
        "late_interaction 就是一种交叉编码器",
        "交叉编码器（MaxSim）",
    ],
)
def test_a_false_name_would_be_found(text: str) -> None:
    assert claims(text)


@pytest.mark.parametrize(
    "text",
    [
        "Late interaction is not a cross-encoder.",
        "No cross-encoder weights are bundled; `late_interaction` is the default.",
        "late_interaction 不是交叉编码器",
        "sweep reranker=late_interaction,cross_encoder",
    ],
)
def test_true_words_pass(text: str) -> None:
    assert not claims(text)


def test_only_the_module_of_that_name_loads_or_names_one() -> None:
    loading, classes = set(), set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "crossencoder" not in text.lower():
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and node.attr == "CrossEncoder":
                loading.add(path.name)
            if isinstance(node, ast.ClassDef) and "crossencoder" in node.name.lower():
                classes.add(path.name)
    assert loading == classes == {"cross_encoder.py"}


def test_the_configuration_of_that_name_alone_targets_it() -> None:
    named = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["_target_"]
        for path in (ROOT / "configs" / "reranker").glob("*.yaml")
    }
    assert [name for name, target in named.items() if "cross_encoder" in target.lower()] == ["cross_encoder"]
