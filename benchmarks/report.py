"""A report of very many questions: seconds to write it, its size, and what a reader waits for in Chromium.

A finished run is repeated until it has enough questions, each copy under new ids, so that details are as large as real
ones. The texts of chunks are those of the one run; of any run they keep to 12 MB.

    python benchmarks/report.py RUN [--questions 5000] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, read_jsonl, write_json
from ragbench.report.html import write_report
from ragbench.run.texts import run_texts
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir, find_run

ROWS = {layout.QUESTIONS: "id", layout.TRACES: "question_id", layout.VERDICTS: "question_id", layout.SCORES: "subject"}
CHROMIUM = "/usr/bin/chromium"
WAITS = 125
"""Milliseconds: a search begins a moment after the last key."""

TIMED = """async () => {
  const $ = (selector) => document.querySelector(selector), began = performance.now();
  %s;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
SEARCH = f"""$('#search').value = '-7';
  $('#search').dispatchEvent(new Event('input'));
  await new Promise((done) => setTimeout(done, {WAITS}))"""


def repeated(run: Path, folder: Path, n: int) -> RunDir:
    """The run with `n` questions."""
    import gzip
    import shutil

    shutil.copytree(run, folder, ignore=shutil.ignore_patterns("*.html"))
    copies = -(-n // len(RunDir(run).questions))
    for name, key in ROWS.items():
        rows = list(read_jsonl(run / name))
        opened: Any = gzip.open if name.endswith(".gz") else open
        with opened(folder / name, "wt", encoding="utf-8") as file:
            for row in _copies(rows, key, copies):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    summary = read_json(run / layout.SUMMARY)
    lost = summary.get("diagnosis_by_question") or {}
    copied = {f"{name}-{at}": outcome for at in range(copies) for name, outcome in lost.items()}
    write_json(folder / layout.SUMMARY, summary | {"diagnosis_by_question": copied})
    return RunDir(folder)


def _copies(rows: list[Any], key: str, copies: int) -> Iterator[Any]:
    for at in range(copies):
        for row in rows:
            yield row | {key: f"{row[key]}-{at}"} if row.get("kind", "question") == "question" else row


def read_in_browser(path: Path) -> dict[str, float]:
    """Milliseconds from opening the file to the first view, to a list that can be used, and of what a reader does."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(600_000)
        page = context.new_page()
        before = _cpu_seconds(browser)
        page.goto(path.as_uri())
        page.wait_for_selector("#questions-table tbody tr", state="attached")
        paint = "performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint').startTime"
        spent = 1000 * (_cpu_seconds(browser) - before)
        found = {
            "CPU time of the page until its list can be used": spent,
            "first view": page.evaluate(paint),
            "list usable": page.evaluate("performance.getEntriesByType('navigation')[0].domComplete"),
            "search": page.evaluate(TIMED % SEARCH) - WAITS,
            "sort": page.evaluate(TIMED % "document.querySelectorAll('#questions-table th button')[6].click()"),
            "open a question": page.evaluate(TIMED % "document.querySelector('#questions-table tbody a').click()"),
            "other language": page.evaluate(TIMED % "$('#close').click(); $('#speak').click()"),
        }
        browser.close()
    return found


def _cpu_seconds(browser: Any) -> float:
    """Of the processes that draw pages: what the same machine would take with nothing else to do."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(float(one["cpuTime"]) for one in found if one["type"] == "renderer")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run")
    parser.add_argument("--questions", type=int, default=5000)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = repeated(find_run(args.run, Path("runs")), Path(scratch) / "run-1", args.questions)
        began = time.process_time()
        path = write_report(run, args.out or Path(scratch) / "report.html", "zh", run_texts(run))
        print(f"{len(run.questions)} questions: {time.process_time() - began:.1f} s of CPU to write")
        print(f"{path.stat().st_size / 1e6:.1f} MB")
        for name, ms in read_in_browser(path).items():
            print(f"{name}: {ms:.0f} ms")


if __name__ == "__main__":
    main()
