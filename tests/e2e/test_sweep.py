"""Sweeps compute what variants share once; small chunks do not win by attrition."""

from __future__ import annotations

import random

import pytest

from ragbench.core.blobs import BlobTable
from ragbench.core.codec import read_json
from ragbench.run_dir.read import RunDir
from tests.e2e.world import OFFLINE, local, write_set


def runs_of(output) -> list[RunDir]:
    folder = output.sweep
    return [RunDir(folder.parent / point["run_id"]) for point in read_json(folder / "sweep.json")["points"]]


def test_alphas_and_cut_offs_are_rescored_from_one_pool(cli, tiny, models):
    asked = [*local(tiny), *OFFLINE, models, "variant=hybrid"]
    out = cli("sweep", *asked, "alpha=0,0.25,0.5,0.75,1", "k=1,3,5")
    runs = runs_of(out)
    assert len(runs) == 15
    first, *rest = [run.manifest["stages"] for run in runs]
    assert first["computed"] == {"corpus": 1, "chunks": 1, "sparse": 1, "index": 1}
    assert first["embedded"]["texts"] > 0
    for stages in rest:
        assert stages["embedded"] == {"texts": 0}
        assert stages["computed"] == {}
    table = BlobTable(runs[0].folder.parents[1] / ".ragbench" / "store" / "tables" / "routes.sqlite")
    assert len(table) == 10 * 2, "one list a question and route"
    table.close()
    lists = [found for run in runs[1:] for trace in run.traces() for found in trace.steps[0].route_lists]
    assert len(lists) == 14 * 10 * 2
    assert all(found.cached for found in lists)
    assert f"texts embedded {first['embedded']['texts']}" in out.out.splitlines()[-2]


def test_answers_are_the_only_new_texts_of_a_grid(cli, tiny, models):
    out = cli("sweep", *local(tiny), models, "sink=files", "variant=hybrid", "alpha=0,0.25,0.5,0.75,1", "k=1,3,5")
    runs = runs_of(out)
    assert len(runs) == 15
    counts = [run.manifest["stages"]["embedded"] for run in runs]
    assert counts[0]["retrieval"] > 0
    assert all("retrieval" not in more and "reranking" not in more for more in counts[1:])
    tables = runs[0].folder.parents[1] / ".ragbench" / "store" / "tables"
    stored = 0
    for name in ("vectors", "token_vectors"):
        table = BlobTable(tables / f"{name}.sqlite")
        stored += len(table)
        table.close()
    assert sum(one["texts"] for one in counts) == stored, "no text was computed twice"


def test_the_pure_routes_are_the_ends_of_alpha(cli, tiny, warm, models):
    asked = [*local(tiny), *OFFLINE, models, f"paths.store={warm}"]
    ends = runs_of(cli("sweep", *asked, "variant=hybrid", "alpha=0,1"))
    pure = runs_of(cli("sweep", *asked, "variant=bm25,dense"))
    for mixed, alone in zip(ends, pure, strict=True):
        for one, two in zip(mixed.traces(), alone.traces(), strict=True):
            found = [item.chunk for item in two.fused]
            assert [item.chunk for item in one.fused][: len(found)] == found


def test_reranker_and_generator_change_no_artifact(cli, tiny, warm, models):
    out = cli(
        "sweep", *local(tiny), *OFFLINE[1:], models, f"paths.store={warm}", "variant=hybrid,hybrid_rerank", "generator=none,extractive"
    )  # fmt: skip
    runs = runs_of(out)
    assert len(runs) == 4
    assert len({str(run.manifest["keys"]) for run in runs}) == 1
    assert all(run.manifest["stages"]["computed"] == {} for run in runs[1:])


def long_facts() -> tuple[dict[str, str], list[dict[str, object]]]:
    """Ten questions with evidence of about 600 characters, ten with a short one; each fact in a document of its own."""
    rng = random.Random(7)
    common = [f"w{rng.randrange(400):03d}" for _ in range(4000)]
    documents, rows = {}, []
    for number in range(20):
        subject = f"subject{number:02d}"
        filler = [" ".join(rng.sample(common, 60)) for _ in range(6)]
        words = 120 if number < 10 else 5
        told = [subject if at % 60 == 45 else rng.choice(common) for at in range(words)]
        evidence = f"The {subject} rule says: {' '.join(told)}"[:600].rsplit(" ", 1)[0] + "."
        documents[f"{subject}.txt"] = "\n\n".join([*filler[:3], evidence, *filler[3:]])
        rows.append(
            {
                "id": f"q{number:02d}", "question": f"What does the {subject} rule say?", "category": "lookup",
                "language": "en", "answerable": True, "reference": "", "evidence": [{"doc": f"{subject}.txt", "quote": evidence}],
            }
        )  # fmt: skip
    return documents, rows


@pytest.mark.parametrize("unit", ["words", "tokens"])
@pytest.mark.parametrize("splitter", ["fixed", "recursive"])
def test_small_chunks_do_not_win_by_attrition(cli, tmp_path, unit, splitter):
    documents, rows = long_facts()
    lengths = sorted(len(row["evidence"][0]["quote"]) for row in rows)
    assert lengths[9] < 120
    assert 560 < lengths[10] <= lengths[19] <= 600
    folder = write_set(tmp_path / "attrition", documents, rows)
    out = cli(
        "sweep", *local(folder), *OFFLINE, "variant=bm25", f"splitter={splitter}", f"chunk_unit={unit}",
        "chunk_size=16,512", "overlap=0",
    )  # fmt: skip
    small, large = (run.summary["metrics"] for run in runs_of(out))
    for name in ("ranking/recall@5", "ranking/mrr", "ranking/ndcg@10"):
        assert (small[name]["n_scored"], small[name]["n_na"], small[name]["n_failed"]) == (20, 0, 0)
        assert large[name]["n_scored"] == 20
        assert large[name]["mean"] > small[name]["mean"], name
    assert large["ranking/recall@5"]["mean"] > 0.95
    assert small["chunks/evidence_intact"]["mean"] <= 0.5


def test_two_sets_of_one_name_are_two_variants(cli, tiny, here):
    documents, rows = long_facts()
    other = write_set(here / "other" / tiny.name, documents, rows)
    out = cli("sweep", "eval_set=local", f"eval_set.path={tiny},{other}", *OFFLINE, "variant=bm25")
    assert [run.summary["n_questions"] for run in runs_of(out)] == [10, 20]


def test_equal_variants_are_folded_with_a_note(cli, tiny, warm):
    asked = [
        *local(tiny),
        *OFFLINE,
        f"paths.store={warm}",
        "variant=bm25",
        "splitter=whole,fixed",
        "chunk_size=100,200",
    ]
    out = cli("sweep", *asked)
    assert "note: splitter=whole chunk_size=200 is the same variant as splitter=whole chunk_size=100" in out.out
    assert "3 variants" in out.out
    assert len(runs_of(out)) == 3
    noted = read_json(out.sweep / "sweep.json")["folded"]
    assert [line.partition(" (")[0] for line in noted] == [
        "splitter=whole chunk_size=100 leaves something without effect",
        "splitter=whole chunk_size=200 is the same variant as splitter=whole chunk_size=100",
    ]
    refused = cli("run", *local(tiny), *OFFLINE, "variant=bm25", "splitter=whole", "chunk_size=100", code=2)
    assert "chunk_size: the chosen splitter (whole) has no such knob" in refused.err


def test_a_misfit_anywhere_stops_a_sweep_before_it_begins(cli, tiny, here):
    out = cli("sweep", *local(tiny), *OFFLINE, "variant=bm25", "overlap=0,50", "chunk_size=100,40", "k=0,5", code=2)
    assert "overlap=50 chunk_size=40 k=5: overlap: expected less than chunk_size" in out.err
    assert "overlap=50 chunk_size=40 k=0: k: expected a whole number of at least 1, found 0" in out.err
    assert "overlap=0 chunk_size=100 k=5" not in out.err
    assert "Nothing was computed." in out.err
    assert list(here.iterdir()) == []


def test_json_of_a_sweep_is_its_file(cli, tiny, warm):
    out = cli("sweep", *local(tiny), *OFFLINE, f"paths.store={warm}", "variant=bm25", "k=1,2", "--json")
    assert out.json == read_json(out.sweep / "sweep.json")
    assert out.json["status"] == "finished"
    assert out.json["axes"] == ["k"]
    assert [point["label"] for point in out.json["points"]] == ["k=1", "k=2"]
