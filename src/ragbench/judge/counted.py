"""A model that is asked for one answer's verdict, and what that has cost so far."""

from __future__ import annotations

from collections import Counter

from ragbench.errors import UserError
from ragbench.llm.base import Asker, ChatRequest, Reply
from ragbench.llm.usage import spent


class CountedAsker:
    """Passes requests on and adds up `calls`, tokens and `untold` in `spent`, also of those that failed."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self.spent: Counter[str] = Counter()

    def ask(self, request: ChatRequest) -> Reply:
        """See `ragbench.llm.base.Asker`."""
        try:
            reply = self._asker.ask(request)
        except UserError as error:
            self.spent.update(spent(error))
            raise
        self.spent.update(spent(reply))
        return reply
