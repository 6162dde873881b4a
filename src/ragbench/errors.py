"""Errors written for people.

Every error a user can cause is one line that names the thing, says what was expected, what was found
and what to do next. The command line turns these into exit codes; a traceback is a bug.
"""

from __future__ import annotations

from collections.abc import Sequence


class RagbenchError(Exception):
    """Base of all errors shown to users; `exit_code` is what the command line exits with."""

    exit_code = 2


class UserError(RagbenchError):
    """Something the user gave cannot be used.

    Args:
        thing: what is wrong, by the name the user knows (`overlap`, `handbook.pdf`, `question pz-017`).
        expected: what would have been right.
        found: what was there instead.
        hint: the next step.

    `calls` counts requests that were sent to a model or service for nothing before it was raised, the tokens are what
    their answers say they used, and `untold` counts answers that said nothing of it.
    """

    calls = 0
    prompt_tokens = 0
    completion_tokens = 0
    untold = 0

    def __init__(self, thing: str, *, expected: str = "", found: str = "", hint: str = "") -> None:
        self.thing, self.expected, self.found, self.hint = thing, expected, found, hint
        parts = [thing]
        if expected:
            parts.append(f"expected {expected}")
        if found:
            parts.append(f"found {found}")
        line = ": ".join([parts[0], ", ".join(parts[1:])]) if len(parts) > 1 else parts[0]
        super().__init__(" ".join(f"{line}{'. ' + hint if hint else ''}".split()))


class ConfigError(UserError):
    """A configuration key, value or combination that cannot work."""


class DataError(UserError):
    """A document, question or file that cannot be used."""


class Problems(RagbenchError):
    """Several problems found by one check, reported together."""

    def __init__(self, title: str, problems: Sequence[str], hint: str = "") -> None:
        self.title, self.problems, self.hint = title, tuple(problems), hint
        lines = [f"{title}: {len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"]
        lines += [f"  - {problem}" for problem in self.problems]
        if hint:
            lines.append(hint)
        super().__init__("\n".join(lines))


class StoreError(RagbenchError):
    """The artifact store cannot be read or written."""


class MissingExtra(UserError):
    """An optional dependency that this configuration needs is not installed."""

    def __init__(self, package: str, extra: str, needed_by: str) -> None:
        super().__init__(
            needed_by,
            expected=f"the package {package}",
            found="it is not installed",
            hint=f"Install it with: pip install 'ragbench[{extra}]' (in a clone: pip install '.[{extra}]')",
        )


class CannotOpen(RagbenchError):
    """A stage's model, index or client cannot be opened, so that no question could be put to it."""

    def __init__(self, slot: str, error: Exception) -> None:
        known = isinstance(error, RagbenchError)
        super().__init__(str(error) if known else f"{slot}: cannot be opened ({type(error).__name__}: {error})")


class StartAgain(RagbenchError):
    """What the work was built on turned out otherwise; it starts again, and no question is counted as failed for it."""


class CannotTell(RagbenchError):
    """Too much failed, or too little was there, to report a result (exit code 3)."""

    exit_code = 3
