"""Calls of the demo made by hand: what was played, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jev_turn.demo.call import Call
from jev_turn.demo.kept import Before
from jev_turn.demo.labels import Stretch
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import (
    Conversation,
    Cue,
    Fate,
    FinishTurnSetup,
    Noise,
    NoiseName,
    Sounding,
    Step,
    Voice,
)
from jev_turn.play.witness import Account
from jev_turn.record.oracle import Final, Oracle


def line(at_ms: int, end_ms: int, fate: Fate, text: str = "words") -> Played:
    """Return a voice that was played from ... to ..."""
    return played(Voice(text), fate, Stretch(at_ms, end_ms))


def noise(at_ms: int, end_ms: int, name: NoiseName = "cough") -> Played:
    """Return a noise that was played from ... to ..."""
    fate = Fate.UNOPENED if name == "click" else Fate.UNHEARD
    return played(Noise(name), fate, Stretch(at_ms, end_ms))


def played(sound: Sounding, fate: Fate, *stretches: Stretch) -> Played:
    """Return a sound with its labels."""
    at_ms = stretches[0].onset_ms if stretches else 0
    return Played(Step(Cue("start", 0), sound, fate), at_ms, stretches)


def call(
    sounds: Sequence[Played],
    account: Account,
    records: Sequence[dict[str, Any]] = (),
    audible: Sequence[tuple[int, int]] = (),
    oracle: Oracle | None = None,
    began_ms: int = 0,
    setup: FinishTurnSetup | None = None,
    before: Before | None = None,
) -> Call:
    """Return a call; its script is not what matters."""
    script = Conversation("x", "", (Step(Cue("start", 0), Voice("x"), Fate.ANSWERED),), setup)
    return Call(
        script,
        tuple(sounds),
        account,
        tuple(audible),
        tuple(records),
        began_ms,
        oracle or Oracle((), ()),
        before,
    )


def opened(stream_ms: int, held_ms: int) -> dict[str, Any]:
    """Return the gate's own line on an opening."""
    numbers = {"stream_ms": stream_ms, "held_ms": held_ms}
    return {"kind": "gate", "state": "open", "t": stream_ms, "numbers": numbers}


def ended(at_ms: int, why: str = "complete") -> dict[str, Any]:
    """Return the record's line on the end of a turn."""
    return {"kind": "effect", "name": "EndTurn", "t": at_ms, "why": why, "text": ""}


def heard(at_ms: int, text: str) -> Final:
    """Return what the recogniser wrote."""
    return Final(text, at_ms)
