"""Eighty questions in three languages, and a model behind the protocol that answers well, badly, or not, and judges.

What it does is decided by the model's name, so that replies of one are never taken for those of another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.agreement.planted_answers import planted_answers
from ragbench.cli.main import main
from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.judge.floor import planted_claims
from ragbench.run.judge_check import shipped_texts
from tests.chat_server import Act, ChatServer, error
from tests.e2e.shuffled import CONFIG
from tests.e2e.world import write_set

N_FACTS, N_OUTSIDE = 60, 20
CATEGORIES = ("lookup", "identifier", "对比")
TEXTS = (
    "型号 ZX-{n}：保修期是 {value} 天，自签收之日起算。",
    "Rack RK-{n}: it holds {value} drives and two fans.",
    "集群 cluster CL-{n}：上限 limit 是 {value} 个节点 nodes。",
)
ASKED = ("ZX-{n} 的保修期多长？", "How many drives does RK-{n} hold?", "CL-{n} 的 limit 是多少 nodes？")
_NAME = re.compile(r"(?:ZX|RK|CL|QQ)-\d+")
_PASSAGE = re.compile(r"\[(\d+)\][:：]\nBEGIN \w{16}\n(.*)\nEND")
_JUDGED = re.compile(r"(PASSAGE \d+|QUESTION|CLAIMS)[^\n]*\nBEGIN \w{16}\n(.*?)\nEND \w{16}", re.DOTALL)
_OUTAGE_AFTER = 15


def eval_set(folder: Path) -> Path:
    """A fact a document; twenty of each kind, and as many questions about what is not there."""
    documents, rows = {}, []
    for n in range(N_FACTS):
        kind = n % 3
        value = 100 + 7 * n
        text = TEXTS[kind].format(n=n, value=value)
        documents[f"{n:02}.txt"] = text
        quote = re.search(rf"\S*\s?{value}\s\S+", text)
        assert quote is not None
        rows.append(
            {
                "id": f"q{n:02}", "question": ASKED[kind].format(n=n), "category": CATEGORIES[kind], "language": ("zh", "en", "mixed")[kind],
                "evidence": [{"doc": f"{n:02}.txt", "quote": quote[0]}], "reference": text,
            }
        )  # fmt: skip
    for n in range(N_OUTSIDE):
        question = ("QQ-{n} 的颜色是什么？", "What does QQ-{n} weigh?")[n % 2].format(n=n)
        row = {"id": f"u{n:02}", "question": question, "category": "negative", "language": ("zh", "en")[n % 2]}
        rows.append(row | {"answerable": False, "evidence": [], "reference": ""})
    write_set(folder, documents, rows)
    (folder / "IMPORTED").touch()
    return folder


def answer(body: dict[str, Any]) -> str:
    """What a model of that name says of the passages that it was given."""
    told = body["messages"][-1]["content"]
    name = _NAME.search(told.split("\n")[-4])
    found = next(
        ((n, text) for n, text in _PASSAGE.findall(told) if name and f"{name[0]}" in _NAME.findall(text)), None
    )
    if found is None or body["model"] == "silent":
        return "NO_ANSWER"
    assert name is not None
    number, text = found
    place = int(name[0].partition("-")[2])
    wrong = {"invents": place % 2 == 0, "honest": place % 10 == 0, "lucky": place % 10 == 1, "better": False}
    if wrong.get(body["model"], False):
        text = (
            re.sub(r"\b\d{3}\b", lambda match: f"{int(match[0]) + 1000}", text)
            .replace("是", "约为")
            .replace("holds", "carries")
        )
        text = f"{text.partition('，')[0]}"
    return f"{text}[{number}]"


@dataclass
class Reader:
    """A judge's model that knows the truths of the planted answers, and of all others whether their numbers stand in
    the passages."""

    claims: dict[str, bool] = field(default_factory=dict)
    answers: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)

    @classmethod
    def of_shipped(cls, store: Path) -> Reader:
        """With the truths of what is shipped."""
        opened = Store(store)
        planted = planted_answers(lambda name: shipped_texts(name, opened)).answers
        opened.close()
        answers: dict[str, list[tuple[str, bool]]] = {}
        for one in planted:
            answers.setdefault(_plain(one.question), []).append((_plain(one.answer), bool(one.supported)))
        return cls({_plain(one.claim): one.supported for one in planted_claims()}, answers)

    def says(self, body: dict[str, Any]) -> str:
        """The verdicts on the claims of a request."""
        parts = [(name.split()[0], text) for name, text in _JUDGED.findall(body["messages"][-1]["content"])]
        passages = " ".join(text for name, text in parts if name == "PASSAGE")
        question = _plain(next(text for name, text in parts if name == "QUESTION"))
        claims = dict(
            re.findall(r"^(claim_\d+): (.*)$", next(t for name, t in parts if name == "CLAIMS"), re.MULTILINE)
        )
        known = self._known(question, [_plain(text) for text in claims.values()])
        found = {}
        for key, text in claims.items():
            true = known if known is not None else set(re.findall(r"\d+", text)) <= set(re.findall(r"\d+", passages))
            found[key] = {"passage": 1, "verdict": "supported" if true else "not_enough"}
        return json.dumps(found | {"addresses": "fully"})

    def _known(self, question: str, claims: Sequence[str]) -> bool | None:
        if question in self.claims:
            return self.claims[question]
        holding = [
            (len(text), true)
            for text, true in self.answers.get(question, ())
            if all(claim.rstrip(".。") in text for claim in claims)
        ]
        return min(holding)[1] if holding else None


def _plain(text: str) -> str:
    return " ".join(text.split())


def say(reader: Reader) -> Callable[[dict[str, Any]], str]:
    """What the server replies: the judge's model is called `reader`."""
    return lambda body: reader.says(body) if body["model"] == "reader" else answer(body)


def fails_after_a_while() -> Callable[[int, dict[str, Any]], Act]:
    """The model `falling` is gone after fifteen replies."""
    asked: list[int] = []

    def script(number: int, body: dict[str, Any]) -> Act:
        if body["model"] != "falling":
            return Act()
        asked.append(number)
        return Act() if len(asked) <= _OUTAGE_AFTER else error(503, "overloaded")

    return script


@dataclass
class House:
    """A repository: an eval set, configurations of its own, and runs by name."""

    folder: Path
    server: ChatServer
    runs: dict[str, Path] = field(default_factory=dict)

    def run(self, name: str, *overrides: str, code: int = 0) -> Path:
        """The run of that name; made once."""
        if name not in self.runs:
            given = {item.partition("=")[0] for item in overrides}
            silent = ("pipeline.generator.", "judge.") if "generator=none" in overrides else ()
            base = [item for item in self.base() if item.partition("=")[0] not in given and not item.startswith(silent)]
            assert main(["run", *base, *overrides]) == code
            newest = max((self.folder / "runs").glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
            self.runs[name] = newest.parent
        return self.runs[name]

    def base(self) -> list[str]:
        """What all runs have in common: keywords alone, which need no model."""
        return [
            "variant=bm25", "splitter=whole", "eval_set=local", f"eval_set.path={self.folder / 'facts'}", "sink=files",
            "pipeline.generator.scorer=lexical", "pipeline.generator.refuse_below=0", "judge.semantic=false",
        ]  # fmt: skip

    def written(self, model: str, *more: str, code: int = 0, judge: str = "offline") -> Path:
        """The run whose answers a model of that name writes."""
        given = [item for item in self.base() if not item.startswith(("pipeline.generator.", "judge."))]
        judged = [
            "judge=llm", "judge_llm=chat", f"judge_llm.base_url={self.server.url}", "judge_llm.model=reader",
            "judge_llm.api_key_env=", "judge_llm.max_tries=1",
        ] if judge == "llm" else ["judge.semantic=false"]  # fmt: skip
        model_of = [f"llm.base_url={self.server.url}", f"llm.model={model}", "llm.api_key_env=", "llm.max_tries=1"]
        name = f"{model} {judge} {more}"
        if name not in self.runs:
            assert main(["run", *given, "generator=chat", "llm=chat", *model_of, *judged, *more]) == code
            newest = max((self.folder / "runs").glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
            self.runs[name] = newest.parent
        return self.runs[name]

    def check_judge(self) -> int:
        """`judge check` of the judge `llm`, whose card is kept in the store."""
        url = f"judge_llm.base_url={self.server.url}"
        model = ["judge_llm=chat", url, "judge_llm.model=reader", "judge_llm.api_key_env=", "judge_llm.max_tries=1"]
        return main(["judge", "check", "judge=llm", *model, "--json"])

    def gate(self, run: Path, baseline: Path, *more: str) -> tuple[int, dict[str, Any]]:
        """Exit code and result of a gate against a run that is promoted first."""
        assert (
            main(["baseline", "set", str(baseline), *(item for item in more if item.startswith("gate.measures"))]) == 0
        )
        return self.gate_alone(run, *more)

    def gate_alone(self, *given: object) -> tuple[int, dict[str, Any]]:
        """Against the baseline that there is."""
        out = self.folder / "gate.json"
        code, printed = _captured(["gate", *map(str, given), "--json"])
        out.write_text(printed, encoding="utf-8")
        return code, read_json(out)


def _captured(arguments: Sequence[str]) -> tuple[int, str]:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as text:
        code = main(arguments)
    return code, text.getvalue()


def house(folder: Path, server: ChatServer) -> Iterator[House]:
    """A repository in a folder."""
    eval_set(folder / "facts")
    own = folder / "configs" / "reranker"
    own.mkdir(parents=True)
    (own / "shuffled.yaml").write_text(CONFIG, encoding="utf-8")
    yield House(folder, server)
