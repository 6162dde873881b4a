"""What models are asked when they make forms of a question: a change of wording without a new version fails here.

`python tests/golden/test_query_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.query import (
    decompose_prompts,
    delimited,
    expand_prompts,
    hyde_prompts,
    replies,
    rewrite_prompts,
    step_back_prompts,
    variant_prompts,
)
from ragbench.records.question import Turn

TEXTS = Path(__file__).with_name("query_prompts.json")
HISTORY = (Turn("user", "总部 quota?"), Turn("assistant", "5 天 days"))
ASKED = {"zh": "那成都呢", "en": "And in Chengdu?"}
MADE = {
    "rewrite": (rewrite_prompts, lambda text: rewrite_prompts.rewrite(text, HISTORY)),
    "variant": (variant_prompts, lambda text: variant_prompts.variants(text, 3)),
    "expand": (expand_prompts, lambda text: expand_prompts.expansion(text, 6)),
    "hyde": (hyde_prompts, hyde_prompts.hypothesis),
    "step_back": (step_back_prompts, step_back_prompts.step_back),
    "decompose": (decompose_prompts, lambda text: decompose_prompts.parts(text, 3)),
}


def made():
    prompts = {
        f"{name}/{module.VERSION}/{delimited.VERSION}": {
            language: [[one.role, one.content] for one in make(text)] for language, text in ASKED.items()
        }
        for name, (module, make) in MADE.items()
    }
    return prompts | {"schemas": [replies.QUERIES, replies.QUESTION]}


def test_texts_belong_to_their_versions():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


def test_every_stage_that_asks_is_fingerprinted_by_its_prompt():
    for name, (module, _) in MADE.items():
        assert module.IDENTITY == {"prompts": module.VERSION, "delimiting": delimited.VERSION}
        assert f"{name}/{module.VERSION}" == module.NAME


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
