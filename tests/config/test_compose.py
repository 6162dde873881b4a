"""Every shipped YAML composes and instantiates; what the command line says wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.run.build import experiment
from ragbench.run.compose import SLOTS, compose, groups, options
from tests.ragas_model import INSTALLED, REASON

GROUPS = sorted(set(groups()) - {"eval_set"})
NEEDED = {
    ("embedder", "openai"): ["pipeline.generator.scorer=lexical"],
    ("llm", ""): ["query=rewrite"],
    ("llm", "none"): [],
    ("llm", "chat"): ["query=rewrite", "llm.base_url=http://127.0.0.1:1/v1", "llm.model=m"],
    ("classifier", "llm"): ["llm=ollama"],
    ("rewriter", "llm"): ["query=rewrite", "llm=ollama"],
    ("generator", "chat"): ["llm=ollama"],
    ("judge", "llm"): ["judge_llm=ollama"],
    ("judge", "ragas"): ["judge_llm=ollama"],
}
"""What an option cannot do without, by group and name; a name of "": every option of the group."""
CHOICES = [(group, name) for group in GROUPS for name in options(group)]


@pytest.mark.parametrize(("group", "name"), CHOICES, ids=lambda part: str(part))
def test_each_option_composes_and_instantiates(group: str, name: str) -> None:
    if (group, name) == ("judge", "ragas") and not INSTALLED:
        pytest.skip(REASON)
    built = experiment([f"{group}={name}", *NEEDED.get((group, name), NEEDED.get((group, ""), []))])
    if group in SLOTS:
        assert type(getattr(built.pipeline, group)).__module__ == f"ragbench.{group}.{name}"


@pytest.mark.parametrize("name", sorted(options("eval_set")))
def test_each_eval_set_composes(name: str, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "questions.jsonl").touch()
    needed = [f"eval_set.path={tmp_path}"] if name == "local" else []
    assert experiment([f"eval_set={name}", *needed]).source.title()


@pytest.mark.parametrize("variant", sorted(options("variant")))
@pytest.mark.parametrize("slot", ["retriever", "reranker"])
def test_the_command_line_wins_over_a_preset(variant: str, slot: str) -> None:
    preset = compose([f"variant={variant}"]).choices[slot]
    for name in [name for name in options(slot) if name != preset][::3]:
        for order in ([f"variant={variant}", f"{slot}={name}"], [f"{slot}={name}", f"variant={variant}"]):
            assert compose(order).choices[slot] == name


def test_every_option_says_what_it_is() -> None:
    silent = [f"{group}/{name}" for group in groups() for name, words in options(group).items() if not words]
    assert not silent, "the first comment below @package is the line that `ragbench ls` prints"
