"""Where a run was made, as its manifest says."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from ragbench.run.provenance import int8_instructions, provenance

EPYC = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu sse4_1 avx avx2 vaes\nbugs\t\t: avx512_vnni\n"
XEON = "model name\t: Xeon\nflags\t\t: fpu amx_int8 avx512_vnni avx512f avx2 avx\n"
CORE = "flags\t\t: avx2 avx_vnni\n"
GRAVITON = "processor\t: 0\nFeatures\t: fp asimd asimddp i8mm\n"
OLD = "flags\t\t: fpu sse2\n"


@pytest.mark.parametrize(
    ("cpuinfo", "found"),
    [
        (EPYC, ["avx2"]),
        (XEON, ["avx2", "avx512f", "avx512_vnni", "amx_int8"]),
        (CORE, ["avx2", "avx_vnni"]),
        (GRAVITON, ["asimddp", "i8mm"]),
        (OLD, []),
        ("", ["neon", "x86_v2"]),
        ("processor\t: 0\n", ["neon", "x86_v2"]),
    ],
    ids=["avx2", "vnni", "avx-vnni", "arm", "neither", "no-file", "no-flags"],
)
def test_instruction_sets_that_decide_int8_sums(cpuinfo: str, found: list[str]) -> None:
    assert int8_instructions(cpuinfo, ["X86_V2", "NEON", "NEON"]) == found


def test_a_run_names_the_kind_of_its_processor() -> None:
    made = provenance()
    assert made["platform"] == f"{platform.system()} {platform.machine()}"
    told = Path("/proc/cpuinfo")
    if told.is_file():
        flags = told.read_text(encoding="utf-8").split()
        assert ("avx512_vnni" in made["cpu"]["int8"]) == ("avx512_vnni" in flags)
    else:
        assert made["cpu"]["int8"]
