"""The wording of a report in one language: every word of the pages stands in `text/<language>.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragbench.compare.table import higher_is_better
from ragbench.core.codec import read_json
from ragbench.errors import ConfigError

LANGUAGES = ("en", "zh")
OUTCOMES = (
    "ok", "chunk_cut", "query", "not_recalled", "ranked_out", "packed_out", "unused", "incomplete", "off_topic",
    "unfaithful", "false_answer", "false_refusal", "clarified", "failed", "unjudged",
)  # fmt: skip
"""Diagnosis classes in the order of the layers."""

FINE = frozenset({"ok"})
"""Diagnosis classes that are no loss."""

_TEXT = Path(__file__).parent / "text"


@cache
def texts(lang: str) -> Mapping[str, Mapping[str, Any]]:
    """All words of a language, by section; raises ConfigError for a language there are no words in."""
    if lang not in LANGUAGES:
        raise ConfigError("report.lang", expected=" or ".join(LANGUAGES), found=repr(lang))
    found: Mapping[str, Mapping[str, Any]] = read_json(_TEXT / f"{lang}.json")
    return found


@dataclass(frozen=True)
class Labels:
    """The wording of one language; raises ConfigError for a language there are no words in.

    Names that have no words here (categories of foreign sets, measures of other tools) stay as they are.
    """

    lang: str

    def __post_init__(self) -> None:
        texts(self.lang)

    def __call__(self, key: str, **values: object) -> str:
        """A sentence or word of the page, `{names}` filled in. An unknown key is a programming error (KeyError)."""
        return str(texts(self.lang)["ui"][key]).format(**values)

    def words(self, section: str) -> Mapping[str, Any]:
        """All words of one section."""
        return texts(self.lang)[section]

    def group(self, name: str) -> str:
        """A category, difficulty, language or split."""
        return self._name("groups", name)

    def layer(self, name: str) -> str:
        """Name of an evaluation layer."""
        return self._part("layers", name, 0, name)

    def layer_question(self, name: str) -> str:
        """The question a layer answers."""
        return self._part("layers", name, 1, "")

    def measure(self, name: str) -> str:
        """Short name of a measure such as `retrieval/recall@5`, with its cut-off."""
        base, _, cut = name.partition("@")
        last = base.rpartition("/")[2]
        shown = self._part("measures", last, 0, last.replace("_", " "))
        if "{cut}" in shown:
            return shown.format(cut=cut or "k")
        return f"{shown}@{cut}" if cut else shown

    def measure_in_list(self, name: str) -> str:
        """As `measure`; recall says which of the two rankings it reads, so that the two are told apart."""
        layer, _, rest = name.partition("/")
        side = {"retrieval": "before", "ranking": "after"}.get(layer)
        shown = self.measure(name)
        return f"{shown} {self(side)}" if side and rest.startswith("recall@") else shown

    def measure_with_direction(self, name: str) -> str:
        """As `measure_in_list`; a measure of which less is better says so."""
        shown = self.measure_in_list(name)
        return shown if higher_is_better(name) else self("s_lower", measure=shown)

    def measure_meaning(self, name: str) -> str:
        """What a measure says, in a sentence; empty for a measure without one."""
        return self._part("measures", name.partition("@")[0].rpartition("/")[2], 1, "")

    def outcome(self, name: str) -> str:
        """Name of a diagnosis class."""
        return self._part("outcomes", name, 0, name.replace("_", " "))

    def symptom(self, name: str) -> str:
        """What a diagnosis class looks like."""
        return self._part("outcomes", name, 1, "")

    def remedy(self, name: str) -> str:
        """What to change; the overrides to try are those of `ragbench.evaluate.advice`."""
        return self._part("outcomes", name, 2, "")

    def state(self, name: str) -> str:
        """A claim state or score status."""
        return self._name("states", name)

    def stage(self, name: str) -> str:
        """A stage of the pipeline."""
        return self._name("stages", name)

    def query_class(self, name: str) -> str:
        """A class of questions, a category, or the tier that decided it."""
        return self._name("query_classes", name) if name in texts(self.lang)["query_classes"] else self.group(name)

    def query_form(self, name: str) -> str:
        """What a searched text is of the question."""
        return self._name("query_forms", name)

    def kind(self, name: str) -> str:
        """A kind of stored artifact."""
        return self._name("kinds", name)

    def step(self, name: str) -> str:
        """A step of the run as a whole."""
        return self._name("steps", name)

    def _name(self, section: str, name: str) -> str:
        return str(texts(self.lang)[section].get(name, name))

    def _part(self, section: str, name: str, part: int, otherwise: str) -> str:
        found = texts(self.lang)[section].get(name)
        return str(found[part]) if found else otherwise
