"""What models are asked by flows: a change of wording without a new version fails here.

`python tests/golden/test_flow_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.query import delimited, flow_prompts
from ragbench.query.clarifier import template
from ragbench.records.question import Turn

TEXTS = Path(__file__).with_name("flow_prompts.json")
HISTORY = (Turn("user", "总部 quota?"), Turn("assistant", "5 天 days"))
ASKED = {"zh": "那个怎么弄", "en": "How does it work?", "mixed": "API 那个 key 咋用"}
MADE = {
    flow_prompts.CHAIN: flow_prompts.chain,
    flow_prompts.CLARIFY: lambda text: flow_prompts.clarify(text, HISTORY),
    flow_prompts.NEXT: lambda text: flow_prompts.next_search(text, "结算组 head: Ann"),
}


def made():
    prompts = {
        f"{name}/{delimited.VERSION}": {
            key: [[one.role, one.content] for one in make(text)] for key, text in ASKED.items()
        }
        for name, make in MADE.items()
    }
    return prompts | {"template": {key: template(text) for key, text in ASKED.items()}}


def test_texts_belong_to_their_versions():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


def test_stages_are_fingerprinted_by_their_prompts():
    assert flow_prompts.IDENTITY == {"prompts": flow_prompts.VERSION, "delimiting": delimited.VERSION}
    assert all(name.endswith(f"/{flow_prompts.VERSION}") for name in MADE)


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
