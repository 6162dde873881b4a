"""Fingerprints: what changes them and what does not."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.core.fingerprint import canonical, fingerprint
from ragbench.core.stage import Stage

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_equal_values_have_one_fingerprint(value):
    assert fingerprint(value) == fingerprint(canonical(value))


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), ([1, 2], (1, 2)), ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}), (-0.0, 0), ([(1,)], ([1.0],))],
)
def test_spelling_of_a_value_does_not_matter(left, right):
    assert fingerprint(left) == fingerprint(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, "1"),
        (1, True),
        (0, False),
        (None, ""),
        ([], None),
        ("a", ["a"]),
        ([1, [2]], [[1], 2]),
        (1.5, 1),
        ("年", "年 "),
    ],
)
def test_different_values_differ(left, right):
    assert fingerprint(left) != fingerprint(right)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"x"])
def test_values_without_a_stable_form_are_refused(value):
    with pytest.raises(TypeError, match="cannot fingerprint"):
        fingerprint(value)


def test_the_digest_never_moves():
    expected = "5c16af3b4a0b0a2c105205e4cace3f5f0c14a7b619aef359f8febf3da37a5fa6"
    assert fingerprint("ragbench", 1, ["年假", 0.5]) == expected


@dataclass(frozen=True, kw_only=True)
class Inner(Stage):
    size: int


@dataclass(frozen=True, kw_only=True)
class Outer(Stage):
    ratio: float
    names: tuple[str, ...]
    inner: Inner
    batch: int = field(default=8, compare=False)


def outer(**changes):
    return Outer(**({"ratio": 0.5, "names": ("a",), "inner": Inner(size=3)} | changes))


@pytest.mark.parametrize("changes", [{"ratio": 0.25}, {"names": ("a", "b")}, {"names": ()}, {"inner": Inner(size=4)}])
def test_a_result_relevant_field_changes_the_key(changes):
    assert outer(**changes).fingerprint() != outer().fingerprint()


def test_an_operational_field_does_not():
    assert outer(batch=99).fingerprint() == outer().fingerprint()
    assert outer(batch=99) == outer()


def test_numbers_and_sequences_are_coerced():
    assert outer(ratio=1).fingerprint() == outer(ratio=1.0).fingerprint()
    assert outer(names=["a"]).fingerprint() == outer().fingerprint()


def test_the_version_and_the_class_take_part():
    class Other(Outer):
        VERSION = 2

    values = {"ratio": 0.5, "names": ("a",), "inner": Inner(size=3)}
    assert Other(**values).recipe()["version"] == 2
    assert Other(**values).fingerprint() != outer().fingerprint()


def test_a_library_version_takes_part(monkeypatch):
    from ragbench.core import stage

    class Parsed(Inner):
        LIBRARIES = ("numpy",)

    before = Parsed(size=1).fingerprint()
    monkeypatch.setattr(stage, "library_version", lambda name: "0.0.1")
    assert Parsed(size=1).fingerprint() != before
