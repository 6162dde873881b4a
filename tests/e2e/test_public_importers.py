"""Every importer on the public data: what came in, what was put right, what was left out."""

from __future__ import annotations

import csv

import pytest

from ragbench.core.codec import read_json

pytestmark = pytest.mark.data
OFFLINE = ("variant=bm25", "generator=none", "judge=none", "sink=files", "split=all")


def reasons(facts: dict, kind: str) -> dict[str, int]:
    return {row["reason"]: row["count"] for row in facts["reasons"] if row["kind"] == kind}


def checked(cli, facts: dict) -> dict:
    """What `check` and `stats` say of an imported set; the set is frozen and every file was used."""
    found = cli("eval-set", "check", facts["folder"], "--json").json
    assert (found["questions"], found["documents"]) == (facts["questions"], facts["documents"])
    assert found["failed_files"] == []
    assert found["lock"] == facts["lock"]
    described = cli("eval-set", "stats", facts["folder"], "--json").json
    assert described["unanswerable"] == facts["unanswerable"]
    assert described["by_split"] == facts["by_split"]
    assert all(len(line) <= 100 for line in cli("eval-set", "stats", facts["folder"]).out.splitlines())
    return described


def test_cmrc_in_squad_form_has_135_bad_offsets(cli, here, data_dir):
    facts = cli("eval-set", "import", "squad", data_dir / "cmrc2018" / "cmrc2018_dev.squad.json", "dev", "--json").json
    assert (facts["documents"], facts["questions"], facts["rejected"]) == (564, 2139, 0)
    assert reasons(facts, "dropped") == {"wrong offset, and the quote is not in the document": 135}
    assert (facts["repaired"], facts["evidence"], facts["groups"]) == (0, 2658, 2139)
    found = checked(cli, facts)
    assert found["leakage"]["sentences"]["mean"] > 5 * found["leakage"]["evidence"]["mean"]


def test_cmrc_in_its_own_form_has_no_offsets(cli, here, data_dir):
    facts = cli(
        "eval-set", "import", "cmrc", data_dir / "cmrc2018" / "cmrc2018_trial.native.json", "trial", "--json"
    ).json
    assert (facts["documents"], facts["questions"]) == (256, 994)
    assert reasons(facts, "rejected") == {"the quote stands at several places": 6, "the question has no text": 2}
    assert reasons(facts, "noted") == {"the quote stands at several places: each is accepted": 70}
    assert set(facts["by_language"]) <= {"zh", "mixed"}
    checked(cli, facts)


def test_chunking_evaluation_keeps_every_span(cli, here, data_dir):
    source = data_dir / "chunking_evaluation"
    facts = cli("eval-set", "import", "chunking_evaluation", source, "spans", "--json").json
    assert (facts["documents"], facts["questions"], facts["evidence"], facts["groups"]) == (3, 276, 452, 452)
    assert facts["reasons"] == []
    described = checked(cli, facts)
    assert described["evidence"]["groups"] == {"1": 169, "2": 55, "3": 37, "4": 13, "5": 2}
    with (source / "questions_df.csv").open(encoding="utf-8", newline="") as handle:
        assert sum(1 for _ in csv.DictReader(handle)) == facts["questions"]


def test_lihua_world_repairs_three_and_rejects_one(cli, here, data_dir):
    facts = cli("eval-set", "import", "lihua_world", data_dir / "lihua_world", "lihua", "--json").json
    assert facts["by_category"] == {"lookup": 188, "multi_hop": 36, "negative": 39}
    assert (facts["documents"], facts["unanswerable"]) == (299, 39)
    assert reasons(facts, "repaired") == {"no colon in the time": 2, "blanks around the time": 1}
    (lost,) = (row for row in facts["reasons"] if row["kind"] == "rejected")
    assert lost["ids"] == ["lihua-297"]
    assert "behind a tab" in lost["reason"]
    described = checked(cli, facts)
    assert described["evidence"]["whole_documents"] == 188 + 36
    assert len(described["repeats"]["same_questions"]) == 2


def test_lihua_world_is_run(cli, here, data_dir):
    facts = cli("eval-set", "import", "lihua_world", data_dir / "lihua_world", "lihua", "--json").json
    out = cli("run", "eval_set=local", f"eval_set.path={facts['folder']}", *OFFLINE)
    recall = out.summary["by_category"]["multi_hop"]["ranking/recall@5"]
    assert (recall["n_scored"], recall["n_failed"]) == (36, 0)
    assert out.summary["eval_set"]["lock"] == facts["lock"]
    assert 0.3 < recall["mean"] < 0.95


def test_dragonball_rejects_what_it_cannot_find(cli, here, data_dir):
    facts = cli("eval-set", "import", "dragonball", data_dir / "nc_dragonball", "dragon", "--json").json
    assert (facts["documents"], facts["questions"], facts["unanswerable"]) == (140, 2094, 167)
    assert facts["questions"] + facts["rejected"] == 938 + 1053 + 50 + 70
    assert reasons(facts, "repaired") == {
        "white space differs: placed where the rest agrees": 105,
        "no document has the name given: placed in the only document that holds the words": 15,
    }
    assert reasons(facts, "rejected") == {
        "the quote is not in the document": 12,
        "labelled unanswerable, but its answer states no lack": 5,
    }
    assert facts["by_language"] == {"en": 973, "zh": 1121}
    assert set(facts["by_category"]) == {"comparison", "multi_hop", "negative"}
    described = checked(cli, facts)
    assert set(described["evidence"]["documents_needed"]) == {"2"}
    sheet = (here / facts["folder"] / "DATASHEET.md").read_text(encoding="utf-8")
    assert "non-commercial" in sheet
    one = cli("eval-set", "import", "dragonball", data_dir / "nc_dragonball", "zh", "--language", "zh", "--json").json
    assert (one["documents"], one["by_language"]) == (70, {"zh": 1121})


def test_dragonball_in_its_published_form_names_documents_by_number(cli, here, data_dir):
    sources = (
        data_dir / "nc_dragonball" / "dragonball_docs.jsonl",
        data_dir / "nc_rageval_parity" / "example_finance_en_gpt-4o.jsonl",
    )
    facts = cli("eval-set", "import", "dragonball", *sources, "published", "--json").json
    assert (facts["questions"] + facts["rejected"], facts["rejected"]) == (350, 10)
    assert set(facts["by_category"]) == {"comparison", "lookup", "multi_hop", "negative"}


def test_chunking_evaluation_is_run(cli, here, data_dir):
    facts = cli("eval-set", "import", "chunking_evaluation", data_dir / "chunking_evaluation", "spans", "--json").json
    out = cli("run", "eval_set=local", f"eval_set.path={facts['folder']}", *OFFLINE)
    recall = out.summary["metrics"]["ranking/recall@5"]
    assert (recall["n_scored"], recall["n_failed"]) == (276, 0)
    assert recall["mean"] > 0.5


def test_laws_are_a_corpus_that_waits_for_questions(cli, here, data_dir, tmp_path):
    facts = cli("eval-set", "import", "laws", data_dir / "laws_zh", "laws", "--json").json
    assert (facts["documents"], facts["questions"], facts["lock"]) == (45, 0, None)
    assert reasons(facts, "unread") == {"no law: it holds no article (第X条)": 2}
    assert reasons(facts, "noted") == {"no date in the file name": 3}
    text = cli("eval-set", "import", "laws", data_dir / "laws_zh", "laws", "--force").out
    assert "next: write questions" in text
    assert cli("eval-set", "stats", "laws", "--json").json["documents"] == 45
    assert "ragbench eval-set import csv" in cli("eval-set", "check", "laws", code=2).err
    fronts = [path.read_text("utf-8") for path in (here / facts["folder"] / "corpus").rglob("*.md")]
    assert sum("\nstatus: superseded\n" in front for front in fronts) == 11
    corpus = here / facts["folder"] / "corpus"
    law = corpus / "行政法规" / "工伤保险条例(2010-12-20).md"
    quote = next(line for line in law.read_text("utf-8").splitlines() if line.endswith("公布"))
    table = tmp_path / "questions.csv"
    table.write_text(f"问题,原文,文档\n什么时候公布？,{quote},{law.stem}\n", "utf-8")
    made = cli("eval-set", "import", "csv", corpus, table, "laws_asked", "--json").json
    assert (made["documents"], made["questions"], made["rejected"]) == (45, 1, 0)
    assert read_json(here / made["folder"] / "IMPORTED")["format"] == "csv"


@pytest.mark.parametrize(
    ("name", "documents", "questions", "judgements"), [("cloud", 248, 86, 251), ("govt", 435, 105, 261)]
)
def test_beir_keeps_every_judgement_and_is_run(cli, here, data_dir, name, documents, questions, judgements):
    source = data_dir / "mtrag_un" / "beir" / name
    facts = cli("eval-set", "import", "beir", source, name, "--json").json
    assert (facts["documents"], facts["questions"], facts["groups"]) == (documents, questions, judgements)
    assert (facts["reasons"], facts["by_split"]) == ([], {"test": questions})
    checked(cli, facts)
    run = cli("run", "eval_set=local", f"eval_set.path={facts['folder']}", "splitter=whole", *OFFLINE).run
    cli("score", run, "--trec-run", "run.txt")
    qrels = source / "qrels" / "test.tsv"
    measures = {"ndcg@10": "doc_ndcg@10", "recall@10": "recall@10", "map": "map", "mrr": "mrr"}
    ours = cli("score", run, "--measures", *(f"ranking/{own}" for own in measures.values()), "--json").json
    run_file = (here / "run.txt").read_text("utf-8").replace(".txt ", " ")
    (here / "published_ids.txt").write_text(run_file, "utf-8")
    theirs = cli("score", "--trec", "published_ids.txt", "--qrels", qrels, "--measures", *measures, "--json").json
    for foreign, own in measures.items():
        assert theirs[foreign]["n_queries"] == questions
        assert theirs[foreign]["mean"] == pytest.approx(ours[f"ranking/{own}"]["mean"], abs=1e-9), foreign


@pytest.mark.parametrize("language", ["zh", "en"])
def test_xquad_by_article_finds_the_same_answers(cli, here, data_dir, language):
    source = data_dir / "xquad" / f"xquad.{language}.json"
    facts = cli("eval-set", "import", "squad", source, "articles", "--unit", "article", "--json").json
    assert (facts["documents"], facts["questions"], facts["repaired"], facts["rejected"]) == (32, 816, 0, 0)
    checked(cli, facts)


@pytest.mark.parametrize(
    ("collection", "documents", "questions", "unanswerable", "groups"),
    [("cloud", 248, 131, 45, 239), ("govt", 435, 157, 52, 261)],
)
def test_conversations_lose_no_task(cli, here, data_dir, collection, documents, questions, unanswerable, groups):
    source = data_dir / "mtrag_un"
    facts = cli("eval-set", "import", "mtrag", source, "talks", "--collection", collection, "--json").json
    assert (facts["documents"], facts["questions"], facts["unanswerable"]) == (documents, questions, unanswerable)
    assert (facts["groups"], facts["rejected"], facts["unread"]) == (groups, 0, 0)
    described = checked(cli, facts)
    assert described["evidence"]["whole_documents"] == questions - unanswerable
    assert described["follow_ups"] > 100
