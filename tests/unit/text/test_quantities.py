import pytest

from ragbench.text.quantities import chinese_number, quantities, rates


def found(text: str) -> list[tuple[str, str, str]]:
    return [(q.kind, q.value, q.unit) for q in quantities(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("８０元", "80 元"),
        ("1.2万", "12000"),
        ("1,200 元", "¥1200"),
        ("三十天", "30 days"),
        ("十五个工作日", "15 working days"),
        ("2024年3月5日", "2024-03-05"),
        ("2024/3/5", "March 5, 2024"),
        ("5 March 2024", "2024年3月5号"),
        ("Q3 2024", "2024年第三季度"),
        ("百分之十二", "12%"),
        ("两周", "2 weeks"),
        ("twenty-five people", "25人"),
        ("9:30", "09:30"),
        ("24 h", "24小时"),
        ("3 million", "300万"),
        ("三百五", "350"),
        ("一百二", "120"),
        ("一万八", "18000"),
        ("两万三", "2.3万"),
        ("三千六", "3600"),
        ("二十三万五", "235000"),
        ("一百零五", "105"),
        ("三百五十", "350"),
        ("budget 一万二", "budget 12k"),
    ],
)
def test_one_fact_two_spellings(one: str, other: str) -> None:
    (a,), (b,) = quantities(one), quantities(other)
    assert (a.kind, a.value, a.unit) == (b.kind, b.value, b.unit)
    assert a.agrees(b)


@pytest.mark.parametrize(
    "text",
    [
        *("一些员工", "统一管理", "十分重要", "一般情况", "万一", "one of them", "", "第一次看见"),
        *("六七天", "十几个", "几十人", "五六十人", "十五六个", "选三还是四", "SLA 两三天"),
    ],
)
def test_ordinary_words_are_no_numbers(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("10 天", "10", True),
        ("10 天", "10 小时", False),
        ("10 天", "15 天", False),
        ("3月5日", "2024年3月5日", True),
        ("2023年3月5日", "2024年3月5日", False),
        ("v4.2.1", "4.2.1", True),
        ("4.2.1", "4.2.0", False),
        ("Q3", "2024-Q3", True),
    ],
)
def test_agreement(one: str, other: str, agree: bool) -> None:
    (a,), (b,) = quantities(one), quantities(other)
    assert a.agrees(b) is agree and b.agrees(a) is agree


@pytest.mark.parametrize(
    ("numeral", "value"), [("三十", 30), ("一百零五", 105), ("十二万", 120000), ("二〇二四", 2024), ("千", None)]
)
def test_chinese_numerals(numeral: str, value: int | None) -> None:
    assert chinese_number(numeral) == value


def test_a_long_row_of_digits_is_quick() -> None:
    assert len(quantities("1" * 20_000 + "，" + "一" * 20_000)) <= 2


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("每月", {"month"}),
        ("每个工作日 5 次", {"workday"}),
        ("monthly fee", {"month"}),
        ("API 350 a month", {"month"}),
        ("一个月", set()),
        ("", set()),
    ],
)
def test_rates(text: str, units: set[str]) -> None:
    assert rates(text) == units
