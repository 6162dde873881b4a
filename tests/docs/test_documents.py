"""What the documents say is run, parsed or looked up."""

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

from ragbench.cli.main import VERBS, _parser
from ragbench.run.sweep import plan_grid
from tests.ragas_model import INSTALLED, REASON

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh-CN.md")
PAGES = [
    *READMES,
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "docs").rglob("*.md"))),
]
BLOCK = re.compile(r"^(?P<mark><!-- [^\n]* -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COMPOSED = ("run", "sweep", "plan", "ask")


def blocks(page: str, kind: str, mark: str = "") -> list[str]:
    found = BLOCK.finditer((ROOT / page).read_text(encoding="utf-8"))
    return [
        m["body"] for m in found if m["kind"] == kind and (not mark or (m["mark"] or "").startswith(f"<!-- {mark}"))
    ]


def commands(page: str, program: str) -> list[list[str]]:
    """Command lines of a page's shell blocks that start with `program`, here-documents left out, and those in tables of
    the READMEs."""
    tables = re.findall(rf"^\|.*?`({program} [^`]+)`", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    found = [shlex.split(line) for line in tables if page in READMES]
    for body in blocks(page, "bash"):
        text = re.sub(r"<<'END'\n.*?^END$", "", body, flags=re.MULTILINE | re.DOTALL)
        words = [shlex.split(line, comments=True) for line in text.splitlines()]
        found += [line[: line.index(">")] if ">" in line else line for line in words if line[:1] == [program]]
    return found


def every(program: str) -> list[tuple[str, list[str]]]:
    return [(page, command) for page in PAGES for command in commands(page, program)]


def overrides_compose(given: list[str], folder: Path) -> None:
    (folder / "corpus").mkdir()
    (folder / "questions.jsonl").touch()
    plan_grid([f"eval_set.path={folder}" if item.startswith("eval_set.path=") else item for item in given])


@pytest.mark.parametrize(("page", "command"), every("make"), ids=str)
def test_make_commands_exist(page: str, command: list[str], tmp_path: Path) -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony is not None
    target, *given = command[1:]
    assert target in phony[1].split(), f"{page}: no such target"
    if target in COMPOSED:
        overrides_compose(given, tmp_path)


@pytest.mark.parametrize(("page", "command"), every("ragbench"), ids=str)
def test_ragbench_commands_parse(page: str, command: list[str], tmp_path: Path) -> None:
    assert command[1] in VERBS, f"{page}: no such verb"
    options = _parser(command[1]).parse_args(command[1:])
    if "judge=ragas" in command and not INSTALLED:
        pytest.skip(REASON)
    if command[1] in COMPOSED:
        overrides_compose(options.overrides, tmp_path)


def test_commands_are_found_at_all() -> None:
    for page in READMES:
        assert len(commands(page, "make")) >= 3
        assert len(commands(page, "ragbench")) >= 25


def test_marked_blocks_run(tmp_path: Path) -> None:
    marked = blocks(READMES[0], "bash", "run")
    assert marked
    assert all(blocks(page, "bash", "run") == marked for page in READMES), "what runs in one language runs in the other"
    own = {key: value for key, value in os.environ.items() if not key.startswith("RAGBENCH_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for body in marked:
        done = subprocess.run(
            ["bash", "-euc", body], cwd=tmp_path, env=own | {"PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "run: runs/" in done.stdout
    assert {found.name for found in tmp_path.iterdir()} == {"my-rag"}


def test_both_readmes_give_the_same_commands() -> None:
    english, chinese = (
        [
            [word for word in command if not word.startswith("report.lang")]
            for p in ("make", "ragbench")
            for command in commands(page, p)
        ]
        for page in READMES
    )
    assert english == chinese


def test_both_readmes_have_the_same_parts() -> None:
    shapes = [
        re.findall(r"^(#+ |\*\*|\||```\w*|- |<!-- \w+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        for page in READMES
    ]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [t for t in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in t]
    dead = [target for target in targets if not ((ROOT / page).parent / target).exists()]
    assert not dead


def test_the_splitter_example_is_complete(tmp_path: Path) -> None:
    for name in ("src", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    written = {
        m["mark"].split()[2]: m["body"]
        for m in BLOCK.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
        if (m["mark"] or "").startswith("<!-- file:")
    }
    assert len(written) == 3
    for name, body in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        assert not (ROOT / name).exists(), "the example must not be one of ours"
        (tmp_path / name).write_text(body, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}

    def call(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert " passed" in call("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/splitter/test_paragraph.py")
    assert re.search(r"paragraph +Paragraphs between blank lines", call("-m", "ragbench", "ls", "splitter"))
    call("-m", "ragbench", "plan", "splitter=paragraph", "pipeline.splitter.paragraphs=2", "retriever=sparse", "eval_set=product_en",
         f"paths.store={tmp_path / 'store'}", f"eval_set.path={ROOT / 'eval_sets/product_en/v1'}")  # fmt: skip
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for check in (("check",), ("format", "--check")):
        call("-m", "ruff", *check, "src/ragbench/splitter/paragraph.py", "tests/unit/splitter/test_paragraph.py")


@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml"])
def test_ci_examples_use_commands_that_exist(name: str) -> None:
    text = (ROOT / "docs" / "ci" / name).read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    lines = re.findall(r"^\s*- (?:run: )?(ragbench [^>\n]+)", text, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        _parser(shlex.split(line)[1]).parse_args(shlex.split(line)[1:])


def test_figures_of_the_eval_sets_are_those_of_the_files() -> None:
    import orjson

    page = (ROOT / "docs" / "adr" / "0006-eval-sets.md").read_text(encoding="utf-8")
    for folder in sorted((ROOT / "eval_sets").iterdir()):
        rows = [orjson.loads(line) for line in (folder / "v1" / "questions.jsonl").read_bytes().splitlines()]
        n_files = sum(path.is_file() for path in (folder / "v1" / "corpus").rglob("*"))
        dev = sum(row["split"] == "dev" for row in rows)
        without = sum(not row["answerable"] for row in rows)
        row = re.search(rf"^\| `{folder.name}` \|[^|]*\| (.*) \|$", page, re.MULTILINE)
        assert row is not None
        assert row[1] == f"{n_files} | {len(rows)} ({dev} / {len(rows) - dev}) | {without}"


def test_every_dependency_has_its_line() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
    page = (ROOT / "docs" / "adr" / "0001-dependencies.md").read_text(encoding="utf-8")
    missing = [
        name for item in named if (name := re.split(r"[<>=\s;\[]", item)[0]) not in re.split(r"[\s,|`()]+", page)
    ]
    assert not missing
