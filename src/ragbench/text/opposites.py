"""Common opposites, Chinese and English."""

from __future__ import annotations

import re

_PAIRS = """
增加=减少 增长=下降 上升=下降 提高=降低 最大=最小 最高=最低 最多=最少 至少=至多 以上=以下 之前=之后 以前=以后
允许=禁止 可以=不得 支持=反对 成功=失败 开始=结束 内部=外部 高于=低于 多于=少于 大于=小于 早于=晚于 开启=关闭
启用=停用 打开=关闭 上班=下班 收入=支出 必须=无需 首次=末次 提前=推迟 延长=缩短 扩大=缩小 同意=拒绝 有效=无效
全部=部分 永久=临时 国内=国外 自动=手动 含税=不含税 公开=保密 increase=decrease increases=decreases
increased=decreased rise=fall rises=falls rose=fell largest=smallest highest=lowest higher=lower larger=smaller
longer=shorter more=fewer more=less most=least before=after above=below over=under first=last allowed=forbidden
allow=forbid success=failure succeeds=fails began=ended starts=stops start=stop won=lost north=south east=west
early=late earlier=later new=old enabled=disabled enable=disable minimum=maximum internal=external all=none
open=closed always=never with=without accept=reject accepts=rejects accepted=rejected include=exclude
includes=excludes manual=automatic manually=automatically permanent=temporary public=private oldest=newest
fast=slow faster=slower
"""
_OPPOSITES = tuple((pair.split("=")[0], pair.split("=")[1]) for pair in _PAIRS.split())
_LATIN = re.compile(r"[a-z]+")


def opposes(claim: str, passage: str, pairs: tuple[tuple[str, str], ...] = _OPPOSITES) -> tuple[str, str] | None:
    """The first listed pair of which the claim says one and the passage only the other; None where there is none.
    `pairs` are the common ones unless others are given.

    Both texts in comparison form. Latin words match whole, Chinese ones anywhere.
    """
    words, held = set(_LATIN.findall(claim)), set(_LATIN.findall(passage))
    for pair in pairs:
        for said, other in (pair, pair[::-1]):
            if said.isascii():
                found = said in words and said not in held and other in held and other not in words
            else:
                found = said in claim and said not in passage and other in passage and other not in claim
            if found:
                return said, other
    return None
