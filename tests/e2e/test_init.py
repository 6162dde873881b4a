"""From a folder of documents to a first report."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ragbench.cli.main import _parser
from ragbench.core.codec import read_jsonl
from ragbench.errors import ConfigError
from ragbench.project import settle
from ragbench.project.settle import settled
from ragbench.run.compose import compose

FAST = ("variant=bm25", "sink=files", "judge=none", "generator=none")


def folder_of(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


FILES = {
    "制度/考勤.md": "# 考勤\n\n## 补卡\n\n忘记打卡的，当月可以补卡三次。\n\n## 请假\n\n请假须提前一天在系统里提交申请。\n",
    "guide/backup.html": "<h1>Backup</h1><h2>Restore</h2><p>Stop the node before you restore a snapshot.</p>",
    "mixed notes.txt": "上线前请确认 Kubernetes 版本不低于 1.27，并打开 feature flag。",
    "broken.pdf": "not a pdf",
    "picture.png": "x",
}


@pytest.mark.parametrize("link", [[], ["--link"]])
def test_documents_to_report_in_three_commands(cli, here, link, monkeypatch):
    docs = folder_of(FILES, here / "my documents")
    out = cli("init", "project", "--corpus", docs, *link).out
    assert "3 documents, 1 could not be read, 1 of unknown kind, 4 drafted questions" in out
    assert "broken.pdf" in out
    monkeypatch.chdir(here / "project")
    assert "4 questions on 3 documents, all evidence located" in cli("eval-set", "check", "my_documents").out
    run = cli("run", *FAST)
    assert run.summary["n_questions"] == 4
    assert run.summary["metrics"]["retrieval/recall@5"]["mean"] == 1
    assert Path(cli("report", "latest").out.split("report: ")[1].strip()).is_file()
    readme = Path("README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"`ragbench (corpus check [^`]*)`", readme)
    cli(*line.split())


@pytest.fixture
def project(cli, here, monkeypatch) -> Path:
    """A new project with the example, and the working folder in it."""
    cli("init", "my-rag")
    monkeypatch.chdir(here / "my-rag")
    return here / "my-rag"


def test_what_is_made_is_named(cli, here):
    found = cli("init", "demo", "--json").json
    assert (found["eval_set"], found["documents"], found["questions"]) == ("my_docs", 6, 10)
    there = sorted(path.relative_to(here / "demo").as_posix() for path in (here / "demo").rglob("*") if path.is_file())
    assert found["written"] == there
    assert {"Makefile", ".gitignore", ".github/workflows/rag-gate.yml", "configs/ragbench.yaml", "README.zh-CN.md"} < {
        *there
    }
    assert not [
        path for path in there if "__" in path or "__NAME__" in (here / "demo" / path).read_text(encoding="utf-8")
    ]
    assert (here / "demo").stat().st_mode & 0o777 == (here / "demo" / "configs").stat().st_mode & 0o777


def test_the_example_has_every_kind_of_question(cli, project):
    assert "10 questions on 6 documents, all evidence located" in cli("eval-set", "check", "my_docs").out
    rows = list(read_jsonl(Path("eval_sets/my_docs/v1/questions.jsonl")))
    assert {row["language"] for row in rows} == {"zh", "en", "mixed"}
    for language in ("zh", "en"):
        of = [row for row in rows if row["language"] == language]
        assert any(row.get("answerable") is False for row in of)
        assert any(len({item.get("group") for item in row["evidence"]} - {None}) == 2 for row in of)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_from_nothing_to_a_gated_change(cli, project, lang, monkeypatch):
    """Check, run, promote, gate; then a change that is compared, and one that the gate does not let pass."""
    monkeypatch.setenv("RAGBENCH_LANG", lang)
    first = cli("run", *FAST)
    assert first.summary["eval_set"]["name"] == "my_docs"
    assert first.summary["n_questions"] == 10
    cli("baseline", "set", "latest")
    assert (project / "baselines" / "my_docs.json").is_file()
    cli("gate", "--markdown", "gate.md")
    assert ("通过" if lang == "zh" else "pass") in Path("gate.md").read_text(encoding="utf-8")
    changed = cli("run", "k=1", *FAST)
    assert "k" in cli("compare", first.run, changed.run).out
    cli("run", "splitter=fixed", "chunk_unit=chars", "chunk_size=2", "overlap=0", *FAST)
    assert "regression" in cli("gate", code=1).out


def test_what_the_command_line_says_wins_over_the_project(project):
    config = compose([])
    assert (config.choices["eval_set"], config.choices["variant"]) == ("my_docs", "hybrid")
    assert compose(["eval_set=policy_zh"]).choices["eval_set"] == "policy_zh"
    mine = compose(["variant=mine"])
    assert (mine.choices["splitter"], mine.choices["reranker"], mine.data["chunk_size"], mine.data["k"]) == (
        "markdown", "late_interaction", 120, 3,
    )  # fmt: skip
    assert compose(["variant=mine", "k=9", "splitter=whole"]).data["k"] == 9
    with pytest.raises(ConfigError, match="Did you mean chunk_size"):
        compose(["chunk_sise=3"])


def test_the_project_may_choose_its_variant_and_values(project):
    path = project / "configs" / "ragbench.yaml"
    text = path.read_text(encoding="utf-8").replace("  # - override variant", "  - override variant")
    path.write_text(f"{text}\nreport:\n  lang: zh\n", encoding="utf-8")
    found = compose([])
    assert (found.choices["variant"], found.choices["eval_set"], found.data["chunk_size"]) == ("mine", "my_docs", 120)
    assert found.data["report"]["lang"] == "zh"
    assert compose(["variant=bm25"]).choices["reranker"] == "none"
    assert compose(["variant=bm25"]).data["chunk_size"] is None


def test_other_programs_configurations_change_nothing(here):
    """A folder `configs/` with a `config.yaml` is common; without ragbench.yaml it only adds options."""
    folder_of({"configs/config.yaml": "lr: 0.1\n", "configs/model/net.yaml": "size: 3\n"}, here)
    assert compose([]).choices["eval_set"] == "policy_zh"


def test_the_gate_of_a_project_is_the_documented_one(project, repo):
    workflow = project / ".github" / "workflows" / "rag-gate.yml"
    assert workflow.read_bytes() == (repo / "docs" / "ci" / "rag-gate.yml").read_bytes()
    caller = yaml.safe_load((workflow.parent / "pull-request.yml").read_text(encoding="utf-8"))["jobs"]["gate"]
    inputs = yaml.safe_load(workflow.read_text(encoding="utf-8"))[True]["workflow_call"]["inputs"]
    assert (project / caller["uses"]).is_file()
    assert caller["with"].keys() == inputs.keys()
    assert (project / caller["with"]["eval_set"] / "questions.jsonl").is_file()


@pytest.mark.slow
def test_the_steps_of_the_workflow_pass(project):
    """As the service runs them: promoted by hand first, then a pull request that changes nothing."""
    tools = project / "bin"
    tools.mkdir()
    for name, line in (("ragbench", f'exec "{sys.executable}" -m ragbench "$@"'), ("pip", "exit 0")):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    workflows = project / ".github" / "workflows"
    given = yaml.safe_load((workflows / "pull-request.yml").read_text(encoding="utf-8"))["jobs"]["gate"]["with"]
    steps = yaml.safe_load((workflows / "rag-gate.yml").read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    own = {name.upper(): value for name, value in given.items()} | {"GITHUB_STEP_SUMMARY": str(project / "summary.md")}
    own["OVERRIDES"] = " ".join(FAST)
    for skipped in ("${{ !inputs.promote }}", "${{ inputs.promote }}"):
        for step in steps:
            if "run" in step and step.get("if") != skipped:
                environment = os.environ | own | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
                subprocess.run(["bash", "-euo", "pipefail", "-c", step["run"]], env=environment, check=True)
    assert "pass" in (project / "summary.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_its_makefile_hands_on_what_is_given(project):
    (project / "echo").write_text(
        '#!/bin/sh\nfor word in "$@"; do printf "<%s>" "$word"; done\necho\n', encoding="utf-8"
    )
    (project / "echo").chmod(0o755)

    def made(*arguments: str) -> str:
        outer = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        command = ["make", "RAGBENCH=./echo", *arguments]
        return subprocess.run(command, env=outer, check=True, capture_output=True, text=True).stdout

    assert made("run", "eval_set=policy_zh", "x=年假 it's $HOME") == "<run><eval_set=policy_zh><x=年假 it's $HOME>\n"
    assert made("sweep", "chunk_size=120,250", "ARGS=--jobs 2") == "<sweep><chunk_size=120,250><--jobs><2>\n"
    assert made("compare", "A=runs/a b", "B=latest") == "<compare><runs/a b><latest>\n"
    assert made("gate", "gate.margin=0.1") == "<gate><gate.margin=0.1>\n"
    assert made("baseline", "RUN=latest") == "<baseline><set><latest>\n"
    assert (made("report"), made("diagnose", "RUN=r-1")) == ("<report><latest>\n", "<diagnose><r-1>\n")
    assert made("experiment", "NAME=alpha") == "<experiment><alpha>\n"
    assert made("check") == "<corpus><check><eval_sets/my_docs/v1/corpus>\n<eval-set><check><my_docs>\n"
    named = re.findall(r"make ([a-z]+) ", made("help"))
    assert {"run", "sweep", "compare", "gate", "baseline", "lock", "ui"} < set(named)


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_commands_of_its_readme_parse(project, page):
    text = (project / page).read_text(encoding="utf-8")
    named = [line.split("#")[0] for line in text.splitlines() if line.startswith("ragbench ")]
    named += re.findall(r"`(ragbench [a-z][^`]*)`", text)
    assert len(named) >= 8
    for line in named:
        words = shlex.split(line)[1:]
        _parser(words[0]).parse_args(words)
    for path in re.findall(r"^\| `([^`]+)`", text, re.MULTILINE):
        assert (project / path).exists()


def test_nothing_is_overwritten_and_all_in_the_way_is_named(cli, here):
    folder_of({"p/README.md": "mine", "p/Makefile": "mine", "p/notes.txt": "mine"}, here)
    err = cli("init", "p", code=2).err
    assert "p: expected a new or empty folder, found Makefile, README.md in the way. Nothing was written" in err
    assert {path.name: path.read_text(encoding="utf-8") for path in (here / "p").iterdir()} == dict.fromkeys(
        ("README.md", "Makefile", "notes.txt"), "mine"
    )
    cli("init", "q")
    before = sorted((path, path.stat().st_mtime_ns) for path in (here / "q").rglob("*"))
    assert "in the way" in cli("init", "q", code=2).err
    assert before == sorted((path, path.stat().st_mtime_ns) for path in (here / "q").rglob("*"))


def test_a_new_repository_and_other_files_are_not_in_the_way(cli, here, monkeypatch):
    folder_of({"p/.git/HEAD": "ref", "p/docs/a.md": "# A\n\n## B\n\nA sentence that is long enough.\n"}, here)
    monkeypatch.chdir(here / "p")
    out = cli("init", ".", "--corpus", "docs").out
    assert "cd " not in out
    assert "1 questions on 1 documents" in cli("eval-set", "check", "docs").out
    assert {".git", "docs", "Makefile"} < {path.name for path in Path().iterdir()}
    assert not list(Path().glob(".ragbench-*"))


@pytest.mark.parametrize("name", ["项目 一", "a/b/c", "../beside", "--odd", "with 'quotes'"])
def test_the_printed_way_into_a_folder_leads_there(cli, here, name):
    out = cli("init", "--", name).out
    step = next(line.strip() for line in out.splitlines() if line.startswith("  cd "))
    done = subprocess.run(
        ["sh", "-c", f"{step} && cat configs/ragbench.yaml"], cwd=here, capture_output=True, text=True, check=True
    )
    assert "override eval_set: my_docs" in done.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "DIR: expected a printable name"),
        (" x", "DIR: expected a printable name"),
        ("new\nline", "DIR: expected a printable name"),
        ("taken", "taken: expected a folder, found a file at taken"),
        ("taken/x", "taken/x: expected a folder, found a file at"),
        ("broken", "broken: expected a folder, found a file at broken"),
        ("x" * 300, "File name too long"),
        pytest.param("/proc/x", "/proc/x: expected that files can be made in /proc", marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_is_one_line(cli, here, name, words):
    (here / "taken").write_text("mine", encoding="utf-8")
    (here / "broken").symlink_to("nowhere")
    err = cli("init", name, code=2).err
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(path.name for path in here.iterdir()) == ["broken", "taken"]


def test_a_failure_while_moving_in_leaves_all_as_it_was(here):
    (here / "p").mkdir()
    with pytest.raises(OSError), settled(here / "p") as made:
        (made / "a").mkdir()
        (made / "b").mkdir()
        (here / "p" / "b").mkdir()  # by somebody else, while the project was being made
        (here / "p" / "b" / "mine").touch()
        settle._moved_in(made, here / "p")
    assert sorted(path.name for path in (here / "p").iterdir()) == ["b"]
    assert (here / "p" / "b" / "mine").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["p", "--corpus", "nowhere"], "corpus nowhere: expected a folder"),
        (["p", "--name", "../x"], "--name: expected letters"),
        (["p", "--name", "年假"], "--name: expected letters"),
        (["p", "--questions", "-1"], "--questions: expected a number"),
        (["docs/inside", "--corpus", "docs"], "a folder outside the documents"),
    ],
)
def test_what_cannot_be_is_one_line(cli, here, arguments, words):
    folder_of({"docs/a.md": "# A\n\nA sentence that is long enough.\n"}, here)
    err = cli("init", *arguments, code=2).err
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(path.name for path in here.iterdir()) == ["docs"]
    assert [path.name for path in (here / "docs").iterdir()] == ["a.md"]


def test_a_folder_named_in_chinese_gets_a_name(cli, here):
    folder_of({"员工手册/a.md": "# 甲\n\n这里有一句足够长的话可以引用。\n"}, here)
    found = cli("init", "p", "--corpus", "员工手册", "--questions", "0", "--json").json
    assert (found["eval_set"], found["questions"]) == ("my_docs", 0)
    assert read_jsonl(here / "p/eval_sets/my_docs/v1/questions.jsonl") == [] or not list(
        read_jsonl(here / "p/eval_sets/my_docs/v1/questions.jsonl")
    )
    assert "eval_sets/my_docs/v1/questions.jsonl" in found["written"]
    assert (
        "First write questions into eval_sets/my_docs/v1"
        in cli("init", "q", "--corpus", "员工手册", "--questions", "0").out
    )
