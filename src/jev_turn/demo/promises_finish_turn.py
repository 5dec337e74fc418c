"""What the calls without barge-in promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jev_turn.demo.call import Call
from jev_turn.demo.cases import Case, never, of
from jev_turn.demo.measure import Promise, counted, times
from jev_turn.demo.outcome import Outcome
from jev_turn.demo.plan import Fate
from jev_turn.record import wording
from jev_turn.record.heard import words
from jev_turn.record.oracle import heard_lines

LIVE_MS = 450
"""The tail that a room's echo needs, and a moment to open, ms."""


def without_barge_in(calls: Sequence[Call], cases: Sequence[Case]) -> list[Promise]:
    """Hold the calls without barge-in to what was promised; others are not put to the test."""
    waiting = [call for call in calls if call.conversation.finish_turn is not None]
    return [
        never(
            "Words over a bot without barge-in are answered next, once",
            "line",
            of(cases, Fate.QUEUED),
            _not_queued,
        ),
        _of_calls("Nothing interrupts a bot without barge-in", waiting, _interrupted),
        _of_calls("Nothing of the bot's own voice is transcribed", _echoing(waiting), _overheard),
        times(
            "The microphone is live soon after the bot's last sound",
            "mute",
            [(call.conversation.name, ms) for call in waiting for ms in _live_after(call)],
            {"max": LIVE_MS},
        ),
        never(
            "An invented sentence is dropped by its rate of speech",
            "sentence",
            of(cases, Fate.INVENTED),
            _kept,
        ),
        _of_calls("The call's record keeps that rate", waiting, _without_rate),
        _of_calls(
            "What a killed process left waiting is answered once",
            [call for call in waiting if call.before is not None],
            _not_taken_up,
        ),
    ]


def _not_queued(one: Outcome) -> bool:
    """It must end one turn, after which the bot speaks once, and nothing may stop the bot."""
    return bool(one.interruptions) or len(one.ended) != 1 or len(one.replies) != 1


def _kept(one: Outcome) -> bool:
    return not one.words or bool(one.ended or one.replies or one.interruptions)


def _of_calls(what: str, calls: Sequence[Call], faults: Callable[[Call], Iterator[str]]) -> Promise:
    found = [f"{call.conversation.name}: {fault}" for call in calls for fault in faults(call)]
    return counted(what, "call", len(calls), found)


def _interrupted(call: Call) -> Iterator[str]:
    for at_ms in call.account.interrupts:
        yield wording.clock(at_ms)


def _echoing(calls: Sequence[Call]) -> list[Call]:
    return [
        call
        for call in calls
        if call.conversation.finish_turn and call.conversation.finish_turn.echo
    ]


def _overheard(call: Call) -> Iterator[str]:
    """Yield what was recognised while the bot was to be heard, or in a microphone's delay after."""
    heard = [(r["t"] + call.record_began_ms, r["text"]) for r in heard_lines(call.records)]
    for begin_ms, end_ms in call.audible:
        for at_ms, text in heard:
            if begin_ms <= at_ms <= end_ms + LIVE_MS:
                yield f"{wording.clock(at_ms)} {text!r}"


def _live_after(call: Call) -> Iterator[int]:
    """Yield how long after the end of what was audible each mute ended, ms."""
    for record in call.records:
        if record["kind"] == "mute" and record["state"] == "stop":
            at_ms = record["t"] + call.record_began_ms
            ends = [end_ms for _, end_ms in call.audible if end_ms <= at_ms]
            yield at_ms - max(ends, default=0)


def _without_rate(call: Call) -> Iterator[str]:
    invented = [one for one in call.played if one.step.invents]
    dropped = [r for r in call.records if r.get("name") == "Discard" and r["why"] == "rate"]
    rates = [r["numbers"].get("units_per_s", 0.0) for r in dropped]
    if len(rates) != len(invented) or not all(rates):
        yield f"{len(invented)} invented, rates {rates}"


def _not_taken_up(call: Call) -> Iterator[str]:
    """Yield each text that waited when the process died and that this one did not answer once."""
    assert call.before is not None
    lines = [r for r in call.before.records if r["kind"] == "effect"]
    starts = [index for index, r in enumerate(lines) if r["name"] == "StartTurn"]
    waited = [r["text"] for r in lines[max(starts, default=0) :] if r["name"] == "KeepCut"]
    given = [text for _, text in call.account.turns]
    for text in waited or ["nothing waited"]:
        if sum(words(text) == words(turn) for turn in given) != 1:
            yield f"{text!r} among {given}"
