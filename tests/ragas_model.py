"""What a model says to the prompts of RAGAS, by rule: a statement follows from a text that holds it word for word."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import Any

import pytest

INSTALLED = find_spec("ragas") is not None
REASON = "ragas is not installed: pip install '.[ragas]'"


def needs_ragas(test: Any) -> Any:
    """A test that runs where the extra is installed."""
    return pytest.mark.ragas(pytest.mark.skipif(not INSTALLED, reason=REASON)(test))


def wanted(body: dict[str, Any]) -> dict[str, Any]:
    """The fields that a request asks for."""
    found: dict[str, Any] = body["response_format"]["json_schema"]["schema"]["properties"]
    return found


def given(body: dict[str, Any]) -> dict[str, Any]:
    """The input of a request."""
    prompt = body["messages"][-1]["content"]
    start = max(prompt.rfind("\ninput: {"), prompt.rfind("\n输入：{"))
    found: dict[str, Any] = json.JSONDecoder().raw_decode(prompt, prompt.index("{", start))[0]
    return found


def sentences(text: str) -> list[str]:
    return [one.strip() for one in re.split(r"(?<=[。.])", text) if one.strip()]


def reply(body: dict[str, Any]) -> dict[str, Any]:
    """A whole reply."""
    fields, data = wanted(body), given(body)
    if "classifications" in fields:
        return {"classifications": [_marked(one, data["context"], "attributed") for one in sentences(data["answer"])]}
    if "claims" in fields:
        return {"claims": sentences(data["response"])}
    if "noncommittal" in fields:
        return {"question": f"问 what of {data['response']}", "noncommittal": 0}
    if "verdict" in fields:
        return _marked(data["answer"], data["context"], "verdict")
    if fields["statements"]["items"]["type"] == "string":
        return {"statements": sentences(data["answer"])}
    return {"statements": [_marked(one, data["context"], "verdict") for one in data["statements"]]}


def say(body: dict[str, Any]) -> str:
    return json.dumps(reply(body), ensure_ascii=False)


def _marked(statement: str, text: str, mark: str) -> dict[str, Any]:
    return {"statement": statement, "reason": "", mark: int(statement.strip("。. ") in text)}
