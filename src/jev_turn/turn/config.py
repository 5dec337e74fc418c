"""Names, units and ranges of the turn machine's settings; the values live in the policy."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, cast

from jev_turn.errors import ConfigError


@dataclass(frozen=True, slots=True)
class TurnConfig:
    """Settings of one turn machine. Build it with ``jev_turn.policy``, not by hand.

    Attributes:
        empty_turn_ms: An opened turn without words is a false opening after this, ms > 0.
        empty_turn: ``retract`` closes a false opening, ``keep`` leaves it open (Agora).
        debounce_ms: Wait after the latest words before asking, agent not speaking, ms >= 0.
        barge_in_debounce_ms: The same while the agent speaks, ms >= 0.
        confirm_min_ms: Microphone quiet needed to end a turn judged surely complete, ms.
        confirm_max_ms: The same for one judged barely complete, ms >= ``confirm_min_ms``.
        interim_quiet_ms: The same where the last words come from an interim: time for the final,
            which may hold more, ms >= 0.
        recheck_min_ms: Shortest wait before asking again about unchanged words, ms > 0.
        recheck_max_ms: Longest such wait, ms >= ``recheck_min_ms``.
        cap_ms: Quiet that ends a turn whatever the judge says, ms > 0.
        holding_cap_ms: The same while the person asks for time, ms >= ``cap_ms``.
        holding_floor_min: ``holding_floor`` at or over this asks for time, 0 to 1.
        eos_threshold: ``turn_complete`` that ends a turn at once, 0 to 1.
        eos_threshold_floor: The lowest the bar falls to in silence, 0 to ``eos_threshold``.
        eos_decay_ms: Quiet over which the bar falls, ms >= 0.
        addressee_threshold: ``addressed_to_agent`` under this is side-talk, 0 to 1.
        barge_in_threshold: ``taking_floor`` at or over this interrupts, 0 to 1.
        side_talk_hold: Hold side-talk; off treats every word as addressed.
        side_talk: ``discard`` drops held side-talk with a trace, ``keep`` leaves it (Agora).
        side_talk_after_ms: Quiet after which held side-talk is dropped, ms > 0.
        side_talk_streak_max: Held turns in a row after which the next one counts as
            addressed; 0 is never.
        semantic_barge_in: Off lets any word over the agent interrupt.
        barge_in_requires_addressed: An interruption must also be addressed to the agent.
        withdraw_while_thinking: Addressed words withdraw a reply that is not yet audible.
        backchannel_after_ms: Quiet after which a nod without a final counts as said, ms > 0.
        undecided_ms: A nod younger than this when the agent stops is judged again, ms >= 0.
        late_overlap: Share of a committed interim's words that its late final repeats, 0 to 1.
        degraded_end_ms: Quiet that ends a turn while the judge is away, ms > 0.
        degraded_words: Words over the agent that interrupt while the judge is away, >= 1.
        thinking_max_ms: The agent counts as listening after thinking this long, ms > 0.
        ending_max_ms: Wait for the transport to confirm an end, ms > 0.
        stop_words: Phrases that interrupt without a judge, lower case; empty turns it off.
        stop_words_within: A stop phrase must begin within this many words, >= 1.
        ends: Off for bots that keep their own end of turn (``BargeInClassifier``).
        speculate: Begin the reply before the end of the turn.
        speculate_debounce_ms: In place of ``debounce_ms`` for interims then, ms >= 0.
        speculate_enough_min: ``enough_to_answer`` needed for that, 0 to 1.
        speculate_complete_min: ``turn_complete`` needed for that, 0 to 1.
        speculate_runs_max: Replies begun early in one turn, which is also the most that it can
            waste, >= 1.
    """

    empty_turn_ms: int
    empty_turn: Literal["retract", "keep"]
    debounce_ms: int
    barge_in_debounce_ms: int
    confirm_min_ms: int
    confirm_max_ms: int
    interim_quiet_ms: int
    recheck_min_ms: int
    recheck_max_ms: int
    cap_ms: int
    holding_cap_ms: int
    holding_floor_min: float
    eos_threshold: float
    eos_threshold_floor: float
    eos_decay_ms: int
    addressee_threshold: float
    barge_in_threshold: float
    side_talk_hold: bool
    side_talk: Literal["discard", "keep"]
    side_talk_after_ms: int
    side_talk_streak_max: int
    semantic_barge_in: bool
    barge_in_requires_addressed: bool
    withdraw_while_thinking: bool
    backchannel_after_ms: int
    undecided_ms: int
    late_overlap: float
    degraded_end_ms: int
    degraded_words: int
    thinking_max_ms: int
    ending_max_ms: int
    stop_words: tuple[str, ...]
    stop_words_within: int
    ends: bool
    speculate: bool
    speculate_debounce_ms: int
    speculate_enough_min: float
    speculate_complete_min: float
    speculate_runs_max: int

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, str(field.type), getattr(self, field.name))
        for low, high in _ORDERED:
            if getattr(self, low) > getattr(self, high):
                raise ConfigError(
                    f"turn.{low}: {getattr(self, low)!r} is above "
                    f"turn.{high} ({getattr(self, high)!r})"
                )


def _check(name: str, kind: str, value: object) -> None:
    """Refuse a value that is not what the docstring above says."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if kind == "int":
        least = 0 if name in _FROM_ZERO else 1
        wrong = not whole or cast(int, value) < least
        wanted = f"a whole number of {least} or more"
    elif kind == "float":
        wrong = not (whole or isinstance(value, float)) or not 0 <= cast(float, value) <= 1
        wanted = "a number from 0 to 1"
    elif kind == "bool":
        wrong, wanted = not isinstance(value, bool), "true or false"
    elif name in _CHOICES:
        wrong, wanted = value not in _CHOICES[name], " or ".join(_CHOICES[name])
    else:
        wrong = not isinstance(value, tuple) or any(not isinstance(v, str) for v in value)
        wanted = "a tuple of phrases"
    if wrong:
        raise ConfigError(f"turn.{name}: {value!r} is not {wanted}")


_FROM_ZERO = (
    "debounce_ms",
    "barge_in_debounce_ms",
    "speculate_debounce_ms",
    "confirm_min_ms",
    "confirm_max_ms",
    "interim_quiet_ms",
    "eos_decay_ms",
    "undecided_ms",
    "side_talk_streak_max",
)
_CHOICES = {"empty_turn": ("retract", "keep"), "side_talk": ("discard", "keep")}
_ORDERED = (
    ("confirm_min_ms", "confirm_max_ms"),
    ("recheck_min_ms", "recheck_max_ms"),
    ("cap_ms", "holding_cap_ms"),
    ("eos_threshold_floor", "eos_threshold"),
)
