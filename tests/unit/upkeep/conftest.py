"""Worlds of one document a language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.upkeep.world import World

TEXTS = {
    "zh.md": "# 年假\n\n未休完的年假最多可以结转五天，次年三月底之前休完。\n\n## 申请\n\n年假提前三个工作日提交，由主管审批。\n",
    "en/backup.txt": "The server keeps backups for 35 days.\n\nFull backups start at 02:00 every Sunday; see uid0003.\n",
    "mixed.md": "# 上线 checklist\n\nKubernetes 集群版本不低于 1.27，并打开 feature flag new-billing。\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Three documents, indexed."""
    made = World(tmp_path)
    for name, text in TEXTS.items():
        made.write(name, text)
    made.update()
    return made
