"""A grid of fusions against one variant: 11 values of α × 4 of k × 4 fusions, from an empty store.

Fusions are `alpha` with either scale, `rrf` and `weighted_rrf`. Points that differ only in what their fusion does not
read are one variant, and the sweep says how many are left. Variants share chunks, vectors, indexes and route lists, so
that all a further one costs is fusing, scoring and writing its run. Nothing generates or judges, and no report is
written: both cost the same for every variant. Finished runs are not taken over, not even by the warm grid.

    python benchmarks/fusion_grid.py [--rounds 3] [--eval-set policy_zh] [--profile]

Each contestant runs in a new process, in turn; counted are CPU seconds from the end of imports.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ALPHAS = tuple(n / 10 for n in range(11))
KS = (3, 5, 8, 10)
FUSIONS = ("{fusion:alpha,scale:minmax}", "{fusion:alpha,scale:zscore}", "{fusion:rrf}", "{fusion:weighted_rrf}")
GRID = (
    f"alpha={','.join(map(str, ALPHAS))}",
    f"k={','.join(map(str, KS))}",
    f"pipeline.retriever=choice({','.join(FUSIONS)})",
)


def contestant(home: Path, eval_set: str, grid: bool, profiled: bool) -> dict[str, object]:
    """One sweep of the default variant, or of the grid, with store and runs below `home`."""
    os.environ |= {"RAGBENCH_STORE": str(home / "store"), "RAGBENCH_RUNS": str(home / "runs")}
    import onnxruntime  # noqa: F401 - imports are not counted
    import tokenizers  # noqa: F401

    from ragbench.core.store import Store
    from ragbench.run.session import Session
    from ragbench.run.sweep import plan_grid, sweep

    common = [f"eval_set={eval_set}", "variant=hybrid", "generator=none", "judge=none", "sink=files"]
    common.append("reuse=false")
    plan_grid(common)  # loads the modules that a configuration names
    profiler = _profiler() if profiled else None
    cpu, wall = time.process_time(), time.perf_counter()
    with Session(Store(home / "store")) as session:
        result = sweep([*common, *(GRID if grid else ())], session)
    spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    if profiler is not None:
        profiler.disable()
        profiler.dump_stats(home / "profile")
    if result.failed:
        raise SystemExit(f"failed: {result.failed}")
    means = [done.summary["metrics"]["retrieval/recall@5"]["mean"] for _, done in result.runs]
    return {**spent, "variants": len(result.runs), "best": max(means), "worst": min(means)}


def _profiler():  # type: ignore[no-untyped-def]
    import cProfile

    profiler = cProfile.Profile()
    profiler.enable()
    return profiler


def in_process(home: Path, what: str, eval_set: str, *more: str) -> dict[str, float]:
    """A contestant in a new interpreter."""
    command = [sys.executable, __file__, "--contestant", what, "--home", str(home), "--eval-set", eval_set, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Run all contestants in turn and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--eval-set", default="policy_zh")
    parser.add_argument("--profile", action="store_true", help="profile one cold grid, and print where its time went")
    parser.add_argument("--contestant", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contestant:
        grid = options.contestant == "grid"
        print(json.dumps(contestant(options.home, options.eval_set, grid, options.profile)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        if options.profile:
            profile(Path(temporary), options.eval_set)
        else:
            compare(Path(temporary), options)


def profile(folder: Path, eval_set: str) -> None:
    """The functions that a cold grid spends most time in."""
    import pstats

    in_process(folder, "grid", eval_set, "--profile")
    for order in ("cumulative", "tottime"):
        pstats.Stats(str(folder / "profile")).sort_stats(order).print_stats(45)


def compare(folder: Path, options: argparse.Namespace) -> None:
    """Rounds in turn, then one line a contestant."""
    names = ("one variant, cold", "grid, cold", "one variant, warm", "grid, warm")
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for number in range(options.rounds):
        homes = {what: folder / f"{what}{number}" for what in ("one", "grid")}
        for name in names:
            what = "grid" if name.startswith("grid") else "one"
            found[name].append(in_process(homes[what], what, options.eval_set))
        for home in homes.values():
            shutil.rmtree(home)
    print(f"{'':<20} {'variants':>8} {'CPU s, median (range)':>24} {'wall s':>8}")
    for name, rounds in found.items():
        cpu, wall = [one["cpu"] for one in rounds], statistics.median(one["wall"] for one in rounds)
        spread = f"{statistics.median(cpu):.2f} ({min(cpu):.2f}–{max(cpu):.2f})"
        print(f"{name:<20} {rounds[0]['variants']:>8} {spread:>24} {wall:8.1f}")
    pairs = list(zip(found["grid, cold"], found["one variant, cold"], strict=True))
    points = len(ALPHAS) * len(KS) * len(FUSIONS)
    more = pairs[0][0]["variants"] - 1
    each = statistics.median((grid["cpu"] - one["cpu"]) / more for grid, one in pairs)
    warm = statistics.median(one["cpu"] / one["variants"] for one in found["grid, warm"])
    print(f"{points} points are {more + 1} variants; recall@5 {pairs[0][0]['worst']:.3f}–{pairs[0][0]['best']:.3f}")
    print(f"grid ÷ one variant, cold: {statistics.median(grid['cpu'] / one['cpu'] for grid, one in pairs):.2f} CPU")
    print(f"a further variant costs {each * 1000:.0f} ms CPU; one of a warm grid {warm * 1000:.0f} ms")


if __name__ == "__main__":
    main()
