"""Refusals on public sets, by `benchmarks/refusal.py` on a small part of them."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def refusal():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("refusal", FOLDER / "refusal.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        patch.setitem(sys.modules, "refusal", module)
        spec.loader.exec_module(module)
        yield module
    del sys.modules["refusal_sets"]


@pytest.mark.parametrize(
    ("text", "wanted", "says"),
    [
        ("死亡12人。[1]", ["12人"], True),
        ("约131万。", [["1313851", "131万"]], True),
        ("张丹夺冠。", ["张丹", "张昊"], False),
        ("It was FACEBOOK.", "Facebook", True),
        ("", "Apple", False),
    ],
)
def test_an_answer_of_rgb_holds_all_parts_and_any_of_each(refusal, text, wanted, says):
    assert refusal.says(text, wanted) is says


@pytest.mark.data
def test_sets_of_given_passages_are_told_in_full(refusal, data_dir, capsys, monkeypatch):
    monkeypatch.setattr(refusal.sets, "DATA", data_dir)
    refusal.main(["clapnq", "rgb", "--most", "3"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("CLAPNQ: 3 answerable, false refusals ")
    assert lines[1].startswith("  unanswerable: 3, AUROC ") and "false answers " in lines[1]
    noise = [line for line in lines if line.startswith("RGB zh, noise")]
    changed = [line for line in lines if "counterfactual 0" in line.partition(":")[0]]
    assert len(noise) == 6 and ["right" in line for line in noise] == [True] * 5 + [False]
    assert len(changed) == 10 and all("right" in line and ", counterfactual" in line for line in changed)


@pytest.mark.data
def test_more_counterfactual_passages_are_more_of_the_context(refusal, data_dir, monkeypatch):
    monkeypatch.setattr(refusal.sets, "DATA", data_dir)
    rows = [one for one in refusal.sets.counterfactual(None) if one.part.startswith("RGB zh")]
    held = {
        part: sum(
            refusal.says(block.text, one.fake) for one in rows if one.part == part for block in one.context.blocks
        )
        for part in dict.fromkeys(one.part for one in rows)
    }
    counts = list(held.values())
    assert counts == sorted(counts) and counts[0] < counts[-1]
    assert all(len(one.context.blocks) == 5 for one in rows)
