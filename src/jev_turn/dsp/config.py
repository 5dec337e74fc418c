"""Names, units and ranges of the acoustic gate's settings; the values live in the policy."""

from __future__ import annotations

from dataclasses import dataclass, fields

from jev_turn.errors import ConfigError


@dataclass(frozen=True, slots=True)
class GateConfig:
    """Settings of one acoustic gate. Build it with ``jev_turn.policy``, not by hand.

    Levels are the RMS of samples between -1 and 1.

    Attributes:
        hold_ms: The level must stay above the gate this long to open a turn, ms > 0.
        hold_max_ms: From here on a dip within the grace does not put the opening off, ms >=
            ``hold_ms``.
        floor_ratio_idle: Gate over noise floor while the agent is silent, ratio >= 1.
        floor_ratio_speaking: The same while the agent speaks, ratio >= 1.
        absolute_min: The gate is never lower than this, RMS, 0 to 1.
        dip_grace_ms: A dip under the gate of at most this keeps the hold going, ms >= 0.
        agent_refractory_ms: While the agent speaks, no second opening within this, ms >= 0.
        drop_bursts: Drop a single impulsive burst (all three limits below) without opening.
        burst_peak_position_max: Its peak comes before this share of the hold, 0 to 1.
        burst_decay_ratio_max: Its last third stays under this share of the peak, 0 to 1.
        burst_continuity_max: Less than this share of its frames is above the gate, 0 to 1.
        frame_ms: Length of one analysis frame, whatever the transport delivers, ms > 0.
        floor_attack: Share of the way that the floor falls per quieter frame, over 0 to 1.
        floor_rise_per_s: Share of itself that the floor may rise per second, >= 0.
        floor_min: The floor is never lower than this, RMS over 0.
        floor_initial: The floor before the first frame, RMS >= ``floor_min``.
        stop_ms: Quiet that closes the gate (the stop hangover), ms > 0.
        thaw_ms: The floor, frozen while a turn is open, moves again after this long without
            new words, ms > 0.
        stall_ms: Without a frame for this long the microphone counts as stalled, ms > 0.
        zeros_are_silence: Off: a frame of zeros says nothing about the room (a muted
            microphone). On: it is silence (a transport that fills true silence with zeros).
        preroll_ms: Audio from before the opening that is kept for who asks, ms >= 0.
        confirm_ms: With ``SnrGate(confirm="silero")``: sound heard since the opening, ms > 0, after
            which it is dropped unless some of it, or of the pre-roll, was speech.
        confirm_probability: What is speech there: at or over this by Silero, over 0 to 1.
    """

    hold_ms: int
    hold_max_ms: int
    floor_ratio_idle: float
    floor_ratio_speaking: float
    absolute_min: float
    dip_grace_ms: int
    agent_refractory_ms: int
    drop_bursts: bool
    burst_peak_position_max: float
    burst_decay_ratio_max: float
    burst_continuity_max: float
    frame_ms: int
    floor_attack: float
    floor_rise_per_s: float
    floor_min: float
    floor_initial: float
    stop_ms: int
    thaw_ms: int
    stall_ms: int
    zeros_are_silence: bool
    preroll_ms: int
    confirm_ms: int
    confirm_probability: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.endswith("_ms") and value < 0:
                raise ConfigError(f"gate.{field.name}: {value!r} is below 0 ms")
        for name in ("frame_ms", "hold_ms", "stop_ms", "floor_min"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"gate.{name}: {getattr(self, name)!r} is not above 0")
        if self.hold_max_ms < self.hold_ms:
            raise ConfigError(
                f"gate.hold_ms: {self.hold_ms!r} is above gate.hold_max_ms ({self.hold_max_ms!r})"
            )
        if self.floor_initial < self.floor_min:
            raise ConfigError(
                f"gate.floor_initial: {self.floor_initial!r} is below "
                f"gate.floor_min ({self.floor_min!r})"
            )
