"""What is remembered is bounded in bytes."""

from __future__ import annotations

import sys

import numpy as np

from ragbench.splitter.unit_memory import UnitMemory

STARTS = np.arange(1000, dtype=np.int32)


def text(number: int) -> str:
    return f"{number:04}" * 250


def test_the_least_recently_used_goes_when_the_room_is_full():
    memory = UnitMemory(3 * (sys.getsizeof(text(0)) + STARTS.nbytes + 500))
    for number in range(3):
        memory.put(text(number), "words", STARTS)
    assert memory.get(text(0), "words") is STARTS
    memory.put(text(3), "words", STARTS)
    assert [memory.get(text(number), "words") is not None for number in range(4)] == [True, False, True, True]
    assert memory.get(text(0), "tokens") is None


def test_the_texts_count_too():
    memory = UnitMemory(10_000)
    memory.put("x" * 20_000, "words", STARTS[:2])
    assert memory.get("x" * 20_000, "words") is None
    for number in range(100):
        memory.put(text(number), "words", STARTS[:2])
    assert 0 < memory.held_bytes <= 10_000
    assert sum(memory.get(text(number), "words") is not None for number in range(100)) < 10
    memory.clear()
    assert memory.held_bytes == 0 and memory.get(text(99), "words") is None


def test_the_same_text_twice_is_counted_once():
    memory = UnitMemory(100_000)
    memory.put(text(1), "words", STARTS)
    held = memory.held_bytes
    memory.put(text(1), "words", STARTS)
    assert memory.held_bytes == held
