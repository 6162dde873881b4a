import pytest

from ragbench.core.tenants import may_see, tenants_of


@pytest.mark.parametrize(
    ("metadata", "tenants"),
    [
        ({}, set()),
        ({"tenant": None}, set()),
        ({"tenant": []}, set()),
        ({"tenant": "甲公司"}, {"甲公司"}),
        ({"tenant": 42}, {"42"}),
        ({"tenant": ["acme", "甲公司", None]}, {"acme", "甲公司"}),
        ({"tenant": ""}, {""}),
        ({"team": "acme"}, set()),
    ],
)
def test_tenants_of(metadata, tenants) -> None:
    assert tenants_of(metadata) == tenants


@pytest.mark.parametrize("principal", ["acme", "甲公司"])
def test_who_sees_what(principal: str) -> None:
    assert may_see(principal, {"tenant": principal})
    assert may_see(principal, {"tenant": ["other", principal]})
    assert not may_see(principal, {"tenant": "other"})
    assert not may_see(principal, {"tenant": principal.upper() + " "})
    assert not may_see(principal, {}), "what is unmarked is not shared"
    assert may_see(None, {})
    assert may_see(None, {"tenant": None})
    assert not may_see(None, {"tenant": principal}), "who asks in no name does not see everything"
    assert not may_see(None, {"tenant": ""})
