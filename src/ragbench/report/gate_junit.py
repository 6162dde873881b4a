"""A gate as a JUnit file: one case a measure and one a test of a category, as CI services show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from ragbench.compare.table import number, signed
from ragbench.gate.loss import Loss
from ragbench.gate.result import GateResult, Outcome
from ragbench.report.gate_words import GateWords

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {Outcome.REGRESSION: "failure", Outcome.CANNOT_TELL: "error"}
_SKIPPED = (Outcome.SHOWN, Outcome.NONE)
Case = tuple[str, Outcome, str]
"""Name, outcome, and what is said of it."""


def write_gate_junit(result: GateResult, target: Path, lang: str) -> Path:
    """Write the gate and return the path; raises ConfigError for a language there are no words in."""
    data = gate_junit(result, lang)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


def gate_junit(result: GateResult, lang: str) -> bytes:
    """The gate as XML in UTF-8, whatever its texts hold. A regression is a failure, what cannot be told an error, what
    is not gated skipped."""
    words = GateWords(lang)
    cases = list(_cases(result, words))
    tags = [_TAGS.get(outcome, "skipped" if outcome in _SKIPPED else "") for _, outcome, _ in cases]
    counts = {"tests": len(cases), "failures": tags.count("failure"), "errors": tags.count("error")}
    told = {"name": f"ragbench gate {result.eval_set}", **counts, "skipped": tags.count("skipped")}
    root = ElementTree.Element("testsuites", _texts(told | {"time": 0}))
    suite = ElementTree.SubElement(root, "testsuite", _texts(told | {"time": 0}))
    for (name, outcome, text), tag in zip(cases, tags, strict=True):
        of = {"classname": f"ragbench.gate.{result.eval_set}", "name": name, "time": 0}
        case = ElementTree.SubElement(suite, "testcase", _texts(of))
        if tag:
            element = ElementTree.SubElement(case, tag, _texts({"message": text.split("\n")[0]}))
            element.text = _sound(text)
            if tag != "skipped":
                element.set("type", outcome.value)
        else:
            ElementTree.SubElement(case, "system-out").text = _sound(text)
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _cases(result: GateResult, words: GateWords) -> Iterator[Case]:
    if not result.rows or not any(row.outcome not in _SKIPPED for row in result.rows):
        yield words("comparison"), result.outcome, words.verdict(result)
    for row in result.rows:
        lines = [f"{' → '.join(map(number, row.means))}{words('semicolon')}{_figures(row.loss, words)}"]
        said = words.row_lines(row, result)
        lines = [*said, *lines] if row.outcome in _TAGS and said else [*lines, *said]
        yield f"{words.measure(row.measure)} ({row.measure})", row.outcome, "\n".join(lines)
    for one in result.categories:
        if one.outcome is Outcome.TOO_FEW:
            continue
        means = f"{number(one.loss.before)} → {number(one.loss.now)}"
        parts = (means, _figures(one.loss, words), f"{words('holm')} {number(one.p)}")
        yield words.test(one), one.outcome, words("semicolon").join(parts)


def _figures(loss: Loss, words: GateWords) -> str:
    told = {"loss": signed(loss.loss), "bound": signed(loss.bound), "margin": number(loss.margin)}
    return words("comma").join([*(f"{words(name)} {value}" for name, value in told.items()), f"n {loss.n}"])


def _texts(values: dict[str, object]) -> dict[str, str]:
    return {name: _sound(str(value)) for name, value in values.items()}


def _sound(text: str) -> str:
    """The text without what XML 1.0 cannot say."""
    return _NO_XML.sub("\ufffd", text)
