"""What calls without barge-in promise, and when it is broken."""

from __future__ import annotations

from typing import Any

import pytest
from support.demo_call import call, line, played

from jev_turn.demo.call import Call
from jev_turn.demo.cases import Case
from jev_turn.demo.kept import Before
from jev_turn.demo.labels import Stretch
from jev_turn.demo.outcome import outcomes
from jev_turn.demo.plan import Cue, Fate, FinishTurnSetup, Noise, Step
from jev_turn.demo.promises_finish_turn import without_barge_in
from jev_turn.play.witness import Account

QUEUED = "Words over a bot without barge-in are answered next, once"
STOPPED = "Nothing interrupts a bot without barge-in"
ECHO = "Nothing of the bot's own voice is transcribed"
LIVE = "The microphone is live soon after the bot's last sound"
INVENTED = "An invented sentence is dropped by its rate of speech"
RATE = "The call's record keeps that rate"
KILLED = "What a killed process left waiting is answered once"

SLAM = Step(Cue("start", 0), Noise("door slam"), Fate.INVENTED, "nobody said this")
MUTED, HEARD = FinishTurnSetup(mic_gate=True, echo=True), FinishTurnSetup()


def broken(one: Call) -> list[str]:
    """Name the promises that did not hold."""
    cases = [Case("x", outcome) for outcome in outcomes(one)]
    return [promise.what for promise in without_barge_in([one], cases) if not promise.kept]


def effect(at_ms: int, name: str, **fields: Any) -> dict[str, Any]:
    """Return the record's line on an effect."""
    return {"kind": "effect", "t": at_ms, "name": name, **fields}


@pytest.mark.parametrize(
    ("turns", "replies", "faults"), [(1, 1, []), (0, 0, [QUEUED]), (2, 1, [QUEUED])]
)
def test_words_over_the_bot_are_answered_next_and_once(
    turns: int, replies: int, faults: list[str]
) -> None:
    """Dropped, or answered twice, they break the promise that the list is there for."""
    bot: list[tuple[int, int | None]] = [(5000 + n, 6000) for n in range(replies)]
    account = Account([9], turns=[(4000, "x")] * turns, bot=bot)
    assert broken(call([line(0, 900, Fate.QUEUED)], account, setup=HEARD)) == faults


def test_nothing_may_interrupt() -> None:
    """Finish-turn is the way of taking turns in which replies are never cut off."""
    account = Account([9], turns=[(4000, "x")], bot=[(5000, 6000)], interrupts=[2000])
    found = broken(call([line(0, 900, Fate.QUEUED)], account, setup=HEARD))
    assert found == [QUEUED, STOPPED]


@pytest.mark.parametrize(
    ("at_ms", "faults"), [(999, []), (1000, [ECHO]), (2450, [ECHO]), (2451, [])]
)
def test_words_while_the_bot_is_to_be_heard_are_its_own(at_ms: int, faults: list[str]) -> None:
    """In the echo's call nobody else speaks then."""
    partial = {"kind": "partial", "t": at_ms, "segment": 1, "text": "gladly"}
    one = call([], Account(), [partial], audible=[(1000, 2000)], setup=MUTED)
    assert broken(one) == faults


@pytest.mark.parametrize(("live_ms", "faults"), [(2450, []), (2451, [LIVE])])
def test_the_microphone_is_live_in_time(live_ms: int, faults: list[str]) -> None:
    """Whoever answers at once is heard."""
    lines = [
        {"kind": "mute", "t": 1000, "state": "start"},
        {"kind": "mute", "t": live_ms, "state": "stop"},
    ]
    assert broken(call([], Account(), lines, audible=[(1000, 2000)], setup=MUTED)) == faults


def invented(*records: dict[str, Any], account: Account | None = None) -> list[str]:
    """Name the broken promises of a call with an invented sentence."""
    slam = played(SLAM.sound, SLAM.fate, Stretch(0, 500))
    one = call([type(slam)(SLAM, 0, slam.stretches)], account or Account(), records, setup=HEARD)
    return broken(one)


def test_an_invented_sentence_is_dropped_and_its_rate_kept() -> None:
    """Both are needed: that it came to nothing, and why."""
    heard = {"kind": "partial", "t": 600, "segment": 1, "text": "nobody said this"}
    dropped = effect(600, "Discard", why="rate", numbers={"units_per_s": 20.0})
    assert invented(heard, dropped) == []
    assert invented(heard) == [RATE]
    assert invented(heard, dropped, account=Account(turns=[(900, "nobody said this")])) == [
        INVENTED
    ]


def test_a_sentence_that_never_came_proves_nothing() -> None:
    """A recogniser that was not made to invent has put nothing to the test."""
    dropped = effect(600, "Discard", why="rate", numbers={"units_per_s": 20.0})
    assert invented(dropped) == [INVENTED]


@pytest.mark.parametrize(
    ("turns", "faults"),
    [
        (["Tickets?"], []),
        ([], [KILLED]),
        (["Tickets?", "tickets"], [KILLED]),
        (["Trams?"], [KILLED]),
    ],
)
def test_what_waited_at_a_kill_is_answered_once(turns: list[str], faults: list[str]) -> None:
    """Counted from the dead process's own record and what this one's model was given."""
    left = [
        effect(100, "KeepCut", text="Where from?"),
        effect(200, "StartTurn", text="Where from?"),
        effect(300, "KeepCut", text="Tickets?"),
    ]
    account = Account(turns=[(100 + n, text) for n, text in enumerate(turns)])
    one = call([line(9000, 9900, Fate.ANY)], account, setup=HEARD, before=Before(-9, tuple(left)))
    assert broken(one) == faults


def test_a_kill_that_left_nothing_proves_nothing() -> None:
    """A process that died before anything waited has put nothing to the test."""
    assert broken(call([], Account(), setup=HEARD, before=Before(-9, ()))) == [KILLED]
