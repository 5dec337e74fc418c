"""Thresholds belong to a judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from support.policy_files import refusal

from jev_turn.policy import Policy, load_policy
from jev_turn.policy.document import Layer
from jev_turn.policy.entry import Setting

KEY = "turn.addressee_threshold"
SCAN = "scanned: local on mrda val, 2026-11-30"

Own = Callable[..., Path]


def with_packaged_override(policy: Policy) -> Policy:
    """The policy as if the packaged file held an override for ``local``."""
    defaults = policy.layers[0]
    overrides = {"local": {KEY: Setting(0.31, "default for local", SCAN)}}
    packaged = Layer(defaults.values, defaults.presets, overrides)
    return replace(policy, layers=(packaged, *policy.layers[1:]))


def test_an_override_applies_to_its_judge_with_its_provenance() -> None:
    """Value, source and provenance change together."""
    local = with_packaged_override(load_policy(env={})).for_judge("local")
    assert local.turn().addressee_threshold == 0.31
    assert local.source(KEY) == "default for local"
    assert local.provenance(KEY) == SCAN


def test_a_scan_with_one_judge_never_changes_another() -> None:
    """The name is compared whole: neither a prefix nor a sibling gets the value."""
    policy = with_packaged_override(load_policy(env={}))
    for model in ("loca", "local-2", "jev-1.13.0", ""):
        assert policy.for_judge(model).as_dict() == load_policy(env={}).as_dict()
    assert policy.for_judge("local").for_judge("jev-1.13.0").value(KEY) == 0.5


def test_what_the_author_set_is_stronger_than_a_packaged_override(own: Own) -> None:
    """File, environment and request stand over what the package scanned."""
    for policy in (
        load_policy(file=own({KEY: 0.4}), env={}),
        load_policy(env={"JEV_ADDRESSEE_THRESHOLD": "0.4"}),
        load_policy(env={}, request={KEY: 0.4}),
    ):
        assert with_packaged_override(policy).for_judge("local").value(KEY) == 0.4


def test_an_own_file_may_override_for_a_judge(own: Own) -> None:
    """Its override stands over its own value."""
    path = own({KEY: 0.4}, overrides={"local": {KEY: {"value": 0.3, "provenance": SCAN}}})
    policy = load_policy(file=path, env={})
    assert policy.value(KEY) == 0.4
    assert policy.for_judge("local").value(KEY) == 0.3
    assert policy.for_judge("local").source(KEY) == f"{path} for local"


def test_an_override_that_contradicts_the_rest_is_refused(own: Own) -> None:
    """A threshold under the floor that the bar falls to."""
    path = own({}, overrides={"local": {"turn.eos_threshold": 0.5}})
    policy = load_policy(file=path, env={})
    assert refusal(lambda: policy.for_judge("local")).key == "turn.eos_threshold_floor"
