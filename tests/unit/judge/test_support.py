import pytest

from ragbench.core.codec import loads
from ragbench.judge.claims import Claim
from ragbench.judge.evidence import Evidence, facts_of
from ragbench.judge.signals import SIGNALS, signals
from ragbench.judge.support import SupportModel, check_claim
from ragbench.records.score import ClaimState

AGAINST = {"number_missing", "number_elsewhere", "rival", "name_missing", "negation_differs", "opposite", "longest_gap"}


def test_the_shipped_model_knows_its_signals_and_keeps_their_meaning() -> None:
    model = SupportModel.load()
    assert set(model.weights) == set(SIGNALS)
    assert all(weight <= 0 if name in AGAINST else weight >= 0 for name, weight in model.weights.items())
    assert 0 < model.threshold < 1


def test_score_is_the_logistic_function() -> None:
    model = SupportModel(-1.0, {"sentence_cover": 2.0}, 0.5)
    assert model.score({"sentence_cover": 0.5, "other": 9.0}) == 0.5
    assert model.score({"sentence_cover": 1e9}) == 1.0


@pytest.mark.parametrize(
    ("claim", "context", "name", "value"),
    [
        ("年假十天", "年假十五天。", "number_missing", 1.0),
        ("年假十天", "病假十天。年假五天。加班。年假", "number_missing", 0.0),
        ("NFS is fine", "SMB is fine.", "name_missing", 1.0),
        ("Use the NFS share", "use the nfs share.", "name_missing", 0.0),
        ("不得带走设备", "可以带走设备。", "negation_differs", 1.0),
        ("it starts", "it does not start, but it is fine", "negation_differs", 1.0),
        ("短信停用，不再作为第二因素", "短信验证码起停用，不再作为第二因素。", "negation_differs", 0.0),
        ("短信停用，作为第二因素", "短信验证码起停用，不再作为第二因素。", "negation_differs", 1.0),
        ("it starts fast, and stays up", "it starts fast, and does not stay up", "negation_differs", 1.0),
        ("年假以下", "年假以上。", "opposite", 1.0),
        ("alpha beta gamma delta", "alpha delta.", "longest_gap", 0.5),
        ("alpha beta", "alpha beta.", "context_cover", 1.0),
        ("alpha beta", "alpha. Then beta.", "sentence_cover", 0.5),
        ("alpha beta", "alpha. Then beta.", "window_cover", 1.0),
    ],
)
def test_signals(claim: str, context: str, name: str, value: float) -> None:
    found = signals(claim, facts_of(claim), Evidence([(1, context)]))
    assert found.values[name] == value


@pytest.mark.parametrize(
    ("claim", "context"),
    [("短信验证码起停用", "4.3 短信验证码起停用。"), ("Logs are kept", "2.1 Logs are kept, as said.")],
)
def test_the_number_of_a_section_is_no_part_of_its_sentence(claim: str, context: str) -> None:
    assert Evidence([(1, context)]).verbatim(facts_of(claim)) is not None
    assert Evidence([(1, "旧" + context)]).verbatim(facts_of(claim)) is None


def test_ties_go_to_the_first_passage() -> None:
    found = signals("年假", facts_of("年假"), Evidence([(1, "年假多。"), (2, "年假少。")]))
    assert found.best.block == 1


@pytest.mark.parametrize("context", ["", "\n\n", "---"])
def test_no_passage_supports_nothing(context: str) -> None:
    verdict = check_claim(Claim("年假十天", 0, 4), Evidence([(1, context)]), SupportModel.load()).verdict
    assert (verdict.state, verdict.score) == (ClaimState.NOT_ENOUGH, 0.0)


def test_the_model_file_says_how_it_was_made() -> None:
    from importlib.resources import files

    data = loads((files("ragbench.judge") / "offline_model.json").read_bytes())
    assert "train_offline_judge.py" in data["about"] and "CC BY-SA" in data["about"]
