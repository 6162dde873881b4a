"""How a server without `json_schema` is asked for JSON: a change of wording without a new version fails here.

`python tests/golden/test_wish_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.llm.base import ChatRequest, Message
from ragbench.llm.offers import FORMATS, WISH_VERSION, Form, Offers

TEXTS = Path(__file__).with_name("wish.json")
USER = Message("user", "成都 office 几天？")
SCHEMA = {"type": "object", "properties": {"query": {"type": "string", "description": "问题 query"}}}
ASKED = {"behind a system message": (Message("system", "只回答 JSON"), USER), "before the first message": (USER,)}


def made():
    bodies = {
        f"{form}, {name}": Offers().body(ChatRequest(messages=messages, max_tokens=9, schema=SCHEMA), Form(form))
        for form in FORMATS
        for name, messages in ASKED.items()
    }
    return {f"wish/{WISH_VERSION}": bodies}


def test_texts_belong_to_their_version():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
