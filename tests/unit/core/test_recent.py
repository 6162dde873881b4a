"""What is kept for the next variant, and what is dropped."""

from threading import Thread

import pytest

from ragbench.core.recent import Memory, Recent


def test_values_used_last_stay_within_the_limit():
    kept = Recent(3)
    for key in "abc":
        kept.put(key, key.upper())
    assert kept.get("a") == "A"
    kept.put("d", "D")
    assert [kept.get(key) for key in "abcd"] == ["A", None, "C", "D"]
    assert len(kept) == kept.weight == 3


def test_weights_count_and_what_is_too_heavy_is_not_kept():
    kept = Recent(10)
    kept.put("a", 1, 6)
    kept.put("b", 2, 6)
    assert (kept.get("a"), kept.get("b"), kept.weight) == (None, 2, 6)
    assert kept.put("c", 3, 11) == 3
    assert (kept.get("c"), kept.get("b")) == (None, 2)


def test_the_first_value_of_a_key_stays():
    kept = Recent(2)
    first, second = [1], [1]
    assert kept.put("a", first) is first
    assert kept.put("a", second) is first
    assert kept.call("a", lambda: second) is first
    assert kept.weight == 1


def test_what_raises_is_not_kept():
    kept = Recent(2)
    with pytest.raises(ZeroDivisionError):
        kept.call("a", lambda: 1 // 0)
    assert kept.call("a", lambda: 2) == 2


def test_a_memory_that_does_not_keep_finds_nothing_again():
    keeping, forgetting = Memory(), Memory(keep=False)
    for memory in (keeping, forgetting):
        memory.of("x", 5).put("a", 1)
    assert keeping.of("x", 5).get("a") == 1 and keeping.of("y", 5).get("a") is None
    assert forgetting.of("x", 5).get("a") is None


def test_threads_may_share_it():
    kept = Recent(50)

    def work():
        for n in range(2000):
            assert kept.call(n % 100, lambda n=n: n % 100) == n % 100

    threads = [Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(kept) == kept.weight <= 50
