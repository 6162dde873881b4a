"""The entry point: errors become one line and an exit code."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ragbench.cli import main as entry
from ragbench.cli.main import VERBS, main
from ragbench.errors import CannotTell, ConfigError, Problems, StoreError


@pytest.fixture
def verb(monkeypatch):
    """Makes `ragbench run` do what a test says; remembers the options."""

    def install(act):
        def arguments(parser):
            parser.add_argument("overrides", nargs="*")
            parser.add_argument("--json", action="store_true")
            parser.add_argument("--out")

        monkeypatch.setattr(entry, "_module", lambda name: SimpleNamespace(arguments=arguments, execute=act))

    return install


def raising(error):
    def act(options):
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ConfigError("k", expected="a number", found="none", hint="Set k=3."), 2, "ragbench run: k: expected a number, found none. Set k=3."),
        (StoreError("store: full"), 2, "ragbench run: store: full"),
        (CannotTell("nothing was scored"), 3, "ragbench run: nothing was scored"),
        (PermissionError(13, "Permission denied", "/locked/文件"), 2, "ragbench run: /locked/文件: Permission denied"),
        (OSError("odd"), 2, "ragbench run: odd"),
        (KeyError("x"), 3, "ragbench run: stopped by KeyError: 'x'. RAGBENCH_TRACEBACK=1 shows where."),
        (ValueError("two\nlines"), 3, "ragbench run: stopped by ValueError: two lines. RAGBENCH_TRACEBACK=1 shows where."),
    ],
)  # fmt: skip
def test_an_error_is_one_line_and_a_code(verb, capsys, error, code, line):
    verb(raising(error))
    assert main(["run"]) == code
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", line + "\n")


def test_several_problems_are_a_list(verb, capsys):
    verb(raising(Problems("questions", ["line 1: bad", "line 2: bad"], "Mend them.")))
    assert main(["run"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "ragbench run: questions: 2 problems", "  - line 1: bad", "  - line 2: bad", "Mend them.",
    ]  # fmt: skip


def test_an_interrupt_is_130(verb, capsys):
    verb(raising(KeyboardInterrupt()))
    assert main(["run"]) == 130
    assert "finished stages are kept" in capsys.readouterr().err


def test_a_traceback_on_request(verb, monkeypatch):
    verb(raising(KeyError("x")))
    monkeypatch.setenv("RAGBENCH_TRACEBACK", "1")
    with pytest.raises(KeyError):
        main(["run"])


@pytest.mark.parametrize(
    "given",
    [
        ["k=1", "alpha=0", "--json", "--out", "f"],
        ["--json", "k=1", "alpha=0", "--out", "f"],
        ["k=1", "--json", "alpha=0", "--out", "f"],
        ["k=1", "--out", "f", "alpha=0", "--json"],
    ],
)
def test_overrides_and_flags_come_in_any_order(verb, given):
    seen = []
    verb(lambda options: seen.append(options) or 0)
    assert main(["run", *given]) == 0
    assert (seen[0].overrides, seen[0].json, seen[0].out) == (["k=1", "alpha=0"], True, "f")


@pytest.mark.parametrize("given", [["k=1", "--jsn"], ["--jsn", "k=1"], ["k=1", "--json", "-x", "alpha=0"]])
def test_an_unknown_flag_is_refused(verb, given, capsys):
    verb(lambda options: 0)
    with pytest.raises(SystemExit) as caught:
        main(["run", *given])
    assert caught.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_a_closed_pipe_is_no_error():
    head = subprocess.run(
        f"{sys.executable} -m ragbench ls | head -1; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    assert head.returncode == 0
    assert head.stderr == ""


def test_each_verb_has_a_module_of_its_name():
    for name in VERBS:
        module = entry._module(name)
        assert callable(module.arguments)
        assert callable(module.execute)


def test_the_module_runs_as_a_script():
    done = subprocess.run(
        [sys.executable, "-m", "ragbench.cli.main", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("ragbench ")


def test_a_locale_that_names_files_in_another_encoding_is_refused():
    """The names of documents are part of what is measured."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "ragbench", "ls"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | plain)
    assert done.returncode == 2
    assert done.stderr == (
        "ragbench: file names: expected UTF-8, found ascii by the locale. Set PYTHONUTF8=1, or LC_ALL=C.UTF-8.\n"
    )
    done = subprocess.run(command, capture_output=True, check=False, env=os.environ | {"LC_ALL": "C"})
    assert done.returncode == 0, "Python's own UTF-8 mode is enough"


def test_a_full_disk_names_the_folders_on_it(verb, capsys, tmp_path, monkeypatch):
    verb(raising(OSError(28, "No space left on device")))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3 * 2**20))
    assert main(["run", f"paths.store={tmp_path / 'not yet'}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"ragbench run: no space left on the disk of paths.store ({tmp_path / 'not yet'}, 3 MiB left)"
    )
    assert "RAGBENCH_RUNS" in line
