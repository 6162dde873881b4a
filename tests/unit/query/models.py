"""A model that says what it is told to, for tests of query stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from ragbench.core.workers import Tools
from ragbench.llm.base import ChatRequest, Llm, Reply
from ragbench.query.base import Query
from ragbench.records.question import Question, Turn

QUESTIONS = {
    "zh": "成都的研发人员，转正以后每周可以居家办公几天？",
    "en": "How many days a week may engineers in Chengdu work from home?",
    "mixed": "成都的 engineer 每周可以 work from home 几天？",
}
OTHER = {
    "zh": "成都研发居家办公天数规定",
    "en": "remote work allowance of engineers in Chengdu",
    "mixed": "成都 engineer 的 remote work 天数",
}


@dataclass(frozen=True, kw_only=True)
class Named(Llm):
    """A model by name alone."""

    name: str

    def open(self):
        raise AssertionError("the calls open models")


MODEL = Named(name="double")


class Says:
    """Calls of models that give the replies in turn (the last one for ever); a reply that is an exception is raised."""

    def __init__(self, *replies: str | Exception | Callable[[ChatRequest], str], ms: float = 7.0) -> None:
        self.replies, self.ms = list(replies), ms
        self.asked: list[ChatRequest] = []
        self.roles: list[str] = []
        self._lock = Lock()

    @property
    def concurrency(self) -> int:
        return 4

    def asker(self, model: Llm, role: str):
        self.roles.append(role)
        return self

    def ask(self, request: ChatRequest) -> Reply:
        with self._lock:
            said = self.replies[min(len(self.asked), len(self.replies) - 1)]
            self.asked.append(request)
        if isinstance(said, Exception):
            raise said
        text = said(request) if callable(said) else said
        return Reply(text, text, None, 11, 3, 1, self.ms)


def planned(stage: Query, question: Question | str, *replies, search=None):
    """View and requests of a question; the calls that were made."""
    says = Says(*replies)
    asked = Question("q", question) if isinstance(question, str) else question
    with stage.open(Tools(None, None, says, search)) as query:
        view, requests = query.plan(asked)
    return view, requests, says


def follow_up(text: str, *turns: str) -> Question:
    """A question after turns of user and assistant by turns."""
    history = tuple(Turn(("user", "assistant")[at % 2], one) for at, one in enumerate(turns))
    return Question("q", text, history=history, filter={"site": "苏州"}, principal="acme")


def texts(requests: Iterable) -> list[str]:
    return [one.text for one in requests]


@contextmanager
def opened(stage, *replies):
    """An open rewriter over a double."""
    says = Says(*replies)
    with stage.open(Tools(None, None, says)) as rewriter:
        yield rewriter, says
