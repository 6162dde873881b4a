from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from ragbench.embedder import e5_runtime
from ragbench.embedder.e5_small import E5Small, E5Worker
from ragbench.errors import ConfigError, DataError

TEXTS = {
    "zh": "员工出差须在返回后五个工作日内提交报销申请。",
    "en": "Expense claims must be filed within five working days.",
    "mixed": "使用 Kubernetes 1.29 部署时，replicas 至少为 3。",
}
LONG = TEXTS["zh"] * 60


def test_rows_are_unit_float32(int8: E5Worker) -> None:
    rows = int8.embed_documents([*TEXTS.values(), "", " ", "\0\ud800", LONG])
    assert rows.shape == (7, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert int8.embed_documents([]).shape == int8.embed_queries([]).shape == (0, 384)


@pytest.mark.parametrize("language", TEXTS)
def test_a_vector_depends_on_its_text_alone(int8: E5Worker, language: str) -> None:
    text = TEXTS[language]
    alone = int8.embed_documents([text])[0]
    for batch in ([text, LONG, ""], [LONG] * 3 + [text], list(TEXTS.values())):
        np.testing.assert_array_equal(int8.embed_documents(batch)[batch.index(text)], alone)


@pytest.mark.parametrize("runtime", ["int8", "q4", "fp32", "numpy"])
def test_threads_change_no_bit(make: Callable[..., E5Small], runtime: str) -> None:
    texts = list(TEXTS.values()) * 4
    with make(runtime=runtime, threads=1).open() as one, make(runtime=runtime, threads=4).open() as four:
        assert one.space == four.space
        np.testing.assert_array_equal(one.embed_documents(texts), four.embed_documents(texts))


def test_a_worker_may_be_shared_by_threads(int8: E5Worker) -> None:
    expected = int8.embed_queries([TEXTS["zh"]])
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(int8.embed_queries, [[TEXTS["zh"]]] * 8):
            np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("runtime", ["int8", "q4", "fp32"])
def test_runtimes_agree(make: Callable[..., E5Small], runtime: str) -> None:
    texts = [*TEXTS.values(), LONG]
    with make(runtime=runtime).open() as ours, make(runtime="numpy").open() as numpy:
        cosines = (ours.embed_documents(texts) * numpy.embed_documents(texts)).sum(axis=1)
    assert cosines.min() > (0.99 if runtime == "int8" else 0.99999)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("出差报销的期限是多久？", TEXTS["zh"], "公司食堂每天中午十二点开饭。"),
        ("When must I file an expense claim?", TEXTS["en"], "The canteen opens at noon every day."),
        ("When must I file an expense claim?", TEXTS["zh"], "公司食堂每天中午十二点开饭。"),
    ],
)
def test_a_question_is_nearest_to_its_answer(int8: E5Worker, question: str, answer: str, other: str) -> None:
    scores = int8.embed_documents([answer, other]) @ int8.embed_queries([question])[0]
    assert scores[0] > scores[1] + 0.02


def test_roles_have_their_prefixes(make: Callable[..., E5Small], int8: E5Worker) -> None:
    query, passage = int8.embed_queries([TEXTS["zh"]])[0], int8.embed_documents([TEXTS["zh"]])[0]
    assert query @ passage < 0.9999
    with make(query_prefix="passage: ").open() as worker:
        np.testing.assert_array_equal(worker.embed_queries([TEXTS["zh"]])[0], passage)


def test_long_texts_are_the_token_weighted_mean_of_their_windows(int8: E5Worker) -> None:
    (n_tokens,) = int8.count_tokens([LONG])
    assert n_tokens > int8.max_tokens == 508
    (ids,) = int8._tokenizer.encode([LONG])
    size = -(-n_tokens // int8.max_tokens)
    edges = [n_tokens * part // size for part in range(size + 1)]
    means = [int8._states(ids[a:b], "passage").mean(axis=0) * (b - a) for a, b in pairwise(edges)]
    expected = np.sum(means, axis=0)
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(int8.embed_documents([LONG])[0], expected, atol=1e-6)


def test_every_part_of_a_long_text_counts_unless_truncated(make: Callable[..., E5Small], int8: E5Worker) -> None:
    tail = LONG + "本制度自二〇二四年一月一日起施行。" * 30
    assert not np.array_equal(*int8.embed_documents([LONG + LONG, LONG + tail]))
    with make(overflow="truncate").open() as cut:
        np.testing.assert_array_equal(*cut.embed_documents([LONG + LONG, LONG + tail]))
        assert cut.token_vectors([LONG], "passage")[0].shape == (508, 384)
        assert cut.space != int8.space


@pytest.mark.parametrize("role", ["query", "passage"])
def test_token_vectors_are_of_the_own_tokens(int8: E5Worker, role: str) -> None:
    texts = [*TEXTS.values(), "", LONG]
    states = int8.token_vectors(texts, role)
    assert [len(rows) for rows in states] == int8.count_tokens(texts)
    for rows in states:
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(int8.token_vectors([TEXTS["en"]], role)[0], states[1])


def test_token_vectors_refuse_another_role(int8: E5Worker) -> None:
    with pytest.raises(ConfigError, match="query or passage, found 'document'"):
        int8.token_vectors(["a"], "document")


def test_space_is_the_fingerprint_and_shared_by_auto(make: Callable[..., E5Small]) -> None:
    spaces = {runtime: make(runtime=runtime).fingerprint() for runtime in ("auto", "int8", "q4", "fp32", "numpy")}
    assert spaces["auto"] == spaces["int8"]
    assert len(set(spaces.values())) == 4
    assert make(threads=7).fingerprint() == spaces["int8"]
    assert make(query_prefix="").fingerprint() != spaces["int8"]
    for runtime in ("auto", "numpy"):
        with make(runtime=runtime).open() as worker:
            assert worker.space == spaces[runtime]


def test_a_fallback_has_a_space_of_its_own(
    make: Callable[..., E5Small], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: object, path: object, precision: str) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(e5_runtime.e5_onnx, "write_encoder", fail)
    stage = make(runtime="auto", cache_dir=str(tmp_path))
    with stage.open() as worker:
        assert worker.runtime == "numpy"
        assert worker.space == make(runtime="numpy").fingerprint() == stage.fingerprint()


def test_a_nan_state_names_its_text(int8: E5Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def hidden(self, embeddings: np.ndarray) -> np.ndarray:
            return embeddings * np.float32("nan")

    monkeypatch.setattr(int8, "_encoder", Broken())
    with pytest.raises(DataError, match=r"text 0 of 1 \('报销'\).*NaN"):
        int8.embed_documents(["报销"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runtime": "gpu"}, "embedder.runtime: expected one of auto, int8, q4, fp32, numpy, found 'gpu'"),
        ({"overflow": "error"}, "embedder.overflow"),
        ({"threads": -1}, "embedder.threads"),
    ],
)
def test_bad_fields_are_refused(make: Callable[..., E5Small], changed: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(**changed)


def test_a_prefix_that_fills_the_window_is_refused(make: Callable[..., E5Small]) -> None:
    with pytest.raises(ConfigError, match="prefix"), make(query_prefix="报销 " * 600).open():
        pass
