"""Names, units and ranges of the reply list's and the mouth's settings; the policy has values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from jev_turn.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ReplyConfig:
    """Settings of one reply list. Build it with ``jev_turn.policy``, not by hand.

    Those of ``ear.*`` and ``replies.*`` are its own. The last five mean here what they mean in
    ``turn.*``, and their values stand there.

    Attributes:
        tick_ms: How often the ear looks at what is in no cut yet, ms > 0.
        answer_threshold: ``enough_to_answer`` at or over this makes a cut, 0 to 1.
        strikes: Looks in a row at unchanged words, judged insufficient, that drop them, >= 1.
        strikes_min_ms: The words must also have been unchanged for this long, ms >= 0.
        word_lag_ms: A word that comes later than this after the latest sound was too soft for
            the gate, and counts as sound itself, ms >= 0.
        drain_quiet_ms: Quiet before the list is handed to the model, ms >= 0.
        watermark_coverage: Share of the taken words that a segment's later text must repeat for
            them to be cut off it, 0 to 1.
        speech_rate_max_per_s: No person speaks more units (words, or Chinese characters) a
            second than this, > 0.
        speech_rate_units_min: Fewer units than this have no speech rate, >= 1.
        rejoin_ms: Words dropped by strikes come back in front of words that follow within this,
            ms >= 0; 0 is never.
        silent_ms: A reply with words is a failure when no audio has left this long after its
            run ended and the mouth opened, ms > 0.
        run_max_ms: A turn without any sign of life for this long is given up, ms > 0.
        stt_silent_ms: The recogniser is taken for deaf when it says nothing about sound that
            goes on for this long, ms > 0.
        stt_retry_min_ms: Wait before it is first asked to connect anew, ms > 0; doubles.
        stt_retry_max_ms: Longest such wait, ms >= ``stt_retry_min_ms``.
        holding_floor_min: ``holding_floor`` at or over this asks for time, 0 to 1.
        holding_cap_ms: Words that ask for time are not dropped for this long, ms > 0.
        degraded_end_ms: Quiet that makes a cut while the judge is away, ms > 0.
        cap_ms: Without a new word for this long the person counts as quiet, ms > 0.
        thinking_max_ms: The agent counts as listening after thinking this long, ms > 0.
    """

    tick_ms: int
    answer_threshold: float
    strikes: int
    strikes_min_ms: int
    word_lag_ms: int
    drain_quiet_ms: int
    watermark_coverage: float
    speech_rate_max_per_s: float
    speech_rate_units_min: int
    rejoin_ms: int
    silent_ms: int
    run_max_ms: int
    stt_silent_ms: int
    stt_retry_min_ms: int
    stt_retry_max_ms: int
    holding_floor_min: float
    holding_cap_ms: int
    degraded_end_ms: int
    cap_ms: int
    thinking_max_ms: int

    def __post_init__(self) -> None:
        _check(
            self, "replies", zero=("strikes_min_ms", "word_lag_ms", "drain_quiet_ms", "rejoin_ms")
        )
        _ordered(self, "replies", "stt_retry_min_ms", "stt_retry_max_ms")


@dataclass(frozen=True, slots=True)
class MouthConfig:
    """Settings of one mouth. Build it with ``jev_turn.policy``, not by hand.

    Those of ``mouth.*`` are its own. The last two mean here what they mean in ``ear.*`` and
    ``turn.*``, and their values stand there.

    Attributes:
        finish_threshold: ``turn_finished`` at or over this lets the held reply out, 0 to 1.
        ask_from_ms: Quiet under which the mouth does not ask, ms >= 0.
        open_at_ms: Quiet from which it opens without asking, ms >= ``ask_from_ms``.
        ask_interval_ms: Shortest time between two asks, whatever the tick, ms > 0.
        lag_ms: Taken off the quiet, for a clock that runs on transcripts, ms >= 0.
        ceiling_ms: Nothing is held for longer, unless the person has only just gone quiet, ms > 0.
        on_resume: ``hold`` keeps a held reply when new words come, ``withdraw`` drops it.
        word_lag_ms: A word that comes later than this after the latest sound was too soft for
            the gate, and counts as sound itself, ms >= 0.
        cap_ms: At the ceiling, without a new word for this long the person counts as quiet, ms.
    """

    finish_threshold: float
    ask_from_ms: int
    open_at_ms: int
    ask_interval_ms: int
    lag_ms: int
    ceiling_ms: int
    on_resume: Literal["hold", "withdraw"]
    word_lag_ms: int
    cap_ms: int

    def __post_init__(self) -> None:
        _check(self, "mouth", zero=("ask_from_ms", "open_at_ms", "lag_ms", "word_lag_ms"))
        _ordered(self, "mouth", "ask_from_ms", "open_at_ms")


def _check(config: Any, section: str, zero: tuple[str, ...]) -> None:
    """Refuse what would loop for ever: durations of 0 ms that are waited for again and again."""
    for field in fields(config):
        value = getattr(config, field.name)
        if field.name.endswith("_ms") and value < (0 if field.name in zero else 1):
            raise ConfigError(f"{section}.{field.name}: {value!r} ms is too short")


def _ordered(config: Any, section: str, low: str, high: str) -> None:
    if getattr(config, low) > getattr(config, high):
        raise ConfigError(
            f"{section}.{low}: {getattr(config, low)!r} is above "
            f"{section}.{high} ({getattr(config, high)!r})"
        )
