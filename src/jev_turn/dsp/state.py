"""What the acoustic gate is told, remembers and reports."""

from __future__ import annotations

from dataclasses import dataclass

from jev_turn.dsp.burst import Burst
from jev_turn.dsp.config import GateConfig


@dataclass(frozen=True, slots=True)
class GateContext:
    """What the gate must be told, because it cannot hear it.

    Attributes:
        agent_speaking: The agent's voice is audible.
        turn_open: A turn is open; None when nobody says, and the gate's own state counts.
        words: How many times new words have arrived so far in the call.
    """

    agent_speaking: bool = False
    turn_open: bool | None = None
    words: int = 0


@dataclass(frozen=True, slots=True)
class GateOpened:
    """Somebody may be speaking, and first crossed the gate ``held_ms`` ago."""

    at_ms: int
    held_ms: int
    rms: float
    floor: float
    gate: float


@dataclass(frozen=True, slots=True)
class GateClosed:
    """Quiet for ``quiet_ms``; with ``stalled``, the microphone fell away instead."""

    at_ms: int
    quiet_ms: int
    stalled: bool = False


@dataclass(frozen=True, slots=True)
class BurstDropped:
    """A nomination was one click or knock with its echo."""

    at_ms: int
    burst: Burst


@dataclass(frozen=True, slots=True)
class NominationRefused:
    """The sound has held long enough, and the gate rests for another ``rest_ms``."""

    at_ms: int
    rest_ms: int


@dataclass(frozen=True, slots=True)
class MicStalled:
    """The microphone gives no sound information (or, with ``stalled`` off, does again)."""

    at_ms: int
    stalled: bool


GateEvent = GateOpened | GateClosed | BurstDropped | NominationRefused | MicStalled
Events = tuple[GateEvent, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sound that may become an opening.

    Attributes:
        start_ms: When its first frame over the gate began.
        dip_ms: How long it has been under the gate.
        window: Its latest levels, dips included.
        refused: It has been refused once, and that was said.
    """

    start_ms: int
    dip_ms: int
    window: tuple[float, ...]
    refused: bool = False


@dataclass(frozen=True, slots=True)
class GateState:
    """All that one microphone's gate remembers.

    Attributes:
        config: Settings in force.
        floor: Noise floor.
        now_ms: Length of the sound seen so far.
        open: The gate is open.
        quiet_ms: Sound seen since the last frame over the gate; ``quiet_ms()`` reads it.
        blank_ms: Length of the current run of frames without sound information.
        stalled: The microphone gives no sound information.
        candidate: The sound that may become an opening.
        rest_from_ms: Last nomination, or the moment that the agent began to speak.
        unheard_ms: Age of the open turn's last new words (or of its opening).
        context: What was known at the last frame.
    """

    config: GateConfig
    floor: float
    now_ms: int = 0
    open: bool = False
    quiet_ms: int = 0
    blank_ms: int = 0
    stalled: bool = False
    candidate: Candidate | None = None
    rest_from_ms: int | None = None
    unheard_ms: int = 0
    context: GateContext = GateContext()
