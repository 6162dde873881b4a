"""The wording of a gate in one language: outcomes, reasons and notes as sentences, figures as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragbench.compare.table import number
from ragbench.core.codec import read_json
from ragbench.core.surrogates import without_surrogates
from ragbench.gate.result import CategoryRow, GateResult, Outcome, Reason, Row
from ragbench.report.labels import Labels
from ragbench.report.view_judge import judge_notes

_TEXT = Path(__file__).parent / "text"
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
_MOST = 8
"""Ids, keys or tests that are named one by one."""

Mark = Callable[[str], str]
"""How text that is not ours – ids, names, values – is set among our words."""


def printable(text: str) -> str:
    """The text in one line without signs that steer a terminal or turn the direction of writing, nor surrogates."""
    return _UNPRINTABLE.sub("\ufffd", " ".join(without_surrogates(text).split()))


@cache
def gate_texts(lang: str) -> Mapping[str, str]:
    """All words of gates in a language."""
    found: Mapping[str, str] = read_json(_TEXT / f"gate.{lang}.json")
    return found


@dataclass(frozen=True)
class GateWords:
    """The wording of one language; `mark` sets foreign text, `measure_ids` names measures as `gate.measures` does.
    Raises ConfigError for a language there are no words in."""

    lang: str
    mark: Mark = printable
    measure_ids: bool = False

    def __post_init__(self) -> None:
        Labels(self.lang)

    def __call__(self, key: str, /, **values: object) -> str:
        """A sentence, `{names}` filled in. An unknown key is a programming error (KeyError)."""
        return gate_texts(self.lang)[key].format(**values)

    def measure(self, name: str) -> str:
        """Name of a measure."""
        return name if self.measure_ids else Labels(self.lang).measure_in_list(name)

    def category(self, name: str) -> str:
        """Name of a category; one that has no words here is foreign text."""
        said = name if self.measure_ids else Labels(self.lang).group(name)
        return self.mark(said) if said == name else said

    def outcome(self, outcome: Outcome) -> str:
        """What is said of a test."""
        return self(f"outcome_{outcome.value}")

    def verdict(self, result: GateResult) -> str:
        """The outcome of the gate and what decided it, in a line."""
        unsure = [row.measure for row in result.rows if row.outcome is Outcome.UNCONFIRMED]
        if result.outcome is Outcome.PASS and unsure:
            return self("verdict_pass_unconfirmed", tests=self._list(map(self.measure, unsure)))
        if result.outcome is Outcome.PASS:
            return self("verdict_pass")
        if result.outcome is Outcome.REGRESSION:
            return self("verdict_regression", tests=self._list(self._regressions(result)))
        return self("verdict_cannot_tell", why=self._untold(result))

    def _regressions(self, result: GateResult) -> Iterator[str]:
        yield from (self.measure(row.measure) for row in result.rows if row.outcome is Outcome.REGRESSION)
        for one in result.categories:
            if one.outcome is Outcome.REGRESSION:
                yield self.test(one)

    def test(self, one: CategoryRow) -> str:
        """A measure in a category."""
        return self._in_category(one.category, one.measure)

    def _in_category(self, category: str, measure: str) -> str:
        return self("in_category", measure=self.measure(measure), category=self.category(category))

    def _untold(self, result: GateResult) -> str:
        """Reasons of the whole, else measures by their reasons: several of one reason are told together."""
        if result.reasons:
            return self("semicolon").join(self.reason(one, result) for one in result.reasons)
        by_reason: dict[str, list[str]] = {}
        for row in result.rows:
            if row.outcome is Outcome.CANNOT_TELL:
                said = self("semicolon").join(self.reason(one, result) for one in row.reasons)
                by_reason.setdefault(said, []).append(self.measure(row.measure))
        if not by_reason:
            return self("note_nothing_tested")
        return self("semicolon").join(f"{self._list(of)}{self('colon')}{said}" for said, of in by_reason.items())

    def reason(self, reason: Reason, result: GateResult) -> str:
        """Why a test, or the whole gate, is not a plain pass."""
        values = dict(reason.values)
        if reason.code == "judge":
            translated = judge_notes({"judge_card": result.judge_card}, Labels(self.lang))
            said = list(values["why"]) if self.lang == "en" else translated
            return self("why_judge", why=self("semicolon").join(map(self.mark, said)))
        if reason.code == "no_baseline":
            values["run"] = result.run_id
        named = {name: self._value(value) for name, value in values.items()}
        if "measure" in values:
            named["measure"] = str(values["measure"])
        return self(f"why_{reason.code}", **named)

    def row_lines(self, row: Row, result: GateResult) -> list[str]:
        """What stands behind a measure: reasons, then `counts`."""
        return [*(self.reason(one, result) for one in row.reasons), *self.counts(row)]

    def beside(self, row: Row, result: GateResult) -> list[str]:
        """As `row_lines`, without reasons that the verdict of the gate tells already."""
        told = row.outcome is Outcome.CANNOT_TELL and result.outcome is Outcome.CANNOT_TELL
        return self.counts(row) if told else self.row_lines(row, result)

    def counts(self, row: Row) -> list[str]:
        """FAILED cells of a measure, and questions it applied to on one side alone."""
        lines = []
        if any(row.failed):
            lines.append(self("why_failed", before=row.failed[0], now=row.failed[1]))
        for code, ids in (("vanished", row.vanished), ("appeared", row.appeared)):
            if ids:
                lines.append(self(f"why_{code}", n=len(ids), ids=self._list(map(self.mark, ids))))
        return lines

    def note(self, note: Reason, result: GateResult) -> str:
        """What stands beside the outcome."""
        values = note.values
        key = f"note_{note.code}"
        if note.code == "changed":
            told = [self._change(*one) for one in values["changes"]]
            return self(key, n=len(told), changes=self._list(told))
        if note.code == "other_runtime":
            return self(key, **_apart(values["before"], values["now"], self.mark))
        if note.code == "old_baseline":
            rooms = (f"{self.measure(name)} {number(room)}" for name, room in values["measures"].items())
            return self(key, measures=self._list(rooms), run=self.mark(result.run_id))
        if note.code == "categories_unconfirmed":
            return self(key, tests=self._list(self._in_category(*one) for one in values["tests"]))
        if note.code == "too_few":
            few = (f"{self.category(name)} {n}" for name, n in values["categories"].items())
            return self(key, categories=self._list(few))
        if "measures" in values:
            return self(key, measures=self._list(map(self.measure, values["measures"])))
        return self(key, **{name: self._value(value) for name, value in values.items()})

    def judge_lines(self, result: GateResult) -> list[str]:
        """How far the judge agrees with planted truths and with people, where a judged measure is to decide."""
        card = result.judge_card
        if not card or not any(row.judged and row.outcome is not Outcome.SHOWN for row in result.rows):
            return []
        lines = [
            self("note_planted", part=self(f"part_{part}"), language=Labels(self.lang).group(language),
                 value=number(row["balanced_accuracy"]), bound=number(row["bound"]))
            for part, of in card["planted"].items()
            for language, row in of.items()
        ]  # fmt: skip
        people = [self._people(one) for one in card["people"] if one["value"] is not None]
        lines += [self("note_people", people=self("comma").join(people))] if people else []
        noise = card.get("noise")
        return lines + (
            [self("note_noise", changed=f"{noise['changed']:.1%}", repeats=noise["repeats"])] if noise else []
        )

    def _people(self, one: Mapping[str, Any]) -> str:
        words = "" if one["overlap"] is None else f" ({self('by_words', value=number(one['overlap']))})"
        return f"{one['title']} {one['measure'].split()[0]} {number(one['value'])}{words}"

    def _change(self, key: str, before: object, now: object) -> str:
        return self("change", key=self.mark(key), before=self.mark(_short(before)), now=self.mark(_short(now)))

    def _value(self, value: object) -> str:
        if isinstance(value, list | tuple):
            return self._list([self.mark(str(one)) for one in value])
        return number(value) if isinstance(value, float) else self.mark(str(value))

    def _list(self, items: Iterator[str] | Sequence[str]) -> str:
        found = list(items)
        shown = self("comma").join(found[:_MOST])
        return shown if len(found) <= _MOST else self("and_more", shown=shown, n=len(found) - _MOST)


def _short(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _apart(before: Any, now: Any, mark: Mark) -> dict[str, str]:
    """What two runtimes differ in; their names where one of them is none."""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        names = [one.get("runtime") if isinstance(one, Mapping) else one for one in (before, now)]
        return {"before": mark(_short(names[0])), "now": mark(_short(names[1]))}
    keys = [key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key)]
    sides = {"before": before, "now": now}
    return {name: mark(", ".join(f"{key} {_short(of.get(key))}" for key in keys)) for name, of in sides.items()}
