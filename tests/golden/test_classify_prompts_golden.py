"""What a model is asked when it classifies a question: a change of wording without a new version fails here.

`python tests/golden/test_classify_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.query import delimited
from ragbench.query.classifier import prompts
from ragbench.records.question import Turn

TEXTS = Path(__file__).with_name("classify_prompts.json")
HISTORY = (Turn("user", "总部 quota?"), Turn("assistant", "5 天 days"))
ASKED = {"zh": "那成都呢", "en": "And in Chengdu?", "mixed": "成都 office 的 quota 是多少天"}
CATEGORIES = ("hr", "it")


def made():
    asked = {
        f"{language}, {len(history)} turns, {len(categories)} categories": [
            [one.role, one.content] for one in prompts.classify(text, history, categories)
        ]
        for language, text in ASKED.items()
        for history in ((), HISTORY)
        for categories in ((), CATEGORIES)
    }
    return {f"{prompts.NAME}/{delimited.VERSION}": asked, "schemas": [prompts.schema(()), prompts.schema(CATEGORIES)]}


def test_texts_belong_to_their_versions():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


def test_the_stage_is_fingerprinted_by_its_prompt():
    assert prompts.IDENTITY == {"prompts": prompts.VERSION, "delimiting": delimited.VERSION}
    assert f"classify/{prompts.VERSION}" == prompts.NAME


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
