"""The verdict rules an experiment file may name, and what each must be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragbench.errors import RagbenchError
from ragbench.experiment.fields import Fields, shown
from ragbench.experiment.study import AGREEMENT, DERIVED, QUESTION_FACETS, Check, is_derived
from ragbench.measure.registry import measure


@dataclass(frozen=True, slots=True)
class Form:
    """What a rule is told: variants by these names, numbers with these defaults (None: must be given), `lists` of
    numbers, `n_metrics` (0: two or more).

    `ordered` rules need a varied key whose values are numbers. `choices` may be left out: the variants that take part
    (`among`), and the questions (`study.QUESTION_FACETS`). `texts` are words: `target` a measure, `people` a
    human-labelled set. `derived` is what alone its measure may begin with (empty: it reads measures), `diagnosed` lets
    it read what the diagnosis says.
    """

    variants: tuple[str, ...] = ()
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    n_metrics: int = 1
    ordered: bool = False
    choices: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    derived: str = ""
    diagnosed: bool = False


_QUESTIONS = QUESTION_FACETS

FORMS: Mapping[str, Form] = {
    "better_than": Form(("a", "b"), {"by": 0.0, "percent": 0.0}, choices=_QUESTIONS, diagnosed=True),
    "not_worse_than": Form(("a", "b"), {"margin": None}, choices=_QUESTIONS, diagnosed=True),
    "gain_at_most": Form(("a", "b"), {"margin": None}, choices=_QUESTIONS, diagnosed=True),
    "order": Form((), {"by": 0.0}, choices=("among",)),
    "steps": Form((), {"factor": None}, ("gains",), choices=("among",)),
    "rises": Form(("variant",), {"by": 0.0}, n_metrics=0),
    "falls": Form(("variant",), {"by": 0.0}, n_metrics=0),
    "order_per_call": Form(("over",), {"by": 0.0}, choices=("among", *_QUESTIONS)),
    "mean_between": Form(("variant",), {"low": None, "high": None}, choices=_QUESTIONS, diagnosed=True),
    "beats_both_ends": Form(("value",), {"by": 0.0}, ordered=True),
    "flat_around": Form(("value",), {"margin": None}, choices=("among",)),
    "tuned_gain_at_most": Form(("value",), {"margin": None}, choices=("among", *_QUESTIONS)),
    "best_near": Form((), {"value": None, "within": None}, ordered=True, choices=_QUESTIONS),
    "category_gain": Form((), {"by": 0.0}, choices=("among",)),
    "no_gain_above": Form(("value",), {"margin": None}, ordered=True),
    "knee": Form((), {"margin": None}, ordered=True),
    "best_differs": Form((), {"margin": None}, n_metrics=2),
    "repaired_between": Form(("a", "b"), {"low": None, "high": None}, choices=_QUESTIONS, diagnosed=True),
    "tracks_better": Form((), {"by": 0.0}, n_metrics=0, choices=("among",), texts=("target",)),
    "agrees": Form(("variant",), {"low": None}, texts=("people",), derived=AGREEMENT),
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
    fields.only((*_SHARED, *form.variants, *form.numbers, *form.lists, *form.choices, *form.texts))
    options: dict[str, str | float | tuple[float, ...]] = {}
    for name in form.variants:
        options[name] = shown(fields.data.get(name))
        if options[name] not in variants:
            fields.wrong(name, f"one of {', '.join(variants)}", str(options[name]))
    for name, default in form.numbers.items():
        options[name] = fields.number(name, default)
    for name in form.lists:
        options[name] = fields.numbers(name)
    for name in form.texts:
        options[name] = _spelled(fields.text(name)) if name == "target" else fields.text(name)
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
    for name in filter(None, names):
        _derived(fields, form, name)
    return tuple(name if is_derived(name) or not name else _spelled(name) for name in names)


def _derived(fields: Fields, form: Form, name: str) -> None:
    """What is no measure is read by the rules it is for: times in a ratio, figures of judges in `agrees`."""
    times = DERIVED["timing/"]
    if form.derived:
        if name not in DERIVED[form.derived]:
            fields.wrong("metric", " or ".join(DERIVED[form.derived]), name)
    elif name.startswith("timing/") and (name not in times or fields.data["rule"] != "ratio"):
        fields.wrong("metric", f"{' or '.join(times)} in a ratio, or a measure", name)
    elif name.startswith("diagnosis/") and not (form.diagnosed and name in DERIVED["diagnosis/"]):
        diagnosed = [rule for rule, one in FORMS.items() if one.diagnosed]
        known = " or ".join(DERIVED["diagnosis/"])
        fields.wrong("metric", f"{known} in one of {', '.join(diagnosed)}, or a measure", name)
    elif name.startswith(AGREEMENT):
        fields.wrong("metric", "a measure", name)


def _spelled(name: str) -> str:
    """The one spelling of a measure; an unknown one stays, and is found not to be among the metrics."""
    try:
        return str(measure(name).name)
    except RagbenchError:  # the metrics of the file are where an unknown measure is told
        return name


def _arm(fields: Fields, arms: Sequence[str]) -> str:
    if len(arms) == 1 and "arm" not in fields.data:
        return arms[0]
    arm = str(fields.data.get("arm"))
    if arm not in arms:
        fields.wrong("arm", f"one of {', '.join(filter(None, arms)) or 'none, as there are no arms'}", arm)
    return arm
