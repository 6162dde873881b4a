"""Figures of a fixed small run. A change here is a change of what the measures mean: say so in the changelog.

`python tests/golden/test_measure_golden.py` writes the figures anew.
"""

import json
from pathlib import Path

from ragbench.evaluate.aggregate import summarise
from ragbench.evaluate.defaults import default_measures
from ragbench.evaluate.diagnose import DiagnosisRules, diagnose_all, tally
from ragbench.evaluate.evaluator import evaluate
from ragbench.measure.case import make_cases
from ragbench.records.question import CATEGORIES, COMPLEXITIES, LANGUAGES
from ragbench.records.score import ClaimState, Verdict
from ragbench.records.trace import Answer, Citation, QueryView
from ragbench.testing.cases import claims, corpus, group, packed, question, routes, trace, windows

FIGURES = Path(__file__).with_name("measure.json")
TEXTS = {
    "zh.md": "# 年假\n\n员工每年享有年假十五天。未休完的可以结转到次年三月底；逾期作废。\n\n## 报销\n\n第一条 上限为五百元。\n"
    * 3,
    "en.md": "# Leave\n\nPaid leave is 15 days. What is left carries over, e.g. until March.\n\n- see HR-2024-03\n" * 3,
    "mixed.md": "年假 annual leave 为 15 天。按 HR-2024-03 号文 carry over 至 March。\n\n" * 3,
}


def figures():
    chunked = corpus(TEXTS, [span for doc, text in TEXTS.items() for span in windows(doc, text, 30)])
    n = len(chunked.chunks)
    asked, traces, verdicts = [], [], []
    for at in range(24):
        doc = list(TEXTS)[at % 3]
        low = at * 5 % 60
        gold = [group((doc, low, low + 20)), group((doc, 70, 90), ("zh.md", 0, 12))][: at % 3]
        shared = {"category": CATEGORIES[at % 8], "language": LANGUAGES[at % 3], "reference": "年假 15 days 可以结转"}
        asked.append(question(f"q{at}", gold, complexity=COMPLEXITIES[at % 5], **shared))
        found = [(low // 30 + at * step) % n for step in range(8)]
        context = packed(chunked, list(dict.fromkeys(found[2:5])))
        text = ["年假 15 天", "Leave carries over 15 days", "不知道"][at % 3]
        if at == 7:
            continue
        traces.append(
            trace(
                f"q{at}",
                found,
                found[::-1][:6],
                route_lists=routes(dense=found[:4], sparse=found[2:7]),
                query=QueryView([*COMPLEXITIES, None][at % 6], "rules"),
                context=context,
                answer=Answer(text, refused=at % 5 == 4, citations=(Citation(0, 3, 1), Citation(3, 6, 2))),
                timings_ms={"dense": 1.5 * at, "generate": 2.0},
                error="boom" if at == 11 else None,
            )
        )
        states = [ClaimState.SUPPORTED, ClaimState.NOT_ENOUGH, ClaimState.SUPPORTED][: 1 + at % 3]
        verdicts.append(
            Verdict(f"q{at}", "golden-1", claims(*states), 0.5 + at / 60, claims(*states[::-1]), claims(*states))
        )
    cases = make_cases(asked, traces, chunked, verdicts)
    summary = summarise(evaluate(cases, chunked, default_measures()), asked, seed=0)
    rows = {
        name: [_short(one.mean), _short(one.low), _short(one.high), one.n_scored, one.n_na, one.n_failed]
        for name, one in summary.overall.items()
    }
    return {"metrics": rows, "diagnosis": tally(diagnose_all(cases, DiagnosisRules(recall_k=5, k=3)))}


def _short(value):
    return None if value is None else round(value, 9)


def test_figures_have_not_changed():
    assert figures() == json.loads(FIGURES.read_text(encoding="utf-8"))


if __name__ == "__main__":
    made = figures()
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in made["metrics"].items())
    FIGURES.write_text(
        f'{{"metrics": {{\n{lines}\n}},\n"diagnosis": {json.dumps(made["diagnosis"])}}}\n', encoding="utf-8"
    )
