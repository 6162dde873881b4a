import pytest

from ragbench.text.han_names import han_names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("成都和深圳市每周可以居家几天", ["成都", "深圳市"]),
        ("王海宁、欧阳娜娜和陈经理", ["王海宁", "欧阳娜娜", "陈经理"]),
        ("于深圳出差，东西放哪个城市", ["深圳"]),
        ("北京大学 offer 的 deadline", ["北京大学"]),
        ("明白了，余额多少，严重违纪", []),
        ("How many days in Chengdu?", []),
        ("", []),
    ],
)
def test_names_of_people_places_and_institutions(text: str, found: list[str]) -> None:
    assert han_names(text) == found


def test_companies_that_no_dictionary_knows_are_not_seen_whole() -> None:
    assert "蜀南驱动" not in han_names("蜀南驱动的合同")
