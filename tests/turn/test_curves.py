"""The bar, the confirming quiet and the wait, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jev_turn.turn import curves
from jev_turn.turn.config import TurnConfig


@pytest.mark.parametrize(
    ("quiet_ms", "expected"),
    [
        (0, 0.7200),
        (353, 0.7000),
        (500, 0.6917),
        (706, 0.6800),
        (882, 0.6700),
        (1000, 0.6633),
        (1500, 0.6350),
        (2000, 0.6067),
        (2999, 0.5501),
        (3000, 0.5500),
        (5000, 0.5500),
    ],
)
def test_the_bar_falls_with_quiet(config: TurnConfig, quiet_ms: int, expected: float) -> None:
    """The bar falls from 0.72 to 0.55 over three seconds of quiet and no further."""
    assert curves.bar(config, quiet_ms, 0.0) == pytest.approx(expected, abs=5e-5)


def test_the_bar_starts_and_ends_exactly_at_its_settings(config: TurnConfig) -> None:
    """A score that equals a threshold must pass it, so both ends carry no rounding dust."""
    assert curves.bar(config, 0, 0.0) == 0.72
    assert curves.bar(config, 3000, 0.0) == 0.55
    assert curves.bar(config, 10**9, 0.0) == 0.55


@pytest.mark.parametrize(("holding_floor", "expected"), [(0.5, 0.72), (1.0, 0.72), (0.49, 0.55)])
def test_the_bar_stays_up_for_somebody_who_asks_for_time(
    config: TurnConfig, holding_floor: float, expected: float
) -> None:
    """From 0.5 on the words ask for time, and quiet does not lower the bar."""
    assert curves.bar(config, 3000, holding_floor) == expected


def test_a_bar_that_falls_at_once(config: TurnConfig) -> None:
    """A decay of 0 ms divides by nothing: the bar is at its floor from the start."""
    config = replace(config, eos_decay_ms=0)
    assert curves.bar(config, 0, 0.0) == 0.55
    assert curves.bar(config, 1, 0.0) == 0.55
    assert curves.bar(config, 1, 0.9) == 0.72


@pytest.mark.parametrize(
    ("turn_complete", "expected"),
    [
        (0.0, 1000),
        (0.55, 1000),
        (0.60, 928),
        (0.67, 827),
        (0.72, 754),
        (0.80, 639),
        (0.90, 494),
        (1.0, 350),
    ],
)
def test_a_sure_verdict_needs_less_quiet(
    config: TurnConfig, turn_complete: float, expected: int
) -> None:
    """Confirming takes 1,000 ms for a bare verdict and 350 ms for a certain one."""
    assert round(curves.confirm(config, turn_complete)) == expected


def test_confirming_with_a_floor_of_one(config: TurnConfig) -> None:
    """With both thresholds at 1 only certainty passes, and it needs the least quiet."""
    config = replace(config, eos_threshold=1.0, eos_threshold_floor=1.0)
    assert curves.confirm(config, 1.0) == 350


@pytest.mark.parametrize(
    ("bar", "turn_complete", "expected"),
    [
        (0.72, 0.0, 2500),
        (0.72, 0.1, 2250),
        (0.72, 0.3, 1750),
        (0.72, 0.5, 1250),
        (0.72, 0.54, 1150),
        (0.72, 0.67, 825),
        (0.72, 0.68, 800),
        (0.72, 0.70, 750),
        (0.72, 0.72, 700),
        (0.55, 0.5, 864),
        (0.55, 0.54, 733),
    ],
)
def test_the_wait_grows_with_the_distance_from_the_bar(
    config: TurnConfig, bar: float, turn_complete: float, expected: int
) -> None:
    """The further a score is under the bar, the later the same words are judged again."""
    assert round(curves.wait(config, turn_complete, bar)) == expected


def test_a_bar_of_zero(config: TurnConfig) -> None:
    """A bar of 0 divides by nothing."""
    assert curves.wait(config, 0.0, 0.0) == 700


@pytest.mark.parametrize(
    ("duration_ms", "expected"),
    [(800.0, 800), (800.0000000001, 800), (793.3, 794), (793.001, 794), (0.0, 0)],
)
def test_waits_round_up(duration_ms: float, expected: int) -> None:
    """A wait never comes early by a fraction, and floating-point dust adds no millisecond."""
    assert curves.whole_ms(duration_ms) == expected


def test_the_ruling_on_whole_waits(config: TurnConfig) -> None:
    """``wait(0.68)`` is 800 ms at bar 0.72 and 793.3, hence 794 ms, at bar 0.7172."""
    assert curves.whole_ms(curves.wait(config, 0.68, 0.72)) == 800
    assert curves.bar(config, 50, 0.0) == pytest.approx(0.7172, abs=5e-5)
    assert curves.whole_ms(curves.wait(config, 0.68, curves.bar(config, 50, 0.0))) == 794
