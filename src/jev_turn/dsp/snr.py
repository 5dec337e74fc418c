"""The acoustic gate as a function: one frame's level in, the next state and what happened out.

Time is counted in frames seen, never read from a clock. A frame of zeros is no sound information
(a muted microphone): it moves neither the noise floor nor the quiet clock. Settings that change
take effect while nothing is going on, that is, on the next sound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jev_turn.dsp.burst import is_impulsive, measure
from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.floor import gate_level, next_floor
from jev_turn.dsp.state import (
    BurstDropped,
    Candidate,
    Events,
    GateClosed,
    GateContext,
    GateOpened,
    GateState,
    MicStalled,
    NominationRefused,
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """One frame and what follows from its level at once."""

    config: GateConfig
    context: GateContext
    now_ms: int
    rms: float
    gate: float
    loud: bool
    blank: bool
    rest_from_ms: int | None


def begin(config: GateConfig) -> GateState:
    """State of a gate that has heard nothing yet."""
    return GateState(config=config, floor=config.floor_initial)


def quiet_ms(state: GateState) -> int | None:
    """Sound seen since the last frame over the gate; None while the microphone is stalled."""
    return None if state.stalled else state.quiet_ms


def step(
    state: GateState, rms: float, config: GateConfig, context: GateContext
) -> tuple[GateState, Events]:
    """Take one frame.

    Args:
        state: State before the frame.
        rms: The frame's level; 0.0 means that all its samples are zero.
        config: Settings wanted.
        context: What is known outside.

    Returns:
        State after the frame, and what happened at its end.
    """
    frame = _read(state, rms, config, context)
    blank_ms, stalled, mic = _microphone(state, frame)
    quiet = _quiet(state, frame)
    seek = _stay if state.open else _seek
    is_open, candidate, said = seek(state, frame, quiet, stalled)
    nominated = any(isinstance(event, GateOpened | BurstDropped) for event in said)
    floor, unheard = _floor(state, frame, is_open)
    after = GateState(
        config=frame.config,
        floor=floor,
        now_ms=frame.now_ms,
        open=is_open,
        quiet_ms=quiet,
        blank_ms=blank_ms,
        stalled=stalled,
        candidate=candidate,
        rest_from_ms=frame.now_ms if nominated else frame.rest_from_ms,
        unheard_ms=unheard,
        context=context,
    )
    return after, mic + said


def starve(state: GateState) -> tuple[GateState, Events]:
    """No frame has come for longer than ``stall_ms``, by the caller's clock.

    Args:
        state: State after the last frame.

    Returns:
        The stalled state, and what happened; nothing when it was stalled already.
    """
    if state.stalled:
        return state, ()
    said: Events = (MicStalled(state.now_ms, True),)
    if state.open:
        said += (GateClosed(state.now_ms, state.quiet_ms, stalled=True),)
    return replace(state, stalled=True, open=False, candidate=None), said


def _read(state: GateState, rms: float, config: GateConfig, context: GateContext) -> _Frame:
    config = state.config if state.open or state.candidate else config
    gate = gate_level(state.floor, config, context.agent_speaking)
    starts = context.agent_speaking and not state.context.agent_speaking
    return _Frame(
        config=config,
        context=context,
        now_ms=state.now_ms + config.frame_ms,
        rms=rms,
        gate=gate,
        loud=rms >= gate,
        blank=rms == 0.0 and not config.zeros_are_silence,
        rest_from_ms=state.now_ms if starts else state.rest_from_ms,
    )


def _microphone(state: GateState, frame: _Frame) -> tuple[int, bool, Events]:
    if not frame.blank:
        return 0, False, (MicStalled(frame.now_ms, False),) if state.stalled else ()
    blank_ms = state.blank_ms + frame.config.frame_ms
    if state.stalled or blank_ms <= frame.config.stall_ms:
        return blank_ms, state.stalled, ()
    return blank_ms, True, (MicStalled(frame.now_ms, True),)


def _quiet(state: GateState, frame: _Frame) -> int:
    """A counter, not a time stamp: a gate level that moves cannot make it jump back."""
    if frame.loud:
        return 0
    return state.quiet_ms + (0 if frame.blank else frame.config.frame_ms)


def _stay(
    state: GateState, frame: _Frame, quiet: int, stalled: bool
) -> tuple[bool, Candidate | None, Events]:
    """Stay open until it has been quiet for long enough, or the microphone falls away."""
    if stalled or quiet >= frame.config.stop_ms:
        return False, None, (GateClosed(frame.now_ms, quiet, stalled),)
    return True, None, ()


def _seek(
    state: GateState, frame: _Frame, quiet: int, stalled: bool
) -> tuple[bool, Candidate | None, Events]:
    """Look for an opening: the hold with its dips, the rest, the burst rule."""
    candidate = _follow(state.candidate, frame)
    if candidate is None:
        return False, None, ()
    held_ms = frame.now_ms - candidate.start_ms
    needed_ms = frame.config.hold_ms if frame.loud else frame.config.hold_max_ms
    if frame.blank or held_ms < needed_ms:
        return False, candidate, ()
    rest_ms = _rest_ms(frame)
    if rest_ms > 0:
        said = () if candidate.refused else (NominationRefused(frame.now_ms, rest_ms),)
        return False, replace(candidate, refused=True), said
    burst = measure(candidate.window, frame.gate)
    if frame.config.drop_bursts and is_impulsive(burst, frame.config):
        return False, None, (BurstDropped(frame.now_ms, burst),)
    return True, None, (GateOpened(frame.now_ms, held_ms, frame.rms, state.floor, frame.gate),)


def _follow(candidate: Candidate | None, frame: _Frame) -> Candidate | None:
    """Carry the hold on: a dip within the grace keeps it, zeros are a dip like any other."""
    config = frame.config
    if candidate is None:
        start_ms = frame.now_ms - config.frame_ms
        return Candidate(start_ms, 0, (frame.rms,)) if frame.loud else None
    dip_ms = 0 if frame.loud else candidate.dip_ms + config.frame_ms
    if dip_ms > config.dip_grace_ms:
        return None
    longest = (config.hold_ms + config.dip_grace_ms) // config.frame_ms + 1
    window = (*candidate.window, frame.rms)[-longest:]
    return Candidate(candidate.start_ms, dip_ms, window, candidate.refused)


def _rest_ms(frame: _Frame) -> int:
    """How long nothing may open yet; only the agent's own voice makes the gate rest."""
    if not frame.context.agent_speaking or frame.rest_from_ms is None:
        return 0
    return frame.rest_from_ms + frame.config.agent_refractory_ms - frame.now_ms


def _floor(state: GateState, frame: _Frame, is_open: bool) -> tuple[float, int]:
    """Noise floor and age of the turn's last words: down fast, up slowly, frozen in a turn."""
    config, context = frame.config, frame.context
    turn_open = is_open if context.turn_open is None else context.turn_open
    heard = context.words != state.context.words
    unheard = state.unheard_ms + config.frame_ms if turn_open and not heard else 0
    frozen = turn_open and unheard < config.thaw_ms
    if frozen or frame.rms == 0.0:
        return state.floor, unheard
    return next_floor(state.floor, frame.rms, config), unheard
