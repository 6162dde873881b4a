"""What a run would cost: calls of models by role, tokens and money, and time, from what finished runs took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ragbench.core.codec import read_json
from ragbench.llm.prices import PriceTable
from ragbench.llm.request_key import model_name
from ragbench.llm.within import models_within
from ragbench.records.question import Question
from ragbench.run.experiment import Experiment
from ragbench.run_dir import layout

READ = 200
"""Finished runs that are looked at, the latest first."""

_SLOTS = ("query", "retriever", "reranker", "packer", "generator", "flow")
ROLES = ("query", "reranker", "generator", "judge")
"""What is asked of models; understanding a question counts as `query` in all its parts."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """At most what a run takes with an empty store. `calls` are by role; `tokens` and `money` are None where no
    finished run asked the same models, and money also where a price is not in the table. `question_s` is the time of a
    question in finished runs with the same stages behind retrieval, `build_s` that of a chunk in runs with the same
    embedder; None where there is none."""

    calls: Mapping[str, int]
    tokens: int | None
    money: float | None
    currency: str
    question_s: float | None
    build_s: float | None


def calls_of(experiment: Experiment, questions: Sequence[Question]) -> dict[str, int]:
    """Calls of models by role, at most; roles without any are left out."""
    pipeline, n = experiment.pipeline, len(questions)
    found = {
        "query": sum(pipeline.query.llm_calls(question) + pipeline.flow.llm_calls for question in questions),
        "reranker": n * pipeline.reranker.llm_calls(pipeline.flow.cuts.recall_k),
        "generator": n * pipeline.flow.answers * pipeline.generator.asks,
        "judge": n * experiment.judge.llm_calls(pipeline.flow.largest_k),
    }
    return {role: calls for role, calls in found.items() if calls}


def finished_runs(runs: Path) -> list[tuple[Row, Row]]:
    """Manifests and summaries of the latest finished runs that were computed and not taken over."""
    paths = sorted(runs.glob(f"*/{layout.MANIFEST}"), key=lambda path: path.stat().st_mtime, reverse=True)[:READ]
    found = []
    for path in paths:
        try:
            manifest = read_json(path)
            if manifest["status"] == "finished" and not manifest.get("reused"):
                found.append((manifest, read_json(path.parent / layout.SUMMARY)))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # of another version, or not a run
    return found


def cost_of(experiment: Experiment, questions: Sequence[Question], stored: Sequence[tuple[Row, Row]]) -> Cost:
    """What a run of these questions takes, as far as `stored` runs tell."""
    calls = calls_of(experiment, questions)
    table = PriceTable(experiment.calls.prices)
    tokens, money, currencies = 0.0, 0.0, set()
    known = priced = True
    for role, n in calls.items():
        models = _models(experiment, role)
        used = _tokens_a_call([summary for _, summary in stored], role, [model_name(one) for one in models])
        if used is None:
            known = priced = False
            continue
        tokens += n * sum(used)
        tariff = table.tariff(models[0])
        price = tariff.price(round(n * used[0]), round(n * used[1]))
        priced = priced and price is not None
        money += price or 0.0
        currencies |= {tariff.currency} if price is not None else set()
    currency = currencies.pop() if len(currencies) == 1 else ""
    told = priced and (bool(currency) or not calls)
    return Cost(
        calls, round(tokens) if known else None, round(money, 4) if told else None, currency,
        _question_s(experiment, stored), _build_s(experiment, stored),
    )  # fmt: skip


def _models(experiment: Experiment, role: str) -> list[Any]:
    pipeline = experiment.pipeline
    stages = {
        "query": (pipeline.query, pipeline.flow),
        "reranker": (pipeline.reranker,),
        "generator": (pipeline.generator,),
        "judge": (experiment.judge,),
    }
    return models_within(*stages[role])


def _tokens_a_call(summaries: Sequence[Row], role: str, models: Sequence[str]) -> tuple[float, float] | None:
    """Mean tokens of prompt and reply of a call in stored runs that asked the same models."""
    total: Counter[str] = Counter()
    for summary in summaries:
        for name, one in ((summary.get("cost") or {}).get("models") or {}).items():
            same = (name if name in ROLES else "query") == role and set(one.get("models") or ()) <= set(models)
            if same and one.get("calls") and None not in (one.get("prompt_tokens"), one.get("completion_tokens")):
                total.update({key: int(one[key]) for key in ("calls", "prompt_tokens", "completion_tokens")})
    if not total["calls"]:
        return None
    return total["prompt_tokens"] / total["calls"], total["completion_tokens"] / total["calls"]


def _question_s(experiment: Experiment, stored: Sequence[tuple[Row, Row]]) -> float | None:
    own = experiment.pipeline.recipe()["fields"]
    wanted = [{key: value for key, value in own[slot].items() if key != "fields"} for slot in _SLOTS]
    found = []
    for manifest, _ in stored:
        fields = manifest["pipeline"]["fields"]
        kinds = [{key: value for key, value in (fields.get(slot) or {}).items() if key != "fields"} for slot in _SLOTS]
        took = [manifest["durations_s"].get(name) for name in ("query", "evaluate")]
        if (
            kinds == wanted
            and manifest["judge"] == experiment.judge.recipe()
            and manifest["n_questions"]
            and None not in took
        ):
            found.append(sum(took) / manifest["n_questions"])
    return median(found) if found else None


def _build_s(experiment: Experiment, stored: Sequence[tuple[Row, Row]]) -> float | None:
    """Seconds of a chunk in builds that made everything anew."""
    dense = "dense" in experiment.pipeline.routes
    own = experiment.pipeline.recipe()["fields"]["embedder"]
    found = []
    for manifest, summary in stored:
        made = (manifest.get("stages") or {}).get("computed") or {}
        chunks = (summary.get("cost") or {}).get("n_chunks")
        same = not dense or (manifest["pipeline"]["fields"].get("embedder") == own and "index" in made)
        if same and "chunks" in made and chunks and "build" in manifest["durations_s"]:
            found.append(manifest["durations_s"]["build"] / chunks)
    return median(found) if found else None
