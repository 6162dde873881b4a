"""An answer that a language model writes from the numbered passages of the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError
from ragbench.generator import chat_prompts, closed_book_prompts, messages
from ragbench.generator.base import OpenAlone
from ragbench.generator.chat_reply import Read, read_answer
from ragbench.generator.grounding import MODES, grounded
from ragbench.generator.policy import RefusingGenerator, refusal
from ragbench.judge.support import SupportModel
from ragbench.llm.base import Asker, ChatRequest, Llm
from ragbench.llm.calls import ModelCalls
from ragbench.records.question import Question
from ragbench.records.trace import Answer, ContextBlock, PackedContext

ROLE = "generator"
"""What its calls are counted under."""


@dataclass(frozen=True, kw_only=True)
class ChatGenerator(RefusingGenerator):
    """Asks a model once a question. Where `RefusingGenerator` refuses the context, it asks nothing.

    Args:
        llm: the model; its temperature is its own setting.
        prompt: `strict` allows only what the passages say, `loose` also general knowledge, without a citation.
        max_tokens: longest reply.
        grounding: what becomes of claims that the passages do not support (`generator.grounding.grounded`).
    """

    VERSION: ClassVar[int] = 2

    llm: Llm | None
    prompt: str
    max_tokens: int
    grounding: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prompt not in chat_prompts.STYLES:
            expected = " or ".join(chat_prompts.STYLES)
            raise ConfigError("pipeline.generator.prompt", expected=expected, found=repr(self.prompt))
        if not isinstance(self.max_tokens, int) or isinstance(self.max_tokens, bool) or self.max_tokens < 1:
            found = repr(self.max_tokens)
            raise ConfigError("pipeline.generator.max_tokens", expected="a whole number of at least 1", found=found)
        if self.grounding not in MODES:
            expected = ", ".join(MODES)
            raise ConfigError("pipeline.generator.grounding", expected=expected, found=repr(self.grounding))

    def identity(self) -> dict[str, Any]:
        """The versions of the prompts, and hash of the weights that check claims."""
        if self.grounding == "off":
            return dict(chat_prompts.IDENTITY)
        model = SupportModel.load()
        return {**chat_prompts.IDENTITY, "support": fingerprint(model.bias, dict(model.weights), model.threshold)}

    @property
    def asks(self) -> bool:
        """It does."""
        return True

    @property
    def may_be_heard(self) -> bool:
        """Unless a check may still change the answer."""
        return self.grounding in ("off", "flag")

    @property
    def answers_alone(self) -> bool:
        """It can, from what the model knows."""
        return True

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenAlone]:
        """Open the model; nothing is asked. Raises ConfigError where there is none, or its key is missing."""
        if self.llm is None:
            raise no_model("chat")
        with ExitStack() as stack:
            models = tools.models or stack.enter_context(ModelCalls(tools.store))
            yield _Answering(self, models.asker(self.llm, ROLE))


def no_model(option: str) -> ConfigError:
    """What is told of a generator that asks a model where none is chosen."""
    hint = "Choose one, as in llm=ollama, or take generator=extractive."
    return ConfigError(f"generator={option}", expected="a language model", found="llm=none", hint=hint)


class _Answering:
    def __init__(self, stage: ChatGenerator, asker: Asker) -> None:
        self._stage, self._asker = stage, asker

    def answer(self, question: Question, context: PackedContext) -> Answer:
        """See `OpenGenerator.answer`; may be called by several threads.

        Raises UserError where the model gives no reply, DataError where nothing of the reply is left: nothing is ever
        put in place of an answer.
        """
        reason = self._stage.against(context)
        if reason is not None:
            return refusal(reason, question)
        blocks = [block for block in context.blocks if block.text.strip()]
        reply = self._asker.ask(self._request(question, [(block.citation, block.text) for block in blocks]))
        found = self._read(reply.text, blocks)
        if found.refused:
            return refusal(messages.NOT_IN_SOURCES, question)
        answer = Answer(found.text, citations=found.citations)
        return grounded(answer, question.question, context, self._stage.grounding)

    def _read(self, text: str, blocks: Sequence[ContextBlock]) -> Read:
        found = read_answer(text, blocks)
        if not found.refused and not found.text:
            raise DataError("reply of the model", expected="an answer", found=repr(text[:100]))
        return found

    def alone(self, question: Question) -> Answer:
        """See `OpenGenerator.alone`; raises as `answer` does."""
        request = ChatRequest(
            messages=closed_book_prompts.answer(question.question, question.history),
            max_tokens=self._stage.max_tokens,
            prompt=closed_book_prompts.NAME,
        )
        found = self._read(self._asker.ask(request).text, ())
        return refusal(messages.NOT_KNOWN, question) if found.refused else Answer(found.text)

    def _request(self, question: Question, passages: list[tuple[int, str]]) -> ChatRequest:
        style = self._stage.prompt
        return ChatRequest(
            messages=chat_prompts.answer(style, question.question, question.history, passages),
            max_tokens=self._stage.max_tokens,
            prompt=chat_prompts.name(style),
        )
