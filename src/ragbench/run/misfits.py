"""What a configuration asks for and its stages cannot give: knobs nobody reads, vectors the embedder does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ragbench.core.stage import Stage
from ragbench.errors import ConfigError
from ragbench.generator.chat import no_model
from ragbench.llm.within import models_within
from ragbench.packer.blocks import BlockPacker
from ragbench.pipeline.pipeline import Pipeline
from ragbench.run.compose import SLOTS, Composed
from ragbench.run.grid import JUDGE_LLM

_CHILDREN_A_PARENT = 3
_OWNERS = {"chunk_size": "splitter", "chunk_unit": "splitter", "overlap": "splitter", "alpha": "retriever"}


def unused_knobs(composed: Composed, slots: Mapping[str, Any]) -> list[str]:
    """One line for each knob given on the command line that the chosen stages do not read: the stage has no such
    field, or its other fields leave it idle."""
    lines = []
    for item in composed.overrides:
        key = item.lstrip("+").partition("=")[0]
        parts = key.split(".")
        if key in _OWNERS:
            slot, field = _OWNERS[key], key
        elif parts[0] == "pipeline" and len(parts) > 2 and parts[1] in SLOTS and parts[2] != "_target_":
            slot, field = parts[1], parts[2]
        else:
            continue
        stage, option = slots.get(slot), composed.choices.get(slot, "?")
        if stage is not None and not hasattr(stage, field):
            lines.append(f"{key}: the chosen {slot} ({option}) has no such knob")
        elif stage is not None and field in stage.idle_fields():
            lines.append(f"{key}: the chosen {slot} ({option}) does not use it with {stage.idle_fields()[field]}")
    return lines


def idle_slots(composed: Composed, pipeline: Pipeline, unread: Sequence[str]) -> list[str]:
    """One line for each choice or knob given on the command line of a slot that nothing reads; operational fields
    (folders, batch sizes) may stay."""
    lines = []
    for item in composed.overrides:
        parts = item.lstrip("+").partition("=")[0].removeprefix("pipeline.").split(".")
        if parts[0] not in unread:
            continue
        stage = getattr(pipeline, parts[0])
        operational = {field.name for field in fields(stage) if not field.compare}
        if len(parts) > 1 and parts[1] in operational:
            continue
        reader = composed.choices.get("retriever", "?")
        lines.append(f"{item}: nothing in this variant (retriever {reader}) reads the {parts[0]}")
    return [*lines, *_idle_transform(composed, pipeline)]


def _idle_transform(composed: Composed, pipeline: Pipeline) -> list[str]:
    """A line where a query stage was chosen that changes only routes the retriever lacks."""
    changed = pipeline.query.only_routes
    if not changed or set(changed) & set(pipeline.routes):
        return []
    chosen, retriever = (composed.choices.get(slot, "?") for slot in ("query", "retriever"))
    return [f"query={chosen}: changes nothing with retriever={retriever}, which has no {' or '.join(changed)} route"]


def unasked_model(composed: Composed, pipeline: Pipeline, judge: Stage) -> list[str]:
    """A line where a language model was chosen that no stage asks, nor the judge."""
    chosen = next((item for item in composed.overrides if item.lstrip("+").startswith(("llm=", "llm."))), "")
    own = next((item for item in composed.overrides if item.startswith(JUDGE_LLM)), "")
    if own and own != f"{JUDGE_LLM}=none" and not models_within(judge):
        option = composed.choices.get("judge", "?")
        return [f"{own}: the chosen judge ({option}) asks no language model; choose judge=llm or judge=ragas"]
    if not chosen or chosen == "llm=none" or models_within(pipeline, judge):
        return []
    return [f"{chosen}: no stage of this variant asks a language model; choose one that does, such as query=rewrite"]


def narrow_window(composed: Composed, pipeline: Pipeline) -> list[str]:
    """A line where a budget was asked for that the window of the packer never leaves."""
    packer, key = pipeline.packer, "pipeline.packer.budget="
    asked = next((item for item in composed.overrides if item.lstrip("+").startswith(key)), "")
    if not asked or not isinstance(packer, BlockPacker) or packer.budget <= packer.most:
        return []
    return [
        f"{asked}: the window of {packer.window} tokens leaves at most {packer.most}; set pipeline.packer.window too"
    ]


def few_candidates(slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error where `k` distinct parents could not be had from `recall_k` children."""
    cuts = slots["flow"].cuts
    least = _CHILDREN_A_PARENT * slots["flow"].largest_k
    if slots["splitter"].has_parents and cuts.recall_k < least:
        yield ConfigError(
            "recall_k",
            expected=f"at least {_CHILDREN_A_PARENT}·k = {least}, because k counts distinct parents",
            found=str(cuts.recall_k),
            hint=f"Set recall_k={least} or a smaller k.",
        )


def lacking_flow(composed: Composed, slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each thing that the flow works with and no other stage makes."""
    flow, chosen = slots["flow"], f"flow={composed.choices.get('flow', '?')}"
    if flow.needs_answers and not slots["generator"].answers:
        found = f"generator={composed.choices.get('generator', '?')}"
        hint = "Its answers are filled into the next search; use generator=extractive, or flow=one_shot."
        yield ConfigError(chosen, expected="a generator that answers", found=found, hint=hint)
    for slot, instead in (("flow", "one_shot"), ("packer", "relevance")):
        if slots[slot].needs_classes and not slots["query"].classifies:
            chosen = f"{slot}={composed.choices.get(slot, '?')}"
            hint = f"It decides by the class of a question; choose a classifier, or {slot}={instead}."
            yield ConfigError(chosen, expected="a query stage that classifies", found="none does", hint=hint)


def lacking_model(composed: Composed, slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error where a language model is to write the answers and none is chosen."""
    if slots["generator"].asks and not models_within(slots["generator"]):
        yield no_model(str(composed.choices.get("generator", "?")))


def uncalibrated(composed: Composed, slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each threshold of the generator on relevance that is no probability where it reads it."""
    reranker, option = slots["reranker"], composed.choices.get("reranker", "?")
    flow = f"flow={composed.choices.get('flow', '?')}"
    for name in slots["generator"].relevance_thresholds:
        thing, off = f"pipeline.generator.{name}", f"or leave pipeline.generator.{name}=0."
        if not slots["flow"].keeps_scores:
            hint = f"Use flow=one_shot, {off}"
            yield ConfigError(thing, expected="a flow that packs the reranker's scores", found=flow, hint=hint)
        if not reranker.calibrated:
            expected = "a reranker with calibrated scores"
            yield ConfigError(thing, expected=expected, found=f"reranker={option} without a calibration", hint=(
                "Set pipeline.reranker.calibration for reranker=cross_encoder or api, or for late_interaction with "
                f"pipeline.reranker.mix=1 (ragbench calibrate fits it), {off}"
            ))  # fmt: skip
        elif getattr(reranker, "on_failure", "raise") == "keep":
            expected = "pipeline.reranker.on_failure=raise: a question that is not reranked has no calibrated score"
            yield ConfigError(thing, expected=expected, found="keep", hint=f"Set it, {off}")


def missing_vectors(composed: Composed, slots: Mapping[str, Any]) -> Iterator[ConfigError]:
    """An error for each stage that compares token vectors under an embedder that gives one vector a text."""
    if slots["embedder"].OFFERS_TOKENS:
        return
    chosen = composed.choices.get("embedder", "?")
    hints = {
        "reranker": (f"reranker={composed.choices.get('reranker', '?')}", "reranker=none"),
        "generator": ("pipeline.generator.scorer=maxsim", "pipeline.generator.scorer=lexical"),
    }
    for slot, (thing, instead) in hints.items():
        if slots[slot].uses_tokens:
            yield ConfigError(
                thing,
                expected="an embedder with vectors of single tokens",
                found=f"embedder={chosen}, which gives one vector a text",
                hint=f"Use {instead}, or embedder=e5_small or embedder=sentence_transformers.",
            )
