import pytest

from ragbench.text.opposites import opposes


@pytest.mark.parametrize(
    ("claim", "passage", "pair"),
    [
        ("12点以下免费", "12点以上免费", ("以下", "以上")),
        ("it is disabled", "it is enabled", ("disabled", "enabled")),
        ("最多保留 3 份 copies", "最少保留 3 份 copies", ("最多", "最少")),
        ("enabled and disabled", "enabled", None),
        ("it is fast", "it is quick", None),
        ("newest", "new", None),
        ("", "", None),
    ],
)
def test_pairs(claim: str, passage: str, pair) -> None:
    assert opposes(claim, passage) == pair
