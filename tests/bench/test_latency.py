"""The bench that sets duplex beside a plain bot, in virtual time; real time: tests/bots."""

from __future__ import annotations

import pytest

from jev_turn.bench.latency import Latencies, measure
from jev_turn.bench.turns import TTFT_S, Heard, Stopwatch
from jev_turn.play.clock import run
from jev_turn.policy import load_policy


@pytest.fixture(scope="module")
def found() -> Latencies:
    """Five turns, the last of which goes on behind what sounds like its end."""
    return run(measure(load_policy(env={}), 5))


def test_every_turn_is_answered_once_in_each_bot(found: Latencies) -> None:
    """Three bots that hear the same turns are compared, so none may lose or double one."""
    assert found.complete
    assert (found.plain.runs, found.duplex.runs) == (5, 5)


def test_speculation_hides_most_of_the_models_first_token(found: Latencies) -> None:
    """Of 600 ms at least 300 are over when the turn ends."""
    assert 300 <= found.sooner_ms <= TTFT_S * 1000
    assert found.ok


def test_a_turn_that_goes_on_wastes_one_run_and_the_others_none(found: Latencies) -> None:
    """What was begun to the first half is thrown away, and the second half begins nothing."""
    assert found.early.wasted == [0, 0, 0, 0, 1]
    assert found.early.runs == 6


def test_the_hand_over_costs_no_waiting(found: Latencies) -> None:
    """Without the work of the CPU, which virtual time leaves out, duplex adds nothing."""
    assert found.hand_over_ms == pytest.approx(0, abs=0.1)


def test_moments_belong_to_the_turn_whose_end_they_follow() -> None:
    """An early run that nobody released is wasted; one that was is not."""
    watch = Stopwatch(ends=[10.0, 20.0], early=[9.5, 19.0], late=[20.0])
    watch.model, watch.audio = [10.1, 20.2], [10.3, 10.32, 21.0]
    heard = watch.summary(2, 2)
    assert heard.to_model_ms == pytest.approx([100, 200])
    assert heard.to_audio_ms == pytest.approx([300, 1000])
    assert (heard.wasted, heard.runs) == ([0, 1], 3)


@pytest.mark.parametrize(
    ("duplex", "early", "ok"),
    [
        ((21.9, 700.0), (2.0, 400.0), True),
        ((22.0, 700.0), (2.0, 400.0), False),
        ((3.0, 699.0), (2.0, 400.0), False),
    ],
)
def test_the_limits_stand(
    duplex: tuple[float, float], early: tuple[float, float], ok: bool
) -> None:
    """Below 20 ms more to the model, at least 300 ms sooner."""

    def heard(to_model: float, to_audio: float) -> Heard:
        return Heard(1, [to_model], [to_audio], 1, 1, [0])

    assert Latencies(heard(2.0, 690.0), heard(*duplex), heard(*early)).ok is ok


def test_a_turn_that_is_lost_fails_the_bench() -> None:
    """Fast replies to half of the turns are no success."""
    one, lost = Heard(1, [2.0], [700.0], 1, 1, [0]), Heard(1, [2.0], [300.0], 0, 1, [0])
    assert not Latencies(one, one, lost).ok
