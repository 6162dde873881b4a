"""What keeps two texts apart, Chinese, English and mixed."""

from __future__ import annotations

import pytest

from ragbench.upkeep.guard import apart, edition, facts, plain_form, says_all, says_the_same


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("年假十天", "年假十五天", "numbers or dates"),
        ("保留 35 天", "保留 36 天", "numbers or dates"),
        ("容量 10⁶ 字节", "容量 106 字节", "numbers or dates"),
        ("第三条 适用", "第四条 适用", "numbers or dates"),
        ("步骤① 关机", "步骤② 关机", "numbers or dates"),
        ("Type Ⅳ valve", "Type Ⅵ valve", "numbers or dates"),
        ("5 天内", "5 个工作日内", "numbers or dates"),
        ("$5 a month", "€5 a month", "numbers or dates"),
        ("from 3 to 5", "from 5 to 3", "numbers or dates"),
        ("截至2024年3月5日", "截至2024年3月6日", "numbers or dates"),
        ("Paid in Q3 2024", "Paid in Q4 2024", "numbers or dates"),
        ("starts at 02:00", "starts at 03:00", "numbers or dates"),
        ("needs 4.2.1", "needs 4.2.2", "numbers or dates"),
        ("thirty days", "forty days", "numbers or dates"),
        ("see AI-2024-03号文", "see AI-2024-04号文", "numbers or dates"),
        ("错误 E-ABC", "错误 E-ABD", "identifiers"),
        ("set storage.max_age", "set storage.min_age", "identifiers"),
        ("token aB", "token Ab", "identifiers"),
        ("from A240 to B17", "from B240 to A17", "identifiers"),
        ("it was Paris that won", "it was Rome that won", "names"),
        ("from Paris to Rome", "from Rome to Paris", "names"),
        ("可以报销", "不可以报销", "negation"),
        ("may be refunded", "may not be refunded", "negation"),
        ("the gift is refundable", "the gift is non-refundable", ("identifiers", "negation")),
        ("access is limited", "access is unlimited", "negation"),
        ("禁止携带", "携带", "negation"),
        ("至少三天", "至多三天", "opposites"),
        ("the minimum fee", "the maximum fee", "opposites"),
        ("发布前 freeze enabled", "发布前 freeze disabled", "opposites"),
        ("统一延后发布", "统一提前发布", "opposites"),
        ("billed ahead of the month", "billed afterwards", "opposites"),
        ("甲公司向乙公司付款", "乙公司向甲公司付款", "names"),
        ("出租人赔偿承租人", "承租人赔偿出租人", "names"),
        (
            "Employees may not take it and may move it later",
            "Employees may take it and never move it later",
            "negation",
        ),
        ("无薪年假可以申请", "不可以申请带薪年假", "negation"),
        ("No, refunds are possible", "No refunds are possible", "negation"),
        ("不，可以报销", "不可以报销", "negation"),
        ("以下规定已经废止。可以报销", "可以报销", "what is revoked"),
        ("以下規定已經廢止。可以報銷", "可以報銷", "what is revoked"),
        ("本办法自新办法施行之日起失效", "本办法自新办法施行之日起施行", "what is revoked"),
        ("This section is obsolete. Fees are refunded.", "Fees are refunded.", "what is revoked"),
        ("Fees are refunded. Superseded by the new terms.", "Fees are refunded.", "what is revoked"),
        ("该接口deprecated。先登录", "先登录", "what is revoked"),
    ],
)
def test_kept_apart(one, other, reason):
    reasons = (reason,) if isinstance(reason, str) else reason
    assert apart(facts(one), facts(other)) in reasons
    assert apart(facts(other), facts(one)) in reasons


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("年假提前三个工作日提交。", "年假提前三个工作日提交！"),
        ("ＡＢＣ　１２３", "ABC 123"),
        ("The fee is due.", "The  fee\nis due"),
        ("Keep it for 30 days", "Keep it for thirty days"),
        ("共 1,200 元", "共 1200 元"),
        ("截至 2024-03-05", "截至 2024年3月5日"),
    ],
)
def test_not_kept_apart(one, other):
    assert apart(facts(one), facts(other)) == ""


@pytest.mark.parametrize(
    ("kept", "removed", "expected"),
    [
        ("请重启服务器。然后等待。", "请重启服务器", True),
        ("先登录。请重启服务器。然后等待。", "先登录。然后等待。", True),
        ("请重启服务器", "请立即重启服务器", False),
        ("请立即重启服务器", "请重启服务器。", False),
        ("Operators dont restart", "Operators restart", False),
        ("请毋手动重启", "请手动重启", False),
        ("Everyone except contractors may read it.", "Everyone may read it.", False),
        ("北京办公室报销上限", "上海办公室报销上限", False),
        ("向交通运输主管部门申请", "向道路运输管理机构申请", False),
        ("Restart the server. Then wait.", "restart the server", True),
        ("Restart the server. Then wait.", "Restart a server.", False),
        ("先登录。请重启服务器。", "请重启服务器。先登录。", False),
        ("Restart the server", "Restart the printer", False),
        ("上线 checklist。再 rollback。", "上线 checklist", True),
        ("a b c", "c b a", False),
        ("", "", True),
    ],
)
def test_nothing_said_is_lost(kept, removed, expected):
    assert says_all(facts(kept), facts(removed)) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("年假，十天。先申请！", "年假: 十天。\n\n先申请"),
        ("ＡＢＣ　服务", "abc 服务"),
        ("The **fee** is due.", "the fee is due"),
        ("Use a plan, then wait!", "Use a plan - then wait."),
        ("- first item\n- other", "* first item\n* other"),
        ("上线 checklist（草案）", "上线 checklist (草案)"),
    ],
)
def test_the_same_sentences(one, other):
    assert says_the_same(facts(one), facts(other)) and says_the_same(facts(other), facts(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("请重启服务器。然后等待。", "请重启服务器。"),
        ("请重启服务器。然后等待。", "然后等待。请重启服务器。"),
        ("可以报销吗", "可以报销"),
        ("Refundable?", "Refundable."),
        ("Let's eat, grandma", "Let's eat grandma"),
        ("It restarts servers", "It restarted servers"),
        ("上线前 rollback", "上线后 rollback"),
        ("\u0e44\u0e21\u0e48", "\u0e44\u0e21"),
    ],
)
def test_other_sentences(one, other):
    assert not says_the_same(facts(one), facts(other)) and not says_the_same(facts(other), facts(one))


def test_plain_form_folds_width_and_blanks_and_nothing_else():
    assert plain_form("Ａ　 b\n\tｃ！") == "A b c!"
    assert plain_form("10⁶ ① Ab") != plain_form("106 1 ab")


def test_editions():
    assert edition("会计法(2017-11-04).md") != edition("会计法(2024-06-28).md")
    assert edition("handbook 2023.md") != edition("handbook 2024.md")
    assert edition("manual v2.1.0.md") != edition("manual v2.2.0.md")
    assert edition("obsolete/leave.md") != edition("leave.md") != edition("休假（草案）.md")
    assert edition("report (1).md", "Report") == edition("report copy.md", "Report") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("set it to 5 °C", "set it to -5 °C"),
        ("charged a year", "charged twice a year"),
        ("等待一天", "等待一天半"),
        ("5 M long", "5 m long"),
        ("written in C", "written in C++"),
        ("written in C", "written in C#"),
        ("load is > 40 percent", "load is < 40 percent"),
        ("below ≤ the threshold", "below ≥ the threshold"),
        ("a == b", "a != b"),
        ("grade A+", "grade A-"),
        ("Operators restart", "Operators dont restart"),
        ("手动重启", "毋手动重启"),
        ("may restart", "may hardly restart"),
        ("Everyone may read", "Everyone except contractors may read"),
        ("所有人员", "除外包人员外所有人员"),
        ("❌ allowed", "✅ allowed"),
        ("☑ VPN 已开通", "☐ VPN 已开通"),
        ("The party", "The second party"),
        ("see section b", "see section a"),
        ("B方负责", "A方负责"),
        ("继续服务", "暂停服务"),
        ("almost all", "all"),
    ],
)
def test_small_signs_and_words_keep_texts_apart(one, other):
    for a, b in ((one, other), (other, one)):
        assert apart(facts(a), facts(b)), "kept apart whatever is lifted"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use a plan, then wait!", "Use a plan - then wait."),
        ("- first item\n- other", "* first item\n* other"),
        ("年假，十天", "年假: 十天!"),
        ("上线 checklist（草案）", "上线 checklist (草案)"),
    ],
)
def test_punctuation_keeps_nothing_apart(one, other):
    assert apart(facts(one), facts(other)) == ""
