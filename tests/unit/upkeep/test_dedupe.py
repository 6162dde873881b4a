"""Near-duplicates: which go, which stay, which are never taken for each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragbench.errors import ConfigError
from ragbench.upkeep import near as near_module
from ragbench.upkeep.dedupe import dedupe
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.world import SMALL, BagEmbedder, BagWorker, World

WHOLE = ("variant=hybrid", "splitter=whole")
SAME = {
    "zh": "未休完的年假最多可以结转五天，次年三月底之前休完。",
    "en": "The server keeps backups for 35 days and deletes the oldest first.",
    "mixed": "上线前请确认 Kubernetes 集群版本不低于 1.27。",
}


class NearWorker(BagWorker):
    """Gives every text nearly the same vector."""

    def _row(self, text):
        return np.ones(self.dimension) + 0.001 * super()._row(text)


class NearEmbedder(BagEmbedder):
    def open(self):
        from contextlib import nullcontext

        return nullcontext(NearWorker(self.fingerprint()))


def indexed(tmp_path, texts, overrides=WHOLE, embedder=None):
    world = World(tmp_path, overrides, embedder or NearEmbedder())
    for name, text in texts.items():
        world.write(name, text, day="2026-01-01")
    world.update()
    return world


def taken(world, cosine=0.98, loose=False, apply=True):
    return dedupe(world.place(), cosine, loose=loose, apply=apply)


def pairs(done):
    return [(pair.removed, pair.kept) for pair in done.pairs]


@pytest.mark.parametrize("language", list(SAME))
@pytest.mark.parametrize("overrides", [WHOLE, ("variant=bm25", "splitter=whole")], ids=["vectors", "text"])
def test_equal_texts_leave_the_first(tmp_path, language, overrides):
    world = indexed(
        tmp_path, {"b.txt": SAME[language], "a.txt": SAME[language].replace(" ", "  "), "c.txt": "别的 else"}, overrides
    )
    before = world.hashes()
    dry = taken(world, apply=False)
    assert pairs(dry) == [("b.txt#0", "a.txt#0")] and dry.pairs[0].cosine is None
    assert dry.written is None and world.hashes() == before
    done = taken(world)
    assert done.compared_by == ("vectors" if "hybrid" in overrides[0] else "text")
    assert done.written.removed == 1 and world.ids() == ["a.txt#0", "c.txt#0"]
    assert verify(world.place()).findings == ()
    assert world.update(apply=None).written.built == ()
    assert taken(world).written is None


def test_the_older_document_is_kept(tmp_path):
    world = indexed(tmp_path, {"a.txt": SAME["zh"], "b.txt": SAME["zh"]})
    world.write("b.txt", SAME["zh"], day="2020-01-01")
    world.update()
    assert pairs(taken(world)) == [("a.txt#0", "b.txt#0")]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("请重启服务器。并等待。", "请重启服务器"),
        ("Log in. Restart the server.", "Restart the server."),
        ("重启 server。再登录 portal。", "重启 server。"),
    ],
)
def test_what_says_more_is_kept(tmp_path, more, less):
    for names in (("a.txt", "b.txt"), ("b.txt", "a.txt")):
        world = indexed(tmp_path / names[0], dict(zip(names, (more, less))))
        assert taken(world, apply=False).held_back == {"words": 1}
        done = taken(world, loose=True)
        assert pairs(done) == [(f"{names[1]}#0", f"{names[0]}#0")] and done.pairs[0].cosine >= 0.98


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("年假十天", "年假五天", "numbers or dates"),
        ("see E-ABC", "see E-ABD", "identifiers"),
        ("截至2024年3月5日", "截至2024年3月6日", "numbers or dates"),
        ("可以报销", "不可以报销", "negation"),
        ("the fee is minimum", "the fee is maximum", "opposites"),
        ("from Paris to Rome", "from Rome to Paris", "names"),
        ("北京的办公室", "上海的办公室", "words"),
        ("以下规定已经废止。可以报销。", "可以报销。", "what is revoked"),
        ("This section is obsolete. Fees are refunded.", "Fees are refunded.", "what is revoked"),
        ("甲公司向乙公司付款。", "乙公司向甲公司付款。", "names"),
        ("发布统一延后。", "发布统一提前。", "opposites"),
        ("Fees are billed ahead.", "Fees are billed afterwards.", "opposites"),
        ("We may not take it and go later.", "We may take it and never go later.", "negation"),
        ("可以申请五天无薪年假。", "不可以申请五天带薪年假。", "negation"),
    ],
)
def test_held_back_whatever_the_vectors_say(tmp_path, one, other, reason):
    world = indexed(tmp_path, {"a.txt": one, "b.txt": other})
    for loose in (False, True):
        done = taken(world, loose=loose)
        assert done.pairs == () and done.held_back == {reason: 1}
        assert done.examples[0].reason == reason and done.examples[0].cosine >= 0.98


def test_under_the_threshold_nothing_goes(tmp_path):
    world = indexed(tmp_path, {"a.txt": "请重启服务器。", "b.txt": "请重启服务器。等待完成。"}, embedder=BagEmbedder())
    assert taken(world, loose=True).pairs == () and not taken(world, loose=True).held_back
    assert pairs(taken(world, cosine=0.2, loose=True)) == [("a.txt#0", "b.txt#0")]


def front(tenant):
    return f"---\ntenant: {tenant}\n---\n{SAME['en']}"


@pytest.mark.parametrize(
    ("texts", "apart"),
    [
        ({"a.md": front("acme"), "b.md": front("globex")}, True),
        ({"a.md": front("acme"), "b.md": front("acme")}, False),
        ({"law (2017-11-04).txt": SAME["zh"], "law (2024-06-28).txt": SAME["zh"]}, True),
        ({"handbook 2023.txt": SAME["zh"], "handbook 2024.txt": SAME["zh"]}, True),
        ({"report (1).txt": SAME["zh"], "report copy.txt": SAME["zh"]}, False),
    ],
    ids=["two tenants", "one tenant", "two dates", "two years", "two copies"],
)
def test_tenants_and_editions_keep_their_own(tmp_path, texts, apart):
    world = indexed(tmp_path, texts)
    for loose in (False, True):
        assert len(taken(world, loose=loose, apply=False).pairs) == (0 if apart else 1)


def test_the_same_words_under_other_headings(tmp_path):
    text = "# {} guide\n\n## Install\n\nRun the installer and follow what it says on the screen.\n"
    world = indexed(
        tmp_path,
        {"a.md": text.format("Linux"), "b.md": text.format("Windows"), "c.md": text.format("Linux")},
        ("variant=hybrid", "splitter=markdown", "chunk_unit=chars", "chunk_size=70"),
    )
    strict, loose = taken(world, apply=False), taken(world, loose=True, apply=False)
    for done in (strict, loose):
        assert {pair.partition("#")[0] for pair, _ in pairs(done)} == {"c.md"}
    numbered = "# Rules 20{}\n\n## Install\n\nRun the installer and follow what it says on the screen.\n"
    dated = indexed(tmp_path / "dated", {"a.md": numbered.format(23), "b.md": numbered.format(24)}, world.overrides)
    assert taken(dated, loose=True, apply=False).pairs == ()


def test_overlapping_neighbours_are_no_duplicates(tmp_path):
    world = indexed(
        tmp_path,
        {"a.txt": "好" * 300},
        ("variant=hybrid", "splitter=fixed", "chunk_unit=chars", "chunk_size=100", "overlap=50"),
    )
    chunks = world.answers(queries=())[0]
    done = taken(world, apply=False)
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    assert done.pairs
    for removed, kept in pairs(done):
        assert by_id[removed].start >= by_id[kept].end or by_id[kept].start >= by_id[removed].end


@pytest.mark.parametrize("what", ["deleted", "modified"])
def test_a_duplicate_comes_back_when_the_one_that_was_kept_goes(tmp_path, what):
    world = indexed(tmp_path, {"a.txt": SAME["zh"], "b.txt": SAME["zh"], "c.txt": "else"})
    taken(world)
    assert world.ids() == ["a.txt#0", "c.txt#0"]
    n_before = len(world.worker.embedded)
    if what == "deleted":
        world.delete("a.txt")
    else:
        world.write("a.txt", "完全 different")
    world.update()
    assert "b.txt#0" in world.ids() and world.found("结转") == {"b.txt"}
    assert SAME["zh"] not in world.worker.embedded[n_before:]
    fresh = World(tmp_path / "fresh", world.overrides, world.embedder)
    fresh.folder = world.folder
    fresh.update()
    assert world.hashes() == fresh.hashes()


def test_the_result_does_not_depend_on_what_was_taken_out_before(tmp_path):
    texts = {"m.txt": "请重启服务器。", "z.txt": "请重启服务器。等待完成。"}
    world = indexed(tmp_path, texts)
    taken(world, loose=True)
    assert world.ids() == ["z.txt#0"]
    world.write("a.txt", "先登录。请重启服务器。等待完成。", day="2026-01-01")
    world.update()
    second = taken(world, loose=True)
    assert pairs(second) == [("m.txt#0", "a.txt#0"), ("z.txt#0", "a.txt#0")]
    once = indexed(tmp_path / "once", texts | {"a.txt": "先登录。请重启服务器。等待完成。"})
    assert pairs(taken(once, loose=True)) == pairs(second) and once.hashes() == world.hashes()


def test_no_chunk_goes_for_one_that_goes(tmp_path):
    """Equal texts, of which the one that would be kept goes for a third."""
    world = indexed(tmp_path, {"a.txt": "重启 server", "b.txt": "重启  server", "c.txt": "重启 server。再登录。"})
    assert pairs(taken(world, loose=True)) == [("a.txt#0", "c.txt#0"), ("b.txt#0", "c.txt#0")]
    assert world.ids() == ["c.txt#0"]


def test_blocks_change_nothing(tmp_path, monkeypatch):
    texts = {f"{n:02}.txt": f"{'请' * (n % 3)}重启服务器{'！' * (n % 2)} item{n % 4}x" for n in range(40)}
    world = indexed(tmp_path, texts)
    found = []
    for block in (1024, 7, 1):
        monkeypatch.setattr(near_module, "BLOCK", block)
        found.append(pairs(taken(world, apply=False)))
    assert found[0] == found[1] == found[2] and len(found[0]) > 10


def test_a_threshold_that_is_none(world):
    for cosine in (0, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="--cosine"):
            taken(world, cosine)


def test_ids_have_gaps_and_numbers_have_none(tmp_path):
    world = indexed(tmp_path, {"a.txt": "甲" * 50 + "\n\n" + "乙" * 50, "b.txt": "甲" * 50 + "\n\n" + "丙" * 50}, SMALL)
    taken(world)
    chunks = world.answers(queries=())[0]
    assert [chunk.chunk_id for chunk in chunks] == ["a.txt#0", "a.txt#1", "b.txt#1"]
    assert [chunk.number for chunk in chunks] == [0, 1, 2]
    assert replace(chunks[2], number=0).text == "丙" * 50


class TurningWorker(BagWorker):
    """Turns the vector by 0.15 rad for every two characters."""

    dimension = 2

    def _row(self, text):
        angle = 0.15 * (len(text) // 2)
        return np.array([np.cos(angle), np.sin(angle)])


class TurningEmbedder(BagEmbedder):
    def open(self):
        from contextlib import nullcontext

        return nullcontext(TurningWorker(self.fingerprint()))


@pytest.mark.parametrize("block", [1024, 1])
def test_what_is_near_only_to_one_that_goes_stays(tmp_path, monkeypatch, block):
    monkeypatch.setattr(near_module, "BLOCK", block)
    texts = {"a.txt": "重启。服务。机", "b.txt": "重启。服务", "c.txt": "重启"}
    world = indexed(tmp_path, texts, embedder=TurningEmbedder())
    assert pairs(taken(world, loose=True)) == [("b.txt#0", "a.txt#0")]
    assert world.ids() == ["a.txt#0", "c.txt#0"]
