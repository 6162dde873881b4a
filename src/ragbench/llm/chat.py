"""A chat model behind any OpenAI-compatible `/chat/completions` (OpenAI, DashScope, DeepSeek, vLLM, Ollama …)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragbench.errors import ConfigError, UserError
from ragbench.llm.access import bearer, check_address
from ragbench.llm.base import ChatRequest, Llm, Reply
from ragbench.llm.bounded import Received
from ragbench.llm.chat_reply import first_tokens, said
from ragbench.llm.endpoint import JsonEndpoint, Patience, TryAgain
from ragbench.llm.listening import listener
from ragbench.llm.offers import Form, Offers
from ragbench.llm.refusals import Address, ContextOverflow, Refused
from ragbench.llm.stream import Unfinished, assembled, is_stream
from ragbench.llm.usage import Usage

if TYPE_CHECKING:
    import httpx

TOP_LOGPROBS = 20
"""The most that the protocol lets one ask for."""

_OWN = frozenset(
    {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed", "logprobs", "top_logprobs"}
    | {"stream", "stream_options", "response_format", "n"}
)


@dataclass(frozen=True, kw_only=True)
class ChatModel(Llm):
    """Which model to ask, and how.

    `temperature` and `seed` are sent unless null; `extra` holds further fields of the request as they are
    (`{chat_template_kwargs: {enable_thinking: false}}`). The key is read from the environment variable `api_key_env`
    (empty: none is sent) and appears in no message and no log. `timeout_s` holds for a whole reply; with `stream` it is
    sent in parts, which keeps proxies from giving up on a slow model, and a stream that breaks off is asked again.
    """

    base_url: str
    model: str
    temperature: float | None
    seed: int | None
    extra: Mapping[str, Any] = field(hash=False)
    api_key_env: str = field(default="OPENAI_API_KEY", compare=False)
    timeout_s: float = field(default=60.0, compare=False)
    max_tries: int = field(default=4, compare=False)
    max_wait_s: float = field(default=60.0, compare=False)
    stream: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        check_address(self.base_url, "llm.base_url")
        for name in ("timeout_s", "max_tries"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"llm.{name}", expected="a number above 0", found=str(getattr(self, name)))
        taken = sorted(_OWN & set(self.extra))
        if taken:
            raise ConfigError("llm.extra", expected="fields that have no knob of their own", found=", ".join(taken))
        object.__setattr__(self, "extra", dict(self.extra))

    @contextmanager
    def open(self) -> Iterator[ChatWorker]:
        """Open a connection pool; nothing is sent. Raises ConfigError where the key is missing."""
        import httpx

        headers = bearer(self.api_key_env, f"chat model {self.model}", "llm.api_key_env")
        with (
            httpx.Client(timeout=self.timeout_s, headers=headers) as client,
            closing(ChatWorker(self, client)) as worker,
        ):
            yield worker


class ChatWorker:
    """An open ChatModel; may be used by several threads. `prompt_tokens` and `completion_tokens` are what the server
    says it used, summed. What it refused to do is remembered and not asked for again."""

    def __init__(self, stage: ChatModel, client: httpx.Client) -> None:
        url = stage.base_url.rstrip("/") + "/chat/completions"
        address = Address(url, "chat endpoint", "llm.base_url", stage.api_key_env, model_key="llm.model")
        self._stage, self._lock, self._offers = stage, Lock(), Offers()
        self._endpoint = JsonEndpoint(client, address, Patience(stage.max_tries, stage.max_wait_s))
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    @property
    def n_calls(self) -> int:
        """Requests sent, each try."""
        return self._endpoint.n_calls

    def ask(self, request: ChatRequest) -> Reply:
        """One reply; see `JsonEndpoint.exchange` for what is raised.

        A schema is asked for as `json_schema`, where the server refuses that as `json_object` and at last in words.
        `Reply.first` stays None where the server ignores or refuses the wish for log-probabilities. An empty reply is a
        DataError.
        """
        started = time.perf_counter()
        usage = Usage()
        try:
            answer, calls = self._answered(request, usage)
            ms = (time.perf_counter() - started) * 1000
            return self._reply(request, answer, Reply("", "", None, calls=calls, ms=ms, **usage.counts()))
        except UserError as error:
            usage.on(error)
            raise
        finally:
            with self._lock:
                self.prompt_tokens += usage.prompt_tokens
                self.completion_tokens += usage.completion_tokens

    def _reply(self, request: ChatRequest, answer: Any, costs: Reply) -> Reply:
        """What the answer says, with the costs of another reply."""
        try:
            found = said(answer)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise self._useless("`choices` with a message", answer, costs) from None
        first = first_tokens(answer) if request.logprobs else None
        if not found.text and not first:
            cut = f", cut at max_tokens={request.max_tokens}" if found.cut else ""
            raise self._useless(f"a reply with text{cut}", found.raw or "an empty one", costs)
        clean = self._endpoint.clean
        return replace(costs, text=clean(found.text), raw=clean(found.raw), first=first)

    def _useless(self, expected: str, found: object, costs: Reply) -> UserError:
        error = self._endpoint.misshapen(expected, found)
        error.calls = costs.calls
        return error

    def _answered(self, request: ChatRequest, usage: Usage) -> tuple[Any, int]:
        """The answer, after asking for less as often as the server refuses; and the requests that took."""
        calls, form = 0, self._offers.form
        while True:
            try:
                found = self._endpoint.exchange(
                    self._body(request, form), lambda got: self._read(got, usage), usage.miss
                )
            except UserError as error:
                calls += error.calls
                error.calls = calls
                plain = isinstance(error, Refused) and not isinstance(error, ContextOverflow)
                lesser = self._offers.lesser(request, form, str(error)) if plain else None
                if lesser is None:
                    raise
                form = lesser
            else:
                self._offers.accepted(request, form)
                return found.content, calls + found.calls

    def _read(self, received: Received, usage: Usage) -> Any:
        """The answer, and what it says it used: also that of a stream which is asked for again, where it got so far."""
        answer: Any = None
        try:
            if is_stream(received.headers.get("content-type", "")):
                answer = assembled(received.text)
            else:
                answer = self._endpoint.as_json(received)
        except Unfinished as error:
            answer = {"usage": error.usage}
            raise TryAgain(self._endpoint.clean(str(error))) from None
        finally:
            usage.note(answer)
        return answer

    def _body(self, request: ChatRequest, form: Form) -> dict[str, Any]:
        stage = self._stage
        body = {"model": stage.model, **self._offers.body(request, form)}
        body |= {name: value for name in ("temperature", "seed") if (value := getattr(stage, name)) is not None}
        if request.logprobs and form.logprobs:
            body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        if stage.stream or listener() is not None:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | dict(stage.extra)
