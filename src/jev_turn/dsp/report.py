"""Gate events and levels as lines of a call record."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jev_turn.dsp.floor import gate_level
from jev_turn.dsp.state import (
    BurstDropped,
    GateClosed,
    GateEvent,
    GateOpened,
    GateState,
    MicStalled,
    NominationRefused,
)

_WHAT = {
    GateOpened: "open",
    GateClosed: "close",
    BurstDropped: "drop",
    NominationRefused: "refractory",
    MicStalled: "stall",
}


def gate_line(event: GateEvent) -> dict[str, Any]:
    """One decision: ``kind``, ``what``, when in the microphone's sound, and the numbers.

    Args:
        event: What happened; a ``MicStalled`` that is over reads ``resume``.
    """
    numbers = asdict(event)
    numbers.update(numbers.pop("burst", {}))
    resumed = isinstance(event, MicStalled) and not event.stalled
    what = "resume" if resumed else _WHAT[type(event)]
    return {"kind": "gate", "what": what, "stream_ms": numbers.pop("at_ms"), **numbers}


def level_line(state: GateState, loudest: float) -> dict[str, Any]:
    """The level since the line before, with the floor and the gate that it is measured against.

    Args:
        state: State after the last frame.
        loudest: Highest level since the line before.
    """
    gate = gate_level(state.floor, state.config, state.context.agent_speaking)
    return {
        "kind": "level",
        "stream_ms": state.now_ms,
        "rms": loudest,
        "floor": state.floor,
        "gate": gate,
        "open": state.open,
    }
