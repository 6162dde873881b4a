"""The verdict rules an experiment file may name, and what each must be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragbench.experiment.fields import Fields, shown
from ragbench.experiment.study import QUERY_TIMING, QUESTION_FACETS, TIMING, Check
from ragbench.measure.registry import measure


@dataclass(frozen=True, slots=True)
class Form:
    """What a rule is told: variants by these names, numbers with these defaults (None: must be given), `lists` of
    numbers, `n_metrics` (0: two or more).

    `ordered` rules need a varied key whose values are numbers. `choices` may be left out: the variants that take part
    (`among`), and the questions (`study.QUESTION_FACETS`).
    """

    variants: tuple[str, ...] = ()
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    n_metrics: int = 1
    ordered: bool = False
    choices: tuple[str, ...] = ()


_QUESTIONS = QUESTION_FACETS

FORMS: Mapping[str, Form] = {
    "better_than": Form(("a", "b"), {"by": 0.0, "percent": 0.0}, choices=_QUESTIONS),
    "not_worse_than": Form(("a", "b"), {"margin": None}, choices=_QUESTIONS),
    "gain_at_most": Form(("a", "b"), {"margin": None}, choices=_QUESTIONS),
    "order": Form((), {"by": 0.0}, choices=("among",)),
    "steps": Form((), {"factor": None}, ("gains",), choices=("among",)),
    "rises": Form(("variant",), {"by": 0.0}, n_metrics=0),
    "falls": Form(("variant",), {"by": 0.0}, n_metrics=0),
    "order_per_call": Form(("over",), {"by": 0.0}, choices=("among", *_QUESTIONS)),
    "mean_between": Form(("variant",), {"low": None, "high": None}, choices=_QUESTIONS),
    "beats_both_ends": Form(("value",), {"by": 0.0}, ordered=True),
    "flat_around": Form(("value",), {"margin": None}, choices=("among",)),
    "tuned_gain_at_most": Form(("value",), {"margin": None}, choices=("among", *_QUESTIONS)),
    "best_near": Form((), {"value": None, "within": None}, ordered=True, choices=_QUESTIONS),
    "category_gain": Form((), {"by": 0.0}, choices=("among",)),
    "no_gain_above": Form(("value",), {"margin": None}, ordered=True),
    "knee": Form((), {"margin": None}, ordered=True),
    "best_differs": Form((), {"margin": None}, n_metrics=2),
    "ratio": Form(("a", "b"), {"low": None, "high": None, "percentile": 0.0}, choices=_QUESTIONS),
}
_SHARED = ("rule", "metric", "metrics", "arm", "sets", "needs", "says")


def read_check(fields: Fields, variants: Sequence[str], arms: Sequence[str]) -> Check | None:
    """One entry of `verdict`; None, and a line in `fields.problems`, for a rule there is not."""
    rule = str(fields.data.get("rule"))
    form = FORMS.get(rule)
    if form is None:
        fields.wrong("rule", f"one of {', '.join(FORMS)}", rule)
        return None
    fields.only((*_SHARED, *form.variants, *form.numbers, *form.lists, *form.choices))
    options: dict[str, str | float | tuple[float, ...]] = {}
    for name in form.variants:
        options[name] = shown(fields.data.get(name))
        if options[name] not in variants:
            fields.wrong(name, f"one of {', '.join(variants)}", str(options[name]))
    for name, default in form.numbers.items():
        options[name] = fields.number(name, default)
    for name in form.lists:
        options[name] = fields.numbers(name)
    return Check(
        rule=rule,
        metrics=_metrics(fields, form),
        options=options,
        arm=_arm(fields, arms),
        sets=tuple(map(str, fields.items("sets"))) if "sets" in fields.data else (),
        among=_among(fields, variants),
        **{name: fields.text(name) for name in QUESTION_FACETS if name in fields.data},
        needs=fields.needs(),
        says=fields.words("says") if "says" in fields.data else {},
    )


def _among(fields: Fields, variants: Sequence[str]) -> tuple[str, ...]:
    names = tuple(shown(name) for name in fields.items("among")) if "among" in fields.data else ()
    for name in names:
        if name not in variants:
            fields.wrong("among", f"some of {', '.join(variants)}", name)
    fields.distinct("among", names)
    if len(names) == 1:
        fields.wrong("among", "at least two", names[0])
    return names


def _metrics(fields: Fields, form: Form) -> tuple[str, ...]:
    if form.n_metrics == 1:
        names = [fields.text("metric")]
    else:
        names = [str(name) for name in fields.items("metrics")]
        if names and (len(names) != form.n_metrics if form.n_metrics else len(names) < 2):
            fields.wrong("metrics", f"{form.n_metrics or 'at least 2'} of them", str(len(names)))
    rule = fields.data["rule"]
    for name in filter(None, names):
        if name.startswith("timing/") and (name not in (TIMING, QUERY_TIMING) or rule != "ratio"):
            fields.wrong("metric", f"{TIMING} or {QUERY_TIMING} in a ratio, or a measure", name)
    return tuple(name if name.startswith("timing/") or not name else _spelled(name) for name in names)


def _spelled(name: str) -> str:
    """The one spelling of a measure; an unknown one stays, and is found not to be among the metrics."""
    try:
        return str(measure(name).name)
    except Exception:  # the metrics of the file are where an unknown measure is told
        return name


def _arm(fields: Fields, arms: Sequence[str]) -> str:
    if len(arms) == 1 and "arm" not in fields.data:
        return arms[0]
    arm = str(fields.data.get("arm"))
    if arm not in arms:
        fields.wrong("arm", f"one of {', '.join(filter(None, arms)) or 'none, as there are no arms'}", arm)
    return arm
