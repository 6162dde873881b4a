"""Eval sets made on the spot: a tiny trilingual one, and one that punishes attrition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DOCUMENTS = {
    "假期/年假制度.md": (
        "# 年假制度\n\n## 天数\n\n入职满一年的员工每年享有十天带薪年假，满五年增加到十五天。\n\n"
        "## 结转\n\n未休完的年假最多可以结转五天，须在次年三月三十一日之前休完，逾期作废。\n\n"
        "## 申请\n\n年假应当提前三个工作日在系统里提交，由直属主管审批。\n"
    ),
    "报销.txt": (
        "差旅报销须在返程后三十天内提交，发票抬头必须是公司全称。\n\n"
        "住宿标准：一线城市每晚不超过六百元，其他城市不超过四百元。\n\n打车单次超过一百元的，需要附上行程说明。\n"
    ),
    "manual/backup.md": (
        "# Backup guide\n\n## Schedule\n\nFull backups start at 02:00 every Sunday; incremental backups run each hour.\n\n"
        "## Retention\n\nThe server keeps backups for 35 days and then deletes the oldest one first.\n\n"
        "## Restore\n\nRun `vaultctl restore --snapshot ID` on a stopped node. Error E-1042 means the snapshot is locked.\n"
    ),
    "manual/network.html": (
        "<html><head><title>Network</title></head><body><h1>Network</h1><p>Port 8443 must be open between all nodes "
        "of the cluster.</p><h2>Latency</h2><p>A round trip of more than 20 ms between nodes raises a warning.</p></body></html>"
    ),
    "mixed/上线 checklist.txt": (
        "上线前请确认 Kubernetes 集群版本不低于 1.27，并打开 feature flag `new-billing`。\n\n"
        "回滚 rollback 的负责人是 SRE 值班同学，电话分机 8021。\n\n发布窗口 release window 是周二和周四 10:00–12:00。\n"
    ),
}


def _row(name: str, question: str, language: str, doc: str = "", quote: str = "", **more: Any) -> dict[str, Any]:
    evidence = [{"doc": doc, "quote": quote}] if doc else []
    return {
        "id": name, "question": question, "category": "lookup" if doc else "negative", "language": language,
        "answerable": bool(doc), "evidence": evidence, "reference": quote,
    } | more  # fmt: skip


QUESTIONS = [
    _row("zh-1", "年假没休完可以结转几天？", "zh", "假期/年假制度.md", "最多可以结转五天"),
    _row("zh-2", "入职满五年有多少天年假", "zh", "假期/年假制度.md", "满五年增加到十五天", split="dev"),
    _row("zh-3", "住宿一线城市每晚的标准", "zh", "报销.txt", "一线城市每晚不超过六百元"),
    _row("zh-4", "公司食堂几点开门？", "zh"),
    _row("en-1", "How long does the server keep backups?", "en", "manual/backup.md", "keeps backups for 35 days"),
    _row(
        "en-2",
        "What does error E-1042 mean?",
        "en",
        "manual/backup.md",
        "the snapshot is locked",
        category="identifier",
    ),
    _row("en-3", "Which port must be open between the nodes?", "en", "manual/network.html", "Port 8443 must be open"),
    _row("en-4", "Who won the chess championship?", "en"),
    _row("mix-1", "Kubernetes 集群最低要什么版本？", "mixed", "mixed/上线 checklist.txt", "版本不低于 1.27"),
    _row("mix-2", "release window 是哪几天", "mixed", "mixed/上线 checklist.txt", "周二和周四"),
]
OFFLINE = ("generator=none", "judge=none", "sink=files", "split=all")
"""Overrides of a run that needs no model but the variant's own."""


def write_set(folder: Path, documents: Mapping[str, str], questions: Sequence[Mapping[str, Any]]) -> Path:
    """Write an eval set into `folder` and return it."""
    for name, text in documents.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in questions)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    return folder


def tiny_set(folder: Path) -> Path:
    """The trilingual set."""
    return write_set(folder, DOCUMENTS, QUESTIONS)


def local(folder: Path) -> list[str]:
    """Overrides that choose the set in `folder`."""
    return ["eval_set=local", f"eval_set.path={folder}"]
