"""What a model is asked when it answers: a change of wording without a new version fails here.

`python tests/golden/test_answer_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.generator import chat_prompts, closed_book_prompts
from ragbench.query import delimited
from ragbench.records.question import Turn

TEXTS = Path(__file__).with_name("answer_prompts.json")
HISTORY = (Turn("user", "总部 quota?"), Turn("assistant", "5 天 days"))
ASKED = {"zh": "那成都呢", "en": "And in Chengdu?", "mixed": "成都 office 的 quota 是多少天"}
PASSAGES = ((1, "成都：4 天。"), (3, "Chengdu: 4 days.\nShanghai: 3 days."))


def made():
    alone = {
        language: [[one.role, one.content] for past in ((), HISTORY) for one in closed_book_prompts.answer(text, past)]
        for language, text in ASKED.items()
    }
    return {
        f"{chat_prompts.name(style)}/{delimited.VERSION}": {
            language: [
                [one.role, one.content]
                for history in ((), HISTORY)
                for one in chat_prompts.answer(style, text, history, PASSAGES)
            ]
            for language, text in ASKED.items()
        }
        for style in chat_prompts.STYLES
    } | {f"{closed_book_prompts.NAME}/{delimited.VERSION}": alone}


def test_texts_belong_to_their_versions():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


def test_the_stage_is_fingerprinted_by_its_prompts():
    assert chat_prompts.IDENTITY == {"prompts": chat_prompts.VERSION, "delimiting": delimited.VERSION}
    assert closed_book_prompts.IDENTITY == {"closed_book": closed_book_prompts.VERSION, "delimiting": delimited.VERSION}
    assert all(chat_prompts.name(style) == f"answer_{style}/{chat_prompts.VERSION}" for style in chat_prompts.STYLES)


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
