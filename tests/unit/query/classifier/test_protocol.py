"""The language model tier over the protocol: a server on this machine, replies kept, failures counted."""

import json

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.llm.calls import ModelCalls
from ragbench.run.build import experiment
from tests.chat_server import Act, chatting
from tests.unit.query.models import QUESTIONS


def classified(url: str, store: Store, *texts: str):
    asked = experiment(
        ["llm=chat", f"llm.base_url={url}", "llm.model=double", "llm.api_key_env=''", "llm.max_tries=1", "classifier=llm",
         "retriever=sparse", "generator=none", "judge=none"]
    )  # fmt: skip
    with ModelCalls(store) as calls, asked.pipeline.query.classifier.open(Tools(store, None, calls)) as worker:
        return [worker.classify(text) for text in texts]


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_good_server_is_asked_once_a_question(language: str, tmp_path) -> None:
    store = Store(tmp_path)
    with chatting(lambda body: json.dumps({"complexity": "multi_hop"})) as server:
        first = classified(server.url, store, QUESTIONS[language])
        again = classified(server.url, store, QUESTIONS[language])
        assert len(server.asked) == 1
    assert first == again and first[0].tier == "llm" and first[0].spent.calls == 1
    assert QUESTIONS[language] in server.asked[0]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "act",
    [
        Act(500),
        Act(200, content="<think>hm</think> no idea"),
        Act(body=b"{not json"),
        Act(cut=True),
        Act(401, body={"error": {"message": "no"}}),
    ],
    ids=["500", "prose", "garbage", "cut", "key"],
)
def test_a_bad_server_costs_an_abstention_and_is_counted(act: Act, tmp_path) -> None:
    with chatting(lambda body: "", lambda n, body: act) as server:
        (found,) = classified(server.url, Store(tmp_path), "年假 annual leave 几天")
    assert (found.complexity, found.tier) == (None, "abstained")
    assert found.spent.fallbacks == 1 and found.spent.why
    assert found.spent.calls >= 1


def test_fenced_json_is_read(tmp_path) -> None:
    with chatting(lambda body: 'Sure:\n```json\n{"complexity": "Comparison"}\n```') as server:
        (found,) = classified(server.url, Store(tmp_path), "A or B?")
    assert found.complexity == "comparison"
