"""What a model is asked when it reranks: a change of wording without a new version fails here.

`python tests/golden/test_rerank_prompts_golden.py` writes the texts anew.
"""

import json
from pathlib import Path

from ragbench.llm.chat import ChatModel
from ragbench.reranker import llm_prompts
from ragbench.reranker.llm import LlmReranker

TEXTS = Path(__file__).with_name("rerank_prompts.json")
ASKED = {"zh": "成都几天？", "en": "How many days in Chengdu?", "mixed": "成都 office 的 quota 是多少天"}
PASSAGES = ["总部 quota：5 天 days。", "Chengdu: 4 days.\n成都 4 天。"]
MADE = {
    "yes_no": lambda question: llm_prompts.yes_no(question, PASSAGES[0]),
    "grade": lambda question: llm_prompts.grade(question, PASSAGES[0]),
    "ordering": lambda question: llm_prompts.ordering(question, PASSAGES),
}


def made():
    prompts = {
        name: {language: [[one.role, one.content] for one in make(text)] for language, text in ASKED.items()}
        for name, make in MADE.items()
    }
    return {llm_prompts.NAME: prompts}


def test_texts_belong_to_their_version():
    assert made() == json.loads(TEXTS.read_text(encoding="utf-8"))


def test_the_stage_is_fingerprinted_by_its_prompts():
    chat = ChatModel(base_url="http://127.0.0.1:9", model="m", temperature=0, seed=None, extra={}, api_key_env="")
    stage = LlmReranker(chat=chat, method="pointwise", scores="grades", window=20, max_chars=None, on_failure="keep")
    assert stage.identity() == llm_prompts.IDENTITY == {"prompts": llm_prompts.VERSION}
    assert f"rerank/{llm_prompts.VERSION}" == llm_prompts.NAME


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
