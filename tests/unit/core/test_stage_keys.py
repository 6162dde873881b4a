"""Every option of every slot: what changes results changes the fingerprint, and nothing else does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from importlib.resources import files
from typing import Any

import pytest

from ragbench.core import stage as stage_module
from ragbench.core.stage import Stage
from ragbench.errors import RagbenchError
from ragbench.run.build import instantiate
from ragbench.run.compose import SLOTS, compose, options

PARTS = ("corpus", "judge", "llm", "classifier", "rewriter")
NOTHING = {(part, "none") for part in ("llm", "classifier", "rewriter")}
"""Options that are the absence of a stage."""
GIVEN = {
    ("llm", "chat"): ("llm.base_url=https://a.test/v1", "llm.model=m"),
    ("classifier", "llm"): ("llm=ollama",),
    ("classifier", "tiered"): ("llm=ollama",),
    ("rewriter", "llm"): ("llm=ollama",),
}
"""What some options cannot do without."""
IDENTIFIED = ("sha256", "tokenizer")
"""Fields that equality leaves out and `identity` tells: the content of a file."""
OPTIONS = [(slot, option) for slot in (*SLOTS, *PARTS) for option in options(slot) if (slot, option) not in NOTHING]
WORDS = (
    "chars", "words", "tokens", "bigram", "jieba", "robertson", "atire", "rrf", "weighted_rrf", "alpha", "combsum", "combmnz", "dbsf", "isr",
    "truncate", "window_mean", "numpy", "q4", "fp32", "lexical", "maxsim", "trail", "title", "none", "zh", "https://b.test/v1",
    "other: ", "a/model", "10%", "std", "own", "zscore", "jina", "listwise", "grades", "raise", "keep", "oldest_first", "dense", "loose", "flag",
    "rest", "simple", "moderate", "context", "ranking",
)  # fmt: skip


def made(slot: str, option: str) -> Stage:
    data = compose([f"{slot}={option}", *GIVEN.get((slot, option), ())]).data
    stage = instantiate(data["pipeline"][slot] if slot in SLOTS else data[slot], slot, ["ragbench."])
    assert isinstance(stage, Stage)
    return stage


def other_values(value: Any) -> Iterator[Any]:
    """Values a field might also have; most do not fit it."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value * 2, value / 2, value + 0.1, value - 0.1, 0.5)
    elif isinstance(value, dict) and not value:
        yield {"top_p": 0.5}
    elif isinstance(value, dict):
        yield from ({**value, key: other} for key, item in value.items() for other in other_values(item))
    elif isinstance(value, tuple):
        yield from (value[:-1], *((word,) for word in ("sparse", "dense")), ("lookup", "procedure"))
    elif isinstance(value, Stage):
        yield from (changed for field in fields(value) if field.compare for changed in variants(value, field.name))
    elif value is None:
        yield from (7, 64, 1500, 0.25, True, {"a": 2.0, "b": 0.5}, *WORDS)
    else:
        yield from WORDS


def variants(stage: Stage, name: str) -> Iterator[Stage]:
    """The stage with another value of one field, for each value that it accepts."""
    for value in other_values(getattr(stage, name)):
        try:
            changed = replace(stage, **{name: value})
            changed.resolved().fingerprint()
        except (RagbenchError, TypeError, ValueError):
            continue
        if changed != stage:
            yield changed


def reading(stage: Stage, name: str) -> tuple[Stage, list[Stage]]:
    """The stage, or one with another field changed where it does not read `name` or no other value of it fits.

    With it its variants in that field; none where nothing was found.
    """
    others = (changed for field in fields(stage) if field.name != name for changed in variants(stage, field.name))
    for base in (stage, *others):
        if name not in base.idle_fields():
            real = [changed for changed in variants(base, name) if changed.resolved() != base.resolved()]
            if real:
                return base, real
    return stage, []


@pytest.fixture(scope="module", autouse=True)
def other_model(tmp_path_factory):
    """Other model files of logistic fusion and of the classifier, in the list of words while this module runs."""
    global WORDS
    folder = tmp_path_factory.mktemp("model")

    def other(package: str, name: str, **changes: Any) -> str:
        model = json.loads((files(package) / f"{name}.json").read_text(encoding="utf-8"))
        path = folder / f"{name}{len(list(folder.iterdir()))}.json"
        path.write_text(json.dumps(model | {"bias": _moved(model["bias"])} | changes), encoding="utf-8")
        return str(path)

    labels = [
        other("ragbench.query.classifier", "complexity_model"),
        other("ragbench.query.classifier", "category_model"),
        other("ragbench.query.classifier", "complexity_model", label="answerable"),
    ]
    WORDS, kept = (*WORDS, other("ragbench.reranker", "fusion_model"), *labels), WORDS
    yield
    WORDS = kept


def _moved(bias: Any) -> Any:
    return [one + 1 for one in bias] if isinstance(bias, list) else bias + 1


@pytest.fixture(scope="module")
def stages() -> dict[tuple[str, str], Stage]:
    return {pair: made(*pair) for pair in OPTIONS}


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_a_field_that_changes_results_has_no_default(stages, pair):
    for field in fields(stages[pair]):
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        assert has_default is not field.compare, field.name


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_a_field_that_changes_results_changes_the_fingerprint(stages, pair):
    stage = stages[pair]
    for field in fields(stage):
        if not field.compare:
            continue
        base, real = reading(stage, field.name)
        assert real, f"no other value found for {field.name}: add one to WORDS"
        seen = {changed.resolved().fingerprint() for changed in real}
        assert base.resolved().fingerprint() not in seen, field.name
        assert len(seen) == len({repr(changed.resolved()) for changed in real}), field.name


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_an_operational_field_changes_nothing(stages, pair):
    stage = stages[pair]
    for field in fields(stage):
        if field.compare or field.name in IDENTIFIED:
            continue
        for value in other_values(getattr(stage, field.name)):
            try:
                changed = replace(stage, **{field.name: value})
            except (RagbenchError, TypeError):
                continue
            assert changed == stage, field.name
            assert changed.fingerprint() == stage.fingerprint(), field.name


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_numbers_and_lists_are_compared_by_value(stages, pair):
    stage = stages[pair]
    for field in fields(stage):
        value = getattr(stage, field.name)
        same = {int: float, float: float, tuple: list, list: tuple}.get(type(value))
        if same is None or not field.compare:
            continue
        try:
            changed = replace(stage, **{field.name: same(value)})
        except RagbenchError:
            continue  # a count that takes no 5.0
        assert changed.fingerprint() == stage.fingerprint(), field.name


def test_the_hash_of_a_model_file_is_in_the_fingerprint(stages) -> None:
    stage = stages["llm", "gguf"]
    assert replace(stage, sha256="0" * 64).fingerprint() != stage.fingerprint()


def test_whole_floats_and_tuples_are_their_plain_forms(stages):
    bm25 = stages["sparse", "bm25"]
    assert replace(bm25, k1=2).fingerprint() == replace(bm25, k1=2.0).fingerprint()
    assert replace(bm25, k1=2).fingerprint() != replace(bm25, k1=2.5).fingerprint()


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_version_and_libraries_are_in_the_fingerprint(stages, pair, monkeypatch):
    stage = stages[pair]
    before = stage.fingerprint()
    with monkeypatch.context() as patch:
        patch.setattr(type(stage), "VERSION", type(stage).VERSION + 1)
        assert stage.fingerprint() != before
    if stage.LIBRARIES:
        with monkeypatch.context() as patch:
            patch.setattr(stage_module, "library_version", lambda name: "another")
            assert stage.fingerprint() != before
    assert stage.fingerprint() == before


def test_no_two_options_of_a_slot_share_a_fingerprint(stages):
    for slot in (*SLOTS, *PARTS):
        found = [stages[pair].fingerprint() for pair in OPTIONS if pair[0] == slot]
        assert len(set(found)) == len(found), slot


@pytest.mark.parametrize("pair", OPTIONS, ids="/".join)
def test_resolving_twice_changes_nothing_and_made_again_it_is_equal(stages, pair):
    stage = stages[pair]
    assert stage.resolved().resolved() == stage.resolved()
    assert made(*pair) == stage
    assert made(*pair).fingerprint() == stage.fingerprint()
