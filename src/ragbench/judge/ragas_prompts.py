"""The language of what RAGAS asks: its own English prompts as they are, and Chinese ones for Chinese questions.

RAGAS can have a model translate its prompts, but such a translation differs from call to call and from model to model.
The Chinese texts therefore lie in `ragas_prompts.json`, with the same tasks and the same kinds of examples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ragbench.core.codec import loads
from ragbench.core.fingerprint import fingerprint
from ragbench.judge.ragas_replies import schema_of
from ragbench.llm.base import Message
from ragbench.query.delimited import language_for as language_for

VERSION = 1
"""Goes up with any change of how the texts are put together; their wording counts by a hash of its own."""


@cache
def _texts() -> Mapping[str, Any]:
    texts: dict[str, Any] = loads((files("ragbench.judge") / "ragas_prompts.json").read_bytes())
    return texts


def identity() -> dict[str, Any]:
    """What tells these prompts from others."""
    return {"version": VERSION, "texts": fingerprint(dict(_texts()))}


def messages(language: str, prompt: str) -> tuple[Message, ...]:
    """A prompt behind the word that the texts in it are data; JSON strings are what sets them off."""
    return Message("system", _texts()["system"][language]), Message("user", prompt)


@dataclass(frozen=True, slots=True)
class ChinesePrompt:
    """Takes the place of a prompt of RAGAS: `name` of its texts, `reply` the class of what is asked for."""

    name: str
    reply: Any

    def to_string(self, data: Any) -> str:
        """The task, the form of the reply, the examples and the input `data` as JSON."""
        texts, frame = _texts()["zh"][self.name], _texts()["zh"]["frame"]
        shown = [
            f"{frame['example'].format(at)}\n{frame['input']}{_json(one['input'])}\n{frame['output']}{_json(one['output'])}"
            for at, one in enumerate(texts["examples"], start=1)
        ]
        lines = [
            texts["instruction"],
            frame["schema"],
            json.dumps(schema_of(self.reply), ensure_ascii=False),
            frame["quotes"],
            "",
            frame["examples"],
            "\n\n".join(shown),
            "-----------------------------",
            "",
            frame["task"],
            f"{frame['input']}{data.model_dump_json(indent=4, exclude_none=True)}",
            frame["output"],
        ]
        return "\n".join(lines)


def translate(metric: Any, prompts: Mapping[str, str], language: str) -> None:
    """Give a metric of RAGAS the prompts of a language; `prompts` maps the attribute that holds a prompt to the name of
    its Chinese texts."""
    if language == "zh":
        for attribute, name in prompts.items():
            setattr(metric, attribute, ChinesePrompt(name, getattr(metric, attribute).output_model))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=4)
