"""What a model is asked when it judges: a change of wording without a new version fails here.

`python tests/golden/test_judge_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.judge import llm_prompts

TEXTS = Path(__file__).with_name("judge_prompts.json")
PASSAGES = [(1, "总部 quota：5 天 days。"), (3, "成都 3 天。")]
ASKED = {
    "zh": ("成都几天？", ["成都 3 天。", "总部 5 天。"]),
    "en": ("How many days in Chengdu?", ["Three days in Chengdu.", "Five in the head office."]),
}


def made():
    prompts = {
        f"{language}, addresses {addresses}": [
            [one.role, one.content] for one in llm_prompts.check(question, PASSAGES, claims, addresses)
        ]
        for language, (question, claims) in ASKED.items()
        for addresses in (True, False)
    }
    return {llm_prompts.NAME: prompts, "schema": llm_prompts.schema(2, True)}


def test_texts_belong_to_their_version():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
