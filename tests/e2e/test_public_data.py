"""Public question sets, from the file to the result."""

from __future__ import annotations

import pytest

from ragbench.core.codec import read_json

N_QUESTIONS = 816


@pytest.mark.data
@pytest.mark.parametrize("language", ["zh", "en"])
def test_xquad_is_imported_and_run(cli, here, data_dir, language):
    source = data_dir / "xquad" / f"xquad.{language}.json"
    known = read_json(source)["data"]
    n_questions = sum(len(paragraph["qas"]) for article in known for paragraph in article["paragraphs"])
    assert n_questions == N_QUESTIONS
    imported = cli("eval-set", "import", "squad", source, f"xquad_{language}", "--json").json
    assert imported["documents"] == sum(len(article["paragraphs"]) for article in known)
    assert imported["questions"] + imported["rejected"] == n_questions
    assert imported["rejected"] <= n_questions // 100
    folder = here / imported["folder"]
    assert folder == here / "eval_sets" / f"xquad_{language}" / "v1"
    checked = cli("eval-set", "check", f"xquad_{language}", "--json").json
    assert (checked["questions"], checked["failed_files"]) == (imported["questions"], [])

    asked = ["eval_set=local", f"eval_set.path={folder}", "variant=bm25", "generator=none", "judge=none", "sink=files"]
    asked.append("split=all")
    out = cli("run", *asked)
    assert out.summary["n_questions"] == imported["questions"]
    recall = out.summary["metrics"]["ranking/recall@5"]
    assert (recall["n_scored"], recall["n_failed"]) == (imported["questions"], 0)
    assert recall["mean"] > 0.9
    assert out.summary["eval_set"]["name"] == f"xquad_{language}"
    assert read_json(folder / "IMPORTED")["file"] == source.name
    assert {row["kind"] for row in imported["reasons"]} <= {"noted"}
    refused = cli("eval-set", "import", "squad", source, f"xquad_{language}", code=2)
    assert "expected a new folder, found an existing one" in refused.err
