"""Faults planted in a variant, one layer at a time, and how often the diagnosis names that layer.

`python -m tests.e2e.faults [SET …]` prints the shares, on the made set (`made`) or on shipped sets.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.evaluate.losses import Loss
from ragbench.generator.base import Generator
from ragbench.query.base import Query
from ragbench.records.search import SearchRequest
from ragbench.records.trace import Answer, QueryView
from ragbench.reranker.base import Reranker
from ragbench.run.build import experiment
from ragbench.run.diagnosis import experiment_of, read_diagnosis
from ragbench.run.proof import State, prove
from ragbench.run.runner import run
from ragbench.run.session import Session
from ragbench.sparse.bm25 import Bm25Reader, Bm25Sparse
from tests.e2e.world import local, write_set

NAMES = {
    "zh": ("星河", "长风", "望江", "青禾", "北斗", "云栖", "海棠", "赤松"),
    "en": ("Kestrel", "Harbor", "Juniper", "Marlin", "Osprey", "Quartz", "Saffron", "Tundra"),
    "mixed": ("Apollo", "Borealis", "Cobalt", "Denali", "Everest", "Fjord", "Granite", "Helios"),
}
FACTS = {
    "zh": {
        "验收期限": "{name}项目的验收期限是{n}个工作日，逾期须由项目经理书面说明原因并抄送质量部。",
        "预算上限": "{name}项目的预算上限为{n}万元，超出部分必须提前报财务总监批准之后才能支出。",
        "例会时间": "{name}项目的例会时间定在每周的第{n}个半天，缺席者应当在当日之内补交纪要。",
        "归档编号": "{name}项目的归档编号是A-{n}，纸质材料与电子材料使用同一个编号，不得另编。",
        "值班电话": "{name}项目的值班电话为分机8{n}，夜间无人接听时自动转到总控室的公用号码。",
    },
    "en": {
        "acceptance period": "The acceptance period of the {name} project is {n} working days, and the manager "
        "explains any delay in writing to the quality department.",
        "budget ceiling": "The budget ceiling of the {name} project is {n} thousand dollars, beyond which the finance "
        "director approves every single purchase in advance.",
        "meeting room": "The meeting room of the {name} project is number {n}, which the team keeps booked on Mondays "
        "until the end of the current year.",
        "archive number": "The archive number of the {name} project is B-{n}, which paper and electronic files share "
        "without any exception or addition.",
        "duty phone": "The duty phone of the {name} project is extension 8{n}, forwarded to the control room at night "
        "when nobody answers in time.",
    },
    "mixed": {
        "release window": "{name} 项目的 release window 是每周第{n}个 slot，错过的变更要等到下一个 window 再上线。",
        "owner 编号": "{name} 项目的 owner 编号是 OW-{n}，交接 handover 时必须同步更新 on-call 表和通讯录。",
        "rollback 时限": "{name} 项目的 rollback 时限是{n}分钟，超过之后必须由 SRE 值班 leader 亲自审批。",
        "storage 配额": "{name} 项目的 storage 配额是{n} TB，达到八成时系统会自动给 owner 发送 alert 邮件。",
        "API 限流": "{name} 项目的 API 限流是每秒{n}次，突发 burst 流量另外由网关的 token bucket 控制。",
    },
}
ASKED = {
    "zh": "{name}项目的{fact}是什么？",
    "en": "What is the {fact} of the {name} project?",
    "mixed": "{name} 项目的 {fact} 是什么？",
}
OFF_CORPUS: Mapping[str, Sequence[str]] = {
    "zh": ("公司食堂几点开门？", "花园项目由谁浇水？", "游泳池的电话多久消毒一次？", "哪个工作日可以遛狗？", "怎样办理图书馆借书证？", "去年围棋比赛的冠军编号是几？"),
    "en": (
        "Who won the chess championship this year?", "How do I water a garden on Mondays?", "When does the canteen open?",
        "Which paper covers the history of jazz?", "Is the swimming pool heated at night?", "What does a museum ticket cost?",
    ),
    "mixed": (
        "谁写了 Hamlet 项目？", "最近的 coffee shop 在哪里？", "怎样学 guitar？", "marathon 报名几分钟完成？", "yoga 课每周几次？",
        "museum 的 ticket 多少钱？",
    ),
}  # fmt: skip
FILLER = {
    "zh": "本节由项目办公室维护，内容以最近一次更新为准。",
    "en": "This section is kept by the project office and its latest edition applies.",
    "mixed": "本节由 PMO 维护，以 latest 版本为准。",
}


def made_set(folder: Path, n_names: int = 8, category: str = "lookup") -> Path:
    """15 questions a name (of `n_names` in each language), each answered by one sentence of its project's section, and 18 that
    nothing answers."""
    documents, questions = {}, []
    for language, names in NAMES.items():
        for at, name in enumerate(names[:n_names]):
            sentences = {
                fact: text.format(name=name, n=17 + 3 * at + 2 * k)
                for k, (fact, text) in enumerate(FACTS[language].items())
            }
            path = f"{language}/{name}.md"
            documents[path] = f"# {name}\n\n{FILLER[language]}\n\n" + "\n\n".join(sentences.values()) + "\n"
            for k, (fact, sentence) in enumerate(sentences.items()):
                questions.append(
                    _row(f"{language}-{at}-{k}", ASKED[language].format(name=name, fact=fact), language, category)
                    | {"evidence": [{"doc": path, "quote": sentence}], "reference": sentence, "answerable": True}
                )
        questions += [_row(f"{language}-off-{k}", text, language) for k, text in enumerate(OFF_CORPUS[language])]
    return write_set(folder, documents, questions)


def _row(name: str, question: str, language: str, category: str = "negative") -> dict[str, Any]:
    return {
        "id": name, "question": question, "category": category,
        "language": language, "answerable": False, "evidence": [], "reference": "",
    }  # fmt: skip


class _Shortened(Bm25Reader):
    def __init__(self, reader: Bm25Reader) -> None:
        super().__init__(reader._library, reader.size, lambda text: [term[:-1] for term in reader._analyse(text)])


@dataclass(frozen=True, kw_only=True)
class MismatchedSparse(Bm25Sparse):
    """Cuts the words of a question otherwise than those of the texts."""

    @contextmanager
    def open(self, folder: Path) -> Iterator[Bm25Reader]:
        """The index, with another analyser for the question."""
        with super().open(folder) as reader:
            yield _Shortened(reader)


@dataclass(frozen=True, kw_only=True)
class ForgetfulQuery(Query):
    """Rewrites every question to a phrase that says nothing of it."""

    text: str
    classifier: Any

    @property
    def classifies(self) -> bool:
        """It does not."""
        return False

    @contextmanager
    def open(self, tools: Any) -> Iterator[ForgetfulQuery]:
        """Is its own worker."""
        yield self

    def plan(self, question: Any) -> tuple[QueryView, tuple[SearchRequest, ...]]:
        """The phrase alone; the question is still read as typed."""
        return QueryView(), (replace(SearchRequest.of(question, self.text), form="rewrite"),)


@dataclass(frozen=True, kw_only=True)
class ReversingReranker(Reranker):
    """The worst first."""

    @contextmanager
    def open(self, tools: Any) -> Iterator[ReversingReranker]:
        """Is its own worker."""
        yield self

    def rerank(self, question: str, ranking: Any, chunks: Any) -> Any:
        """The ranking backwards."""
        turned = tuple(reversed(ranking))
        return tuple(
            item._replace(former=item.rank, rank=at, score=float(len(turned) - at)) for at, item in enumerate(turned, 1)
        )


@dataclass(frozen=True, kw_only=True)
class DeafGenerator(Generator):
    """Answers without looking at the context: always the same (`text`), or with the context's last sentence."""

    text: str

    @contextmanager
    def open(self, tools: Any) -> Iterator[DeafGenerator]:
        """Is its own worker."""
        yield self

    def answer(self, question: Any, context: Any) -> Answer:
        """The text."""
        if self.text or not context.blocks:
            return Answer(self.text or "。")
        return Answer(context.blocks[-1].text.strip().splitlines()[-1])


def stage(slot: str, name: str, **values: object) -> list[str]:
    """Overrides that put a stage of this module into a slot."""
    fields = [f"++pipeline.{slot}.{key}={value}" for key, value in values.items()]
    return ["allowed_targets=[tests.e2e]", f"pipeline.{slot}._target_=tests.e2e.faults.{name}", *fields]


GENERATED = {Loss.UNUSED, Loss.INCOMPLETE, Loss.OFF_TOPIC, Loss.UNFAITHFUL, Loss.FALSE_ANSWER}
HEALTHY = (
    "variant=bm25", "chunk_unit=chars", "chunk_size=200", "overlap=0", "k=3", "recall_k=8", "pool_depth=50",
    "pipeline.generator.scorer=lexical", "judge.semantic=false", "split=all", "sink=files", "classifier=none",
    "measures=[retrieval/recall@5]",
)  # fmt: skip
FINDING = (
    "variant=bm25", "split=all", "sink=files", "classifier=none", "generator=none", "judge=none",
    "measures=[retrieval/recall@5]",
)  # fmt: skip
"""A variant without answers, for faults before the generator on sets where a quoting one is seldom right: a question
counts as well when its evidence arrives."""
FAULTS: Mapping[str, tuple[Sequence[str], set[Loss]]] = {
    "evidence cut": (("splitter=fixed", "chunk_size=16"), {Loss.CHUNK_CUT}),
    "evidence halved": (("splitter=fixed", "chunk_size=40"), {Loss.CHUNK_CUT}),
    "broken tokeniser": (stage("sparse", "MismatchedSparse"), {Loss.NOT_RECALLED}),
    "bad rewrite": (("query=none",  *stage("query", "ForgetfulQuery", text="附则 appendix")), {Loss.QUERY}),
    "reranker reversed": (stage("reranker", "ReversingReranker"), {Loss.RANKED_OUT}),
    "budget too small": (("pipeline.packer.budget=12",), {Loss.PACKED_OUT}),
    "context ignored": (("generator=none", *stage("generator", "DeafGenerator", text="'Ask the office. 请咨询办公室。'")), GENERATED),
    "wrong sentence": (("generator=none", *stage("generator", "DeafGenerator", text="''")), GENERATED),
    "refuses too much": (("pipeline.generator.refuse_below=0.999",), {Loss.FALSE_REFUSAL}),
    "never refuses": (("pipeline.generator.refuse_below=0",), {Loss.FALSE_ANSWER}),
}  # fmt: skip


@dataclass(frozen=True)
class Share:
    """Of `affected` questions – right in the healthy run, wrong in the faulty one – how many name the right layer, and of how
    many that is proved."""

    fault: str
    affected: int
    named: int
    proved: int
    classes: Mapping[str, int]

    @property
    def share(self) -> float:
        """Named ÷ affected; 0 where none was affected."""
        return self.named / self.affected if self.affected else 0.0


def classes_of(overrides: Sequence[str], session: Session) -> tuple[Path, dict[str, str]]:
    """The run of some overrides: its folder, and the class of every question."""
    done = run(experiment(overrides), session)
    summary = read_json(done.folder / "summary.json")
    return done.folder, summary["diagnosis_by_question"]


def faulty(base: Sequence[str], fault: str) -> list[str]:
    """The overrides of a fault over those of the healthy variant."""
    changed, _ = FAULTS[fault]
    keys = {item.partition("=")[0] for item in changed}
    slots = tuple(f"pipeline.{key}." for key in keys if "." not in key)
    kept = [item for item in base if item.partition("=")[0] not in keys and not item.startswith(slots)]
    return [*kept, *changed]


def share_of(base: Sequence[str], fault: str, healthy: Mapping[str, str], session: Session) -> Share:
    """Plant a fault, and count."""
    folder, found = classes_of(faulty(base, fault), session)
    affected = [one for one, name in found.items() if name != Loss.OK and healthy[one] == Loss.OK]
    right = {loss.value for loss in FAULTS[fault][1]}
    named = sum(found[one] in right for one in affected)
    read = read_diagnosis(folder, session.store)
    lost = [(read.cases[one.question_id], one) for one in read.lost if one.question_id in affected]
    assert {one.question_id: one.loss.value for one in read.found} == found, "read again as the run has it"
    places = {"runs": str(folder.parent), "store": str(session.store.root)}
    proofs = prove(experiment_of(read, places), session, lost)
    proved = sum(proofs[one].state is State.PROVED for one in affected if found[one] in right)
    return Share(fault, len(affected), named, proved, Counter(found[one] for one in affected))


ANSWERING = ("context ignored", "wrong sentence", "refuses too much", "never refuses")
"""Faults of the generator."""


def main(sets: Sequence[str]) -> None:
    """Print the shares."""
    with tempfile.TemporaryDirectory() as folder:
        for name in sets or ["made"]:
            chosen = local(made_set(Path(folder) / "made")) if name == "made" else [f"eval_set={name}"]
            places = [f"paths.runs={folder}/runs", f"paths.store={folder}/store", "reuse=false"]
            before = [] if name == "made" else [one for one in FAULTS if one not in ANSWERING]
            for variant, faults in ((HEALTHY, [one for one in FAULTS if one not in before]), (FINDING, before)):
                _tell(name, [*variant, *chosen, *places], faults, Path(folder) / "store")


def _tell(name: str, base: Sequence[str], faults: Sequence[str], store: Path) -> None:
    if not faults:
        return
    with Session(Store(store)) as session:
        _, healthy = classes_of(base, session)
        print(f"{name}: {Counter(healthy.values())}", flush=True)
        for fault in faults:
            one = share_of(base, fault, healthy, session)
            print(
                f"{fault:<18} {one.named:>3} of {one.affected:>3}, proved {one.proved:>3}  {dict(one.classes)}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
