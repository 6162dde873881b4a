"""Calls of language models for stages: from the store, from cassettes or over the network, counted and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from threading import BoundedSemaphore, Lock
from types import TracebackType
from typing import Any, Self

from ragbench.core.codec import dumps, loads
from ragbench.core.rows import from_row, to_row
from ragbench.core.store import Store
from ragbench.errors import ConfigError, UserError
from ragbench.llm.base import Asker, ChatRequest, Llm, Reply
from ragbench.llm.budget import Budget
from ragbench.llm.cassettes import Cassettes, Entry
from ragbench.llm.ledger import Ledger, Tariff
from ragbench.llm.listening import Listener, listening
from ragbench.llm.prices import PriceTable
from ragbench.llm.request_key import request_key
from ragbench.llm.settings import CallSettings
from ragbench.llm.usage import COUNTS, spent

TABLE = "replies"


class ModelCalls:
    """Open language models of one process; a context manager, and threads may share it.

    Every reply is looked up first: in `live` mode in the store, by everything that reaches the model and the sample's
    number; in `record` mode there, then in the cassettes; in `replay` mode in the cassettes alone. Equal requests at a
    time are sent once. What fails is never kept. A reply from store or cassette has the costs of the call that made it.
    A wrong key or address is told from then on without asking again. `listeners` hear the replies that are sent for
    under their role as they come; one that is kept is not heard.
    """

    def __init__(self, store: Store, settings: CallSettings | None = None) -> None:
        self.settings = settings or CallSettings()
        self.ledger = Ledger()
        self.budget = Budget(self.settings.budget)
        self.listeners: dict[str, Listener] = {}
        self._store = store
        self._prices = PriceTable(self.settings.prices)
        self._cassettes = Cassettes(self.settings.cassettes)
        self._stack, self._lock = ExitStack(), Lock()
        self._models: dict[str, OpenModel] = {}
        self._askers: dict[tuple[str, str], RoleAsker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def asker(self, model: Llm, role: str) -> RoleAsker:
        """The model, open, with its calls counted under `role`; the same one at each call.

        Nothing is opened in `replay` and `off` mode. Raises ConfigError where the key is missing, and where a limit in
        money is set and the model's price is unknown.
        """
        name = model.fingerprint()
        with self._lock:
            if name not in self._models:
                self._models[name] = self._opened(model, name)
            if (name, role) not in self._askers:
                self._askers[name, role] = RoleAsker(self._models[name], role, self)
            return self._askers[name, role]

    @property
    def concurrency(self) -> int:
        """Requests that may be under way at a time, to each model."""
        return self.settings.concurrency

    @property
    def refuses(self) -> bool:
        """Whether the mode is `off`."""
        return self.settings.mode == "off"

    @property
    def on_tape(self) -> bool:
        """Whether the mode is `record` or `replay`: a stage's own memory is then passed by, since its results would
        be made of replies that no cassette holds."""
        return self.settings.mode in ("record", "replay")

    def charge(self, model: Llm, role: str, counts: Mapping[str, int]) -> None:
        """Count `calls`, tokens and `untold` of a result that a stage's own memory kept; the model
        need not be open."""
        name = model.fingerprint()
        with self._lock:
            self.ledger.tariffs.setdefault(name, self._prices.tariff(model))
        told = {key: counts.get(key, 0) for key in COUNTS}
        self.ledger.add((role, name), told | {"asks": told["calls"], "stored": told["calls"]})

    def reply(self, model: OpenModel, role: str, request: ChatRequest) -> Reply:
        """One reply, counted under `role`; see `RoleAsker.ask`."""
        row = (role, model.name)
        try:
            reply, source = self._found(model, role, request)
        except UserError as error:
            self.ledger.fail(row, error, refused=self.refuses)
            raise
        self.ledger.charge(row, reply, source)
        return reply

    def flush(self) -> None:
        """Write what was recorded."""
        self._cassettes.flush()

    def close(self) -> None:
        """Write what was recorded and close the models."""
        try:
            self.flush()
        finally:
            self._stack.close()
            self._models.clear()
            self._askers.clear()

    def _opened(self, model: Llm, name: str) -> OpenModel:
        tariff = self._prices.tariff(model)
        self.ledger.tariffs[name] = tariff
        if self.settings.mode not in ("live", "record"):
            return OpenModel(model, name, tariff, None, self.settings.concurrency)
        if self.settings.budget.money is not None and tariff.input is None:
            hint = "Give it in a file named by calls.prices, or limit calls and tokens instead."
            raise ConfigError("calls.budget.money", expected=f"a price of {tariff.model}", found="none", hint=hint)
        worker = self._stack.enter_context(model.open())
        return OpenModel(model, name, tariff, worker, self.settings.concurrency)

    def _found(self, model: OpenModel, role: str, request: ChatRequest) -> tuple[Reply, str]:
        mode = self.settings.mode
        if self.refuses:
            raise UserError(f"{role}: models are off", hint="Set calls.mode=live (RAGBENCH_LLM=live) to ask them.")
        key = request_key(model.recipe, request)
        if mode == "replay":
            return self._cassettes.reply(key, role, request), "replayed"
        reply, source = model.once(key, lambda: self._stored_or_sent(model, role, key, request))
        if mode == "record":
            self._cassettes.add(Entry(key, role, model.tariff.model, model.recipe, request, reply))
        return reply, source

    def _stored_or_sent(self, model: OpenModel, role: str, key: str, request: ChatRequest) -> tuple[Reply, str]:
        table = self._store.table(TABLE)
        found = table.get_many([key]).get(key)
        if found is not None:
            return from_row(Reply, loads(found)), "stored"
        recorded = self._cassettes.found(key) if self.settings.mode == "record" else None
        reply = recorded or model.send(request, self.budget, self.listeners.get(role))
        row = dumps(to_row(reply))
        table.add_many({key: row})
        first = table.get_many([key]).get(key)  # of two processes that asked at a time, one reply counts
        if first is None:  # what was there was damaged
            table.put_many({key: row})
        return (reply if first in (None, row) else from_row(Reply, loads(first))), "replayed" if recorded else "sent"


class RoleAsker:
    """An open model whose calls are counted under one role; see `ragbench.llm.base.Asker`."""

    def __init__(self, model: OpenModel, role: str, calls: ModelCalls) -> None:
        self.role = role
        self._model, self._calls = model, calls

    def ask(self, request: ChatRequest) -> Reply:
        """One reply.

        Raises BudgetSpent once a limit is reached, UserError in `off` mode and where the model gives no reply; `calls`
        of the error are the requests sent for it. In `replay` mode a missing entry is MissingEntry, which is no
        UserError: nothing falls back for it.
        """
        return self._calls.reply(self._model, self.role, request)


class OpenModel:
    """A model that is open (`worker` None: in modes that send nothing), its price, and the requests under way."""

    def __init__(self, model: Llm, name: str, tariff: Tariff, worker: Asker | None, concurrency: int) -> None:
        self.name, self.tariff = name, tariff
        self.recipe: Any = model.recipe()
        self._worker = worker
        self._free = BoundedSemaphore(concurrency)
        self._lock = Lock()
        self._flights: dict[str, Future[Reply]] = {}
        self._fault: ConfigError | None = None

    def once(self, key: str, make: Callable[[], tuple[Reply, str]]) -> tuple[Reply, str]:
        """What `make` gives; callers with a key that is under way wait for its reply, which counts as stored."""
        with self._lock:
            flight = self._flights.get(key)
            leads = flight is None
            if flight is None:
                flight = self._flights[key] = Future()
        if not leads:
            return _awaited(flight), "stored"
        try:
            reply, source = make()
            flight.set_result(reply)
            return reply, source
        except BaseException as error:
            flight.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._flights[key]

    def send(self, request: ChatRequest, budget: Budget, listener: Listener | None = None) -> Reply:
        """Ask the model within the budget and the limit of requests at a time; `listener` hears the reply come."""
        assert self._worker is not None
        with self._free:
            if self._fault is not None:
                raise _again(self._fault)
            budget.begin()
            used: Mapping[str, int] = {}
            try:
                with listening(listener):
                    reply = self._worker.ask(request)
                used = spent(reply)
                return reply
            except UserError as error:
                used = spent(error)
                if isinstance(error, ConfigError):
                    self._fault = error
                raise
            finally:
                budget.end(used, self.tariff)


def _awaited(flight: Future[Reply]) -> Reply:
    try:
        return flight.result()
    except UserError as error:
        raise _again(error) from None


def _again(error: UserError) -> UserError:
    """The same error for another asker, who sent nothing."""
    return type(error)(error.thing, expected=error.expected, found=error.found, hint=error.hint)
