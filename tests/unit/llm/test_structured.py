"""The JSON object of a reply, out of whatever a model puts around it."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.errors import DataError
from ragbench.llm.structured import read_object

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "enum": ["simple", "multi_hop"]},
        "p": {"type": "number", "minimum": 0, "maximum": 1},
        "parts": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 2},
        "note": {"type": ["string", "null"]},
    },
    "required": ["label"],
    "additionalProperties": False,
}
GOOD = '{"label": "simple", "p": 0.5, "parts": ["年假", "leave"], "note": null}'
READ = {"label": "simple", "p": 0.5, "parts": ["年假", "leave"], "note": None}


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"好的，结果如下：\n{GOOD}\n希望有帮助 {{}}",
        f'<think>{{"label": "multi_hop"}}</think>{GOOD}',
        f"The form is {{label: …}}. {GOOD}",
        f'{{"label": "other"}} no, rather {GOOD}',
        f"{{{{ {GOOD}",
        GOOD + "<think>{",
    ],
)
def test_the_object_is_found(text: str) -> None:
    assert read_object(text, SCHEMA) == READ


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a JSON object, found an empty one"),
        ("simple", "a JSON object, found 'simple'"),
        ('{"label": "simp', "a JSON object"),
        ("[1, 2]", "a JSON object"),
        ('{"p": 1}', "reply has no label"),
        ('{"label": 3}', "reply.label is 3, not string"),
        ('{"label": "x"}', "reply.label is 'x', not one of simple, multi_hop"),
        ('{"label": "simple", "p": 1.5}', "reply.p is 1.5, more than 1"),
        ('{"label": "simple", "p": true}', "reply.p is True, not number"),
        ('{"label": "simple", "p": NaN}', "fewer than 0"),
        ('{"label": "simple", "parts": ["a", ""]}', r"reply.parts\[1\] has 0 characters, fewer than 1"),
        ('{"label": "simple", "parts": ["a", "b", "c"]}', "reply.parts has 3 items, more than 2"),
        ('{"label": "simple", "parts": "a"}', "reply.parts is 'a', not array"),
        ('{"label": "simple", "extra": 1}', "a field 'extra' that was not asked for"),
        ("{" * 100_000, "a JSON object"),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, "a JSON object|has no label"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_object(text, SCHEMA)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "text", ['{"q": "坏\\ud83d的规定"}', '```json\n{"q": "坏\\ud83d的规定"}\n```', '{"q": "坏\ud83d的规定"}']
)
def test_half_a_pair_that_a_reply_escapes_comes_out_as_a_replacement_character(text: str) -> None:
    assert read_object(text, {"type": "object"}) == {"q": "坏\ufffd的规定"}


def test_whole_pairs_that_a_reply_escapes_stay() -> None:
    assert read_object('{"q": "\\ud83d\\ude00"}', {"type": "object"}) == {"q": "😀"}
