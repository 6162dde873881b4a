"""What the rules make of questions: a change without a new version of the stage fails here.

`python tests/golden/test_query_golden.py` writes the forms anew.
"""

import json
from pathlib import Path

from ragbench.core.workers import Tools
from ragbench.query import wording
from ragbench.query.decompose_parallel import DecomposeParallelQuery
from ragbench.query.decomposer import Decomposer
from ragbench.query.expand import ExpandQuery
from ragbench.query.feedback import feedback_terms
from ragbench.query.general import general
from ragbench.query.hyde import HydeQuery
from ragbench.query.multi_query import MultiQuery
from ragbench.query.rag_fusion import RagFusionQuery
from ragbench.query.rule_rewriter import RuleRewriter
from ragbench.query.rules import RuleClassifier
from ragbench.query.splitting import split
from ragbench.query.step_back import StepBackQuery
from ragbench.records.question import Turn

FORMS = Path(__file__).with_name("query.json")
QUESTIONS = (
    "你好，请问总部和苏州的住宿标准哪个高？谢谢",
    "LC-IT-F007 掉了怎么补办，要几天，找谁批",
    "How do I move from 3.6 to 4.2, and what happens to the A240?",
    "Does Team or Enterprise keep the audit log longer?",
    "《差旅办法》里 hotel quota 在成都是多少",
)
TURNS = (Turn("user", "总部每周可以居家几天？"), Turn("assistant", "1 天，见 HR-2024-03。"))
FOLLOW_UPS = ("那成都呢", "那超过 2 天的要审批吗", "what about Go?", "可以不打卡吗")
CLASSIFIED = (
    "这个东西有问题",
    "it broken",
    "审批有哪几个阶段",
    "年假有几天？",
    "要是丢了工牌，找谁补，要交多少钱",
    "??",
)
SPLIT = (
    "研究和开发部的电话",
    "Python 和 Go 的 client 怎么 retry？",
    "What is the limit in Beijing and how do I claim it?",
)
PASSAGES = ("住宿标准按城市分档 hotel tier", "城市分档见附件 tier", "发票抬头")


def made():
    with RuleRewriter(replies=True).open(Tools(None)) as rewriter:
        rewrites = {text: rewriter.rewrite(text, TURNS).text for text in FOLLOW_UPS}
        greeted = {text: rewriter.rewrite(text, ()).text for text in QUESTIONS[:1]}
    forms = {
        text: {
            "variants": wording.variants(text),
            "statement": wording.statement(text),
            "general": general(text),
            "words": feedback_terms(text, PASSAGES, 2, 5),
        }
        for text in QUESTIONS
    }
    rules = RuleClassifier(short=25)
    classes = {text: rules.classify(text).complexity for text in (*QUESTIONS, *CLASSIFIED)}
    pieces = {text: [[part.text, part.template] for part in split(text).parts] for text in (*QUESTIONS, *SPLIT)}
    stages = (
        RuleClassifier,
        Decomposer,
        RuleRewriter,
        MultiQuery,
        RagFusionQuery,
        HydeQuery,
        StepBackQuery,
        DecomposeParallelQuery,
        ExpandQuery,
    )
    return {
        "versions": {kind.__name__: kind.VERSION for kind in stages},
        "rewrites": rewrites | greeted,
        "forms": forms,
        "classes": classes,
        "pieces": pieces,
    }


def test_forms_belong_to_their_versions():
    assert made() == json.loads(FORMS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    FORMS.write_text(json.dumps(made(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
