"""The table of best values of an experiment that chooses: where they lie and what choosing is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.report.experiment_words import Words, joined
from ragbench.report.labels import Labels

Found = Mapping[str, Any]

COLUMNS = ("set", "measure", "category", "questions", "best", "best_interval", "tuned_gain", "says", "chosen_on")
"""Keys of the heads, and of each row."""


def best_table(found: Found, words: Words) -> list[dict[str, Any]]:
    """A row for each set, measure and category; none where nothing was chosen."""
    labels = Labels(words.lang)
    return [
        {
            "set": joined([row["set"], row["arm"]]),
            "measure": words.measure(row["metric"]),
            "category": labels.group(row["category"]) if row["category"] else words("all_questions"),
            "questions": row["n"],
            "best": row["best"],
            "best_interval": f"{row['low']:g} … {row['high']:g}",
            "tuned_gain": words.gain({"mean": row["gain"], "low": row["gain_low"], "high": row["gain_high"]}, "above"),
            "says": words(f"says_{row['says']}"),
            "code": {"better": "good", "worse": "bad"}.get(row["says"], ""),
            "chosen_on": words("chosen_apart" if row["apart"] else "chosen_halves"),
        }
        for row in found.get("best", ())
    ]
