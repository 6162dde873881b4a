"""Names of the files of a run directory."""

from __future__ import annotations

MANIFEST = "manifest.json"
CONFIG = "config.yaml"
QUESTIONS = "questions.jsonl"
TRACES = "traces.jsonl"
DOCUMENTS = "documents.jsonl"
CHUNKS = "chunks.jsonl.gz"
VERDICTS = "verdicts.jsonl"
SCORES = "scores.jsonl.gz"
SUMMARY = "summary.json"
REPORT = "report.html"
PROOF = "proof.json"
OUTSIDE = "outside.jsonl"
SWEEP = "sweep.json"
EXPERIMENT = "experiment.json"
EXPERIMENT_MARKDOWN = "experiment.md"
