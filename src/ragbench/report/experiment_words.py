"""The wording of experiment reports: outcomes, reasons and rules in one language, and figures as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json
from ragbench.report.labels import Labels

_TEXT = Path(__file__).parent / "text"
_CHOSEN = ("tuned", "tuned_by_category", "tuned_for_all")

Row = Mapping[str, Any]


@cache
def experiment_texts(lang: str) -> Mapping[str, str]:
    """All words of experiment reports in a language."""
    found: Mapping[str, str] = read_json(_TEXT / f"experiment.{lang}.json")
    return found


@dataclass(frozen=True)
class Words:
    """The wording of one language; raises ConfigError for a language there are no words in."""

    lang: str

    def __post_init__(self) -> None:
        Labels(self.lang)

    def __call__(self, key: str, **values: object) -> str:
        """A sentence, `{names}` filled in. An unknown key is a programming error (KeyError)."""
        return experiment_texts(self.lang)[key].format(**values)

    def measure(self, name: str) -> str:
        """Name of a measure, of times too."""
        if name.startswith("per_call/"):
            return self("per_call", metric=self.measure(name.partition("/")[2]))
        if name.startswith(("diagnosis/", "judge/")):
            return self(f"derived_{name}")
        timings = {"timing/split_ms": "timing", "timing/query_ms": "query_timing"}
        return self(timings[name]) if name in timings else Labels(self.lang).measure_in_list(name)

    def variant(self, name: str) -> str:
        """A variant as the file names it, or what a rule has chosen in its own words; a measure where a rule holds
        measures against each other."""
        if "/" in name:
            return self.measure(name)
        return self(f"name_{name}") if name in _CHOSEN else name

    def outcome(self, code: str) -> str:
        """Confirmed, refuted or cannot tell."""
        return self(f"outcome_{code}")

    def reason(self, reason: Row) -> str:
        """Why nothing was decided; empty where something was."""
        return self(f"why_{reason['code']}", **reason["values"]) if reason.get("code") else ""

    def check(self, check: Row) -> str:
        """What a check claims: the file's own words, or the rule with its figures."""
        said = check["says"].get(self.lang)
        if not said:
            options = {key: self.plain(value) for key, value in check["options"].items()}
            if "target" in options:
                options["target"] = self.measure(options["target"])
            names = [self.measure(name) for name in check["metrics"]]
            lists = {"measures": self("comma").join(names), "names": self("comma").join(check.get("among", ()))}
            said = self(f"rule_{_kind(check)}", **{"metric": names[0], "other": names[-1]} | lists | options)
        asked = [check[key] for key in ("category", "language", "split", "turn", "complexity") if check.get(key)]
        if asked and not check["says"]:
            groups = self("comma").join(map(Labels(self.lang).group, asked))
            said = self("in_category", said=said, category=groups)
        return self("in_arm", arm=check["arm"], said=said) if check["arm"] and not check["says"] else said

    def plain(self, value: object) -> str:
        """A number without digits that say nothing, a list of them, a name as it is."""
        if isinstance(value, list | tuple):
            return self("comma").join(map(self.plain, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    def missing(self, one: Row) -> str:
        """Why an eval set was not measured."""
        return self(f"missing_{one['why']}", name=one["name"], detail=one["detail"])

    def test(self, test: Row) -> str:
        """What an interval was asked to satisfy; bounds of ratios are stored as logarithms."""
        low, high = (test[side] for side in ("low", "high"))
        if test["kind"] == "within":
            low, high = math.exp(low), math.exp(high)
        return self(f"test_{test['kind']}", low=f"{low:.4g}", high=f"{high:.4g}")

    def gain(self, found: Row, kind: str) -> str:
        """A gain or, in a test `within`, a ratio with its interval."""
        if found.get("mean") is None:
            return "–"
        show = times if kind == "within" else signed
        if found.get("low") is None:
            return show(found["mean"])
        return f"{show(found['mean'])} [{show(found['low'])}, {show(found['high'])}]"

    def leg_title(self, leg: Row) -> str:
        """What is held against what."""
        between = "leg_measures" if leg["metric"] == leg["a"] else "leg_tracks"
        kind = between if "/" in leg["a"] else "leg" if leg["b"] else "leg_one"
        return self(kind, a=self.variant(leg["a"]), b=self.variant(leg["b"]), metric=self.measure(leg["metric"]))

    def leg(self, leg: Row) -> str:
        """One comparison in a line: figures, pairs, and pairs of each set and language."""
        said = self.leg_title(leg)
        counts = [
            self("comma").join(f"{one['name']} {one['found']['n']}" for one in groups if not one["excluded"])
            for groups in (leg["sets"], leg["languages"])
        ]
        inside = self("semicolon").join(filter(None, counts))
        found = f"{said}{self('colon')}{self.gain(leg['pooled'], leg['test']['kind'])}, n {leg['pooled']['n']}"
        return f"{found} ({inside})" if inside else found

    def check_line(self, check: Row) -> str:
        """A check, its outcome, why, and the comparison that decided or did not."""
        parts = [self.outcome(check["outcome"])]
        reason = self.reason(check["reason"])
        parts += [reason] if reason else []
        legs = [leg for leg in check["legs"] if leg["pooled"]["n"]]
        deciding = next((leg for leg in legs if leg["outcome"] == check["outcome"]), next(iter(legs), None))
        parts += [self.leg(deciding)] if deciding else []
        return f"{self.check(check)}{self('colon')}{self('semicolon').join([*parts, *self.facts(check)])}"

    def facts(self, check: Row) -> list[str]:
        """What a rule found on the way: the knee, or the best by each measure."""
        facts = check["facts"]
        if "knee" in facts:
            return [self("best_knee", best=facts["best"], knee=facts["knee"])]
        if "best_low" in facts:
            found = (facts["best"], facts["best_low"], facts["best_high"], facts["n"])
            sets = [self("best_in", name=name, **_best(one)) for name, one in facts["best_by_set"].items()]
            return [self("best_lies", **_best(found)), self("comma").join(sets)]
        if "chosen" in facts:
            shares = [f"{name} {share:.0%}" for name, share in facts["chosen"].items()]
            return [self("chosen", values=self("comma").join(shares))] if shares else []
        if "correlations" in facts or "overlap" in facts:
            return self._rated(facts)
        best = facts.get("best_by") or {}
        return [self("best_of", metric=self.measure(name), best=value or "–") for name, value in best.items()]

    def _rated(self, facts: Row) -> list[str]:
        """How far measures go with a target, or what stands beside a judge's agreement with people."""
        if "overlap" in facts:
            return [self("agreement", **{name: _decimals(facts[name]) for name in ("overlap", "among")})]
        found = [
            f"{self.measure(name)} {_decimals(mean)} [{_decimals(low)}, {_decimals(high)}]"
            for name, (mean, low, high) in facts["correlations"].items()
        ]
        return [self("correlations", target=self.measure(facts["target"]), values=self("comma").join(found))]

    def verdict_line(self, found: Row) -> str:
        """The verdict, each check with its interval and pairs, and what is missing: one line, the last one printed."""
        parts = [self.check_line(check) for check in found["checks"]]
        parts += unavailable_lines(found, self)
        if found["missing"]:
            parts.append(self("missing", names=self("comma").join(one["name"] for one in found["missing"])))
        said = f"{self('verdict')}{self('colon')}{self.outcome(found['verdict'])}"
        return self("dash").join([said, " | ".join(parts)]) if parts else said


def signed(value: float) -> str:
    """A difference with its sign: `+0.041`, `−12.3`; nothing is `0`."""
    if value == 0:
        return "0"
    digits = f"{abs(value):.3f}" if abs(value) < 10 else f"{abs(value):,.1f}"
    return f"{'+' if value > 0 else '−'}{digits}"


def _decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def times(log: float) -> str:
    """A ratio from its natural logarithm: `×312`."""
    value = math.exp(log)
    return f"×{value:,.0f}" if value >= 100 else f"×{value:.3g}"


def _kind(check: Row) -> str:
    """Which of the wordings of its rule a check has."""
    if check["options"].get("percent"):
        return "better_than_percent"
    if check["rule"] != "ratio":
        return str(check["rule"])
    if check["options"].get("percentile"):
        return "ratio_percentile"
    return "ratio" if check["metrics"][0].startswith(("timing/", "cost/")) else "ratio_of"


def _best(found: Sequence[Any]) -> dict[str, Any]:
    best, low, high, n = found
    return {"best": best, "low": f"{low:g}", "high": f"{high:g}", "n": n}


def unavailable_lines(found: Row, words: Words) -> list[str]:
    """Variants that take no part: optional ones with the model they lack, once for all sets, and those of a replay
    without all recordings."""
    rows = {(one["variant"], one["model"]) for one in found.get("unavailable", ())}
    lines = [words("missing_model", variant=variant, model=model) for variant, model in sorted(rows)]
    places: dict[str, list[str]] = {}
    for one in found.get("unrecorded", ()):
        places.setdefault(one["variant"], []).append(one["set"])
    return lines + [
        words("missing_recording", variant=variant, sets=words("comma").join(dict.fromkeys(sets)))
        for variant, sets in places.items()
    ]


def joined(parts: Sequence[str]) -> str:
    """Non-empty parts with a dot between."""
    return " · ".join(filter(None, parts))
