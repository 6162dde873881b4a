"""Recordings: readable, complete, without secrets; those of the repository are what their keys say."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ragbench.assets import shipped
from ragbench.core.fingerprint import fingerprint
from ragbench.errors import DataError
from ragbench.llm.base import ChatRequest
from ragbench.llm.cassettes import Cassettes, Entry, MissingEntry
from ragbench.llm.request_key import request_key

from .doubles import FakeModel, reply, request

RECIPE = FakeModel().recipe()


def entry(text: str, role: str = "query", name: str = "a/b:7b") -> Entry:
    asked = request(text, prompt="rewrite/1")
    return Entry(request_key(RECIPE, asked), role, name, RECIPE, asked, reply(f"→ {text}"))


def test_a_line_can_be_read_and_checked(tmp_path: Path) -> None:
    cassettes = Cassettes(str(tmp_path / "c"))
    cassettes.add(entry("年假几天？"))
    cassettes.flush()
    path = tmp_path / "c" / "query.a-b-7b.jsonl"
    row = json.loads(path.read_text(encoding="utf-8"))
    assert "年假几天？" in path.read_text(encoding="utf-8"), "Chinese is written as it is"
    assert list(row) == ["key", "role", "prompt", "request", "reply", "model"]
    assert (row["role"], row["prompt"], row["reply"]["text"]) == ("query", "rewrite/1", "→ 年假几天？")
    assert key_of(row) == row["key"]
    assert Cassettes(str(tmp_path / "c")).reply(row["key"], "query", request()) == reply("→ 年假几天？")


def key_of(row: dict[str, object]) -> str:
    asked = dict(row["request"])  # type: ignore[call-overload]
    sample = asked.pop("sample")
    return fingerprint("reply", row["model"], asked, sample)


def test_threads_lose_nothing(tmp_path: Path) -> None:
    cassettes = Cassettes(str(tmp_path))
    threads = [
        threading.Thread(target=lambda n=n: [cassettes.add(entry(f"{n} {m}")) for m in range(20)]) for n in range(5)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    cassettes.flush()
    keys = [
        json.loads(line)["key"] for line in (tmp_path / "query.a-b-7b.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(keys) == 100 and keys == sorted(keys)


def test_equal_recordings_are_equal_bytes(tmp_path: Path) -> None:
    for folder, texts in (("x", "abc"), ("y", "cab")):
        cassettes = Cassettes(str(tmp_path / folder))
        for text in texts:
            cassettes.add(entry(text))
            cassettes.flush()
    assert (tmp_path / "x" / "query.a-b-7b.jsonl").read_bytes() == (tmp_path / "y" / "query.a-b-7b.jsonl").read_bytes()


def test_what_says_the_same_keeps_its_line(tmp_path: Path) -> None:
    path = tmp_path / "query.a-b-7b.jsonl"
    old = entry("年假几天？").row()
    old["reply"] = {name: value for name, value in old["reply"].items() if name != "untold"}
    path.write_text(json.dumps(old, ensure_ascii=False) + "\n", encoding="utf-8")
    cassettes = Cassettes(str(tmp_path))
    cassettes.add(entry("年假几天？"))
    cassettes.add(entry("a new one"))
    cassettes.flush()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2 and old in rows
    other = entry("年假几天？")
    cassettes.add(replace(other, reply=reply("another reply")))
    cassettes.flush()
    assert Cassettes(str(tmp_path)).reply(other.key, "query", request()).text == "another reply"


@pytest.mark.parametrize("line", ["{", "[]", '{"key": 1, "reply": {}}', '{"key": "x"}', "null"])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"x.jsonl line 2: expected a recorded reply"):
        Cassettes(str(tmp_path)).reply("k", "query", request())


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    long = ChatRequest(messages=request("很长 " * 100).messages, max_tokens=5)
    with pytest.raises(MissingEntry) as caught:
        Cassettes(str(tmp_path)).reply("0123456789abcdef0", "judge", long)
    assert "\n" not in str(caught.value) and "calls.mode=record" in str(caught.value) and len(str(caught.value)) < 400


def test_lone_surrogates_can_be_recorded(tmp_path: Path) -> None:
    cassettes = Cassettes(str(tmp_path))
    cassettes.add(entry("a\ud800"))
    cassettes.flush()
    assert Cassettes(str(tmp_path)).reply(entry("a\ud800").key, "query", request()).text.startswith("→ a")


@pytest.mark.parametrize("path", sorted(shipped("cassettes").glob("*.jsonl")), ids=lambda path: path.name)
def test_recordings_of_the_repository_are_what_their_keys_say(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    keys = [row["key"] for row in rows]
    assert keys == sorted(set(keys))
    for row in rows:
        assert key_of(row) == row["key"]
        assert row["prompt"] and row["role"] == path.name.partition(".")[0]
    text = path.read_text(encoding="utf-8").replace("Bearer`", "")  # the manual of `product_en` names it
    assert "Bearer" not in text and "/tmp/" not in text and "/home/" not in text
