"""The numbers of the two designs, and which of ours are guesses."""

from __future__ import annotations

from collections.abc import Iterable

from jev_turn.policy import load_policy

KNOBS = {
    "gate.hold_ms": 110,
    "gate.floor_ratio_idle": 3.0,
    "gate.floor_ratio_speaking": 5.0,
    "gate.absolute_min": 0.006,
    "gate.dip_grace_ms": 60,
    "gate.agent_refractory_ms": 350,
    "gate.drop_bursts": True,
    "gate.burst_peak_position_max": 0.35,
    "gate.burst_decay_ratio_max": 0.3,
    "gate.burst_continuity_max": 0.6,
    "turn.empty_turn_ms": 4000,
    "turn.debounce_ms": 150,
    "turn.barge_in_debounce_ms": 0,
    "turn.confirm_min_ms": 350,
    "turn.confirm_max_ms": 1000,
    "turn.recheck_min_ms": 700,
    "turn.recheck_max_ms": 2500,
    "turn.cap_ms": 5000,
    "turn.holding_cap_ms": 12000,
    "turn.holding_floor_min": 0.5,
    "turn.eos_threshold": 0.72,
    "turn.eos_threshold_floor": 0.55,
    "turn.eos_decay_ms": 3000,
    "turn.addressee_threshold": 0.5,
    "turn.barge_in_threshold": 0.5,
    "turn.side_talk_hold": True,
    "turn.semantic_barge_in": True,
    "ear.answer_threshold": 0.65,
    "ear.strikes": 3,
    "ear.tick_ms": 1000,
    "mouth.ask_from_ms": 1000,
    "mouth.on_resume": "hold",
    "judge.requests_per_minute": 1200,
    "judge.tokens_per_second": 250_000,
}
"""Stated by a design, or by TypeSafe of an account."""

GUESSES = (
    "gate.frame_ms", "gate.floor_attack", "gate.floor_rise_per_s", "gate.floor_min",
    "gate.floor_initial", "judge.history_messages", "judge.trajectory_length",
    "judge.deadline_ms", "mouth.open_at_ms", "mouth.ask_interval_ms", "mic.tail_ms",
    "ear.drain_quiet_ms", "replies.watermark_coverage", "replies.speech_rate_max_per_s",
    "memory.retention_tokens", "memory.retention_blocks_min", "memory.compress_at_tokens",
    "replies.speech_rate_units_min", "replies.rejoin_ms", "replies.silent_ms", "replies.run_max_ms",
    "replies.stt_silent_ms", "replies.stt_retry_min_ms", "replies.stt_retry_max_ms",
    "ear.word_lag_ms", "mouth.ceiling_ms", "mic.start_ms", "mic.ring_ms",
    "mouth.lag_ms", "mouth.finish_threshold", "turn.stop_words", "turn.thinking_max_ms",
)  # fmt: skip
"""What nothing public answers."""

RULINGS = {
    "gate.stop_ms": 200,
    "gate.thaw_ms": 4000,
    "gate.stall_ms": 500,
    "gate.zeros_are_silence": False,
    "turn.backchannel_after_ms": 1000,
    "turn.undecided_ms": 1500,
    "turn.side_talk_after_ms": 1500,
    "turn.side_talk_streak_max": 0,
    "turn.late_overlap": 0.8,
    "turn.degraded_end_ms": 2000,
    "turn.degraded_words": 3,
    "turn.thinking_max_ms": 15000,
    "turn.ending_max_ms": 3000,
    "turn.barge_in_requires_addressed": False,
    "judge.in_flight": 2,
    "judge.in_flight_speaking": 4,
    "ear.strikes_min_ms": 2000,
    "ear.drain_quiet_ms": 800,
    "replies.watermark_coverage": 0.8,
    "replies.speech_rate_max_per_s": 7.0,
    "replies.rejoin_ms": 10000,
    "replies.silent_ms": 3000,
    "replies.stt_silent_ms": 8000,
    "mouth.finish_threshold": 0.6,
    "mouth.open_at_ms": 4000,
    "mouth.ask_interval_ms": 1000,
    "mouth.ceiling_ms": 12000,
    "mic.tail_ms": 400,
    "mic.ring_ms": 200,
}
"""Decided after running the pieces."""


def kinds(keys: Iterable[str]) -> dict[str, str]:
    """The first word of each key's provenance."""
    return {key: load_policy(env={}).provenance(key).split(":")[0] for key in keys}


def test_defaults_are_what_was_decided() -> None:
    """Section 2.7's knobs, the finish-turn design's numbers and the rulings."""
    decided = KNOBS | RULINGS
    assert {key: load_policy(env={}).value(key) for key in decided} == decided


def test_a_stated_number_says_that_a_design_states_it() -> None:
    """Its provenance is the design, and for a threshold the judge that it belongs to."""
    assert kinds(KNOBS) == dict.fromkeys(KNOBS, "design")
    policy = load_policy(env={})
    thresholds = [key for key in KNOBS if policy.entries[key].unit == "probability"]
    assert [key for key in thresholds if "jev" not in policy.provenance(key)] == []


def test_a_guess_is_called_a_guess() -> None:
    """Section 4: until somebody measures or scans it."""
    assert kinds(GUESSES) == dict.fromkeys(GUESSES, "guess")


def test_english_stop_words() -> None:
    """I09: what must cut the agent without a judge, as recognisers write it."""
    needed = {"stop", "wait", "hold on", "hang on", "no no", "listen"}
    assert needed <= set(load_policy(env={}).turn().stop_words)


def test_the_telephone_preset_lets_a_misread_caller_in() -> None:
    """Two held turns in a row, then the next counts as addressed."""
    policy = load_policy(env={}, preset="telephone")
    assert policy.turn().side_talk_streak_max == 2


def test_the_agora_preset_keeps_what_cannot_be_taken_back() -> None:
    """B06: a false opening and side-talk stay in the server's turn."""
    config = load_policy(env={}, preset="agora").turn()
    assert (config.empty_turn, config.side_talk) == ("keep", "keep")
