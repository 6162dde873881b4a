"""Makes three eval sets of chains: questions whose answer takes two, three or four steps through small documents.

Invented teams, people and departments, each with a document of its own; a chain goes from a team to its head, that
person's superior, the superior's department and its mailbox. Chinese, English and mixed; the same for the same seed.
All three have the same documents and ask about the same teams. `experiments/sequential_depth.yaml` reads them as
`chains_2`, `chains_3` and `chains_4`:

    python benchmarks/chains.py eval_sets [--teams 30] [--seed 0]
    ragbench experiment sequential_depth
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

DEPTHS = (2, 3, 4)


@dataclass(frozen=True)
class Tongue:
    """How a language names things and says facts: `facts` are the four steps and two that lead nowhere."""

    name: str
    teams: Sequence[str]
    people: Sequence[str]
    departments: Sequence[str]
    facts: Mapping[str, str]
    questions: Mapping[int, str]


def _all(one: str, other: str, joint: str = "") -> list[str]:
    return [f"{a}{joint}{b}" for a in one.split() for b in other.split()]


ZH = Tongue(
    "zh",
    [f"{name}组" for name in _all("云 海 星 川 松 鹤 岚 霁", "帆 桥 舟 岭 泉 石 林 港")],
    _all("王 李 赵 钱 孙 周 吴 郑 冯 陈 沈 韩 杨 朱 秦 许", "海宁 文清 雨辰 思远 建国 晓岚 明哲 静怡 志强 若溪"),
    [f"{name}部" for name in _all("资 运 商 质 研 规 信 培", "管 务 控 服 策 审 联 保")],
    {
        "head": "{a}的负责人是{b}。",
        "superior": "{a}的上级是{b}。",
        "department": "{a}的部门是{b}。",
        "mailbox": "{a}的邮箱是{b}。",
        "floor": "{a}在 {n} 楼办公。",
        "since": "{a}自 20{n:02d} 年起在册。",
    },
    {
        2: "{team}的负责人的上级是谁？",
        3: "{team}的负责人的上级的部门是什么？",
        4: "{team}的负责人的上级的部门的邮箱是什么？",
    },
)
EN = Tongue(
    "en",
    [f"{name} team" for name in _all("Kes Mar Tal Or Wen Bel Har Lin", "trel low ven ton dale fast rick burn")],
    _all(
        "Ada Ben Cleo Dan Eva Finn Greta Hugo Ida Jon Kay Leo Mia Nils Ola Pia",
        "Ashby Brook Crane Drew Elm Frost Gale Hale Irons Jute",
        " ",
    ),
    [f"{name} department" for name in _all("Ara Bri Cor Del Eno Fal Gro Hel", "ma nt vo ska rne lun pex dor")],
    {
        "head": "The head of the {a} is {b}.",
        "superior": "The superior of {a} is {b}.",
        "department": "The department of {a} is the {b}.",
        "mailbox": "The mailbox of the {a} is {b}.",
        "floor": "{a} sits on floor {n}.",
        "since": "{a} has been on the books since 20{n:02d}.",
    },
    {
        2: "Who is the superior of the head of the {team}?",
        3: "What is the department of the superior of the head of the {team}?",
        4: "What is the mailbox of the department of the superior of the head of the {team}?",
    },
)
MIXED = Tongue(
    "mixed",
    [f"{name} squad" for name in _all("Nova Pixel Quark Ruby", "One Core Edge Labs", " ")],
    _all("Amy Bob Cindy Dave Emma Frank", "小陈 小林 老周 老吴", " "),
    [f"{name} 事业部" for name in _all("Cloud Data Game Pay", "East West Lab Hub", " ")],
    {
        "head": "{a} 的 owner 是 {b}。",
        "superior": "{a} 的上级是 {b}。",
        "department": "{a} 的部门是 {b}。",
        "mailbox": "{a} 的邮箱是 {b}。",
        "floor": "{a} 的 desk 在 {n} 楼。",
        "since": "{a} 的 badge 自 20{n:02d} 年生效。",
    },
    {
        2: "{team} 的 owner 的上级是谁？",
        3: "{team} 的 owner 的上级的部门是什么？",
        4: "{team} 的 owner 的上级的部门的邮箱是什么？",
    },
)


class World:
    """The documents of one language, filled while chains are made."""

    def __init__(self, tongue: Tongue, random: Random) -> None:
        self.tongue, self.random = tongue, random
        self.texts: dict[str, list[str]] = {}

    def fact(self, kind: str, a: str, b: str) -> dict[str, str]:
        """Write a fact into the document of `a`, once, and return it as evidence."""
        said = self.tongue.facts[kind].format(a=a, b=b)
        lines = self.texts.setdefault(a, [])
        if said not in lines:
            noise = self.tongue.facts[self.random.choice(("floor", "since"))].format(a=a, n=self.random.randint(2, 24))
            lines += [said] if noise in lines else [said, noise]
        return {"doc": f"{self.tongue.name}/{a.replace(' ', '_')}.md", "quote": said}


def chains(world: World, n_teams: int) -> Iterator[dict[str, object]]:
    """Three questions a team, one for each depth."""
    tongue, random = world.tongue, world.random
    teams, people, places = (
        random.sample(list(names), len(names)) for names in (tongue.teams, tongue.people, tongue.departments)
    )
    half = len(people) // 2
    for number, team in enumerate(teams[:n_teams]):
        head, superior = people[number % half], people[half + number % half]
        place = places[number % len(places)]
        address = f"box{number:02d}.{tongue.name}@example.org"
        steps = (
            ("head", team, head),
            ("superior", head, superior),
            ("department", superior, place),
            ("mailbox", place, address),
        )
        found = [world.fact(*step) for step in steps]
        for depth in DEPTHS:
            evidence = [one | {"group": f"step{at}"} for at, one in enumerate(found[:depth], 1)]
            yield {
                "id": f"{tongue.name}-{number:02d}-{depth}",
                "question": tongue.questions[depth].format(team=team),
                "category": "multi_hop",
                "difficulty": "hard",
                "language": tongue.name,
                "answerable": True,
                "split": "test",
                "evidence": evidence,
                "reference": steps[depth - 1][2],
                "complexity": "multi_hop",
            }


def write(folder: Path, n_teams: int, seed: int) -> tuple[int, int]:
    """Write `chains_<depth>/v1` for each depth; how many documents and questions each has."""
    rows: list[dict[str, object]] = []
    worlds = [World(tongue, Random(f"{seed}{tongue.name}")) for tongue in (ZH, EN, MIXED)]
    for world in worlds:
        rows += chains(world, min(n_teams, len(world.tongue.teams)))
    for depth in DEPTHS:
        place = folder / f"chains_{depth}" / "v1"
        for world in worlds:
            for name, lines in world.texts.items():
                path = place / "corpus" / world.tongue.name / f"{name.replace(' ', '_')}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"# {name}\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
        own = [row for row in rows if str(row["id"]).endswith(f"-{depth}")]
        lines_of = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
        (place / "questions.jsonl").write_text(lines_of, encoding="utf-8")
    return sum(len(world.texts) for world in worlds), len(rows) // len(DEPTHS)


def main() -> None:
    """Write the sets where they are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of eval sets")
    parser.add_argument("--teams", type=int, default=30, help="teams of each language, as far as it has names")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    there = [depth for depth in DEPTHS if (args.folder / f"chains_{depth}").exists()]
    if there:
        sys.exit(f"{args.folder}/chains_{there[0]}: is there already")
    documents, questions = write(args.folder, args.teams, args.seed)
    print(f"{args.folder}/chains_2, chains_3, chains_4: {documents} documents, {questions} questions each")


if __name__ == "__main__":
    main()
