"""Several microphones as one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.sound import CONFIG, LOUD, RATE, SOFT, noise, pcm

from jev_turn.dsp.room import HearingLost, Room, SpeechStarted, SpeechStopped
from jev_turn.errors import ConfigError


def sound(level: float, ms: int = 10) -> bytes:
    """Steady noise."""
    return pcm(noise(ms, level))


def hear(room: Room, user: str, level: float, ms: int, chunk_ms: int = 10) -> list[Any]:
    """Feed a participant's steady noise; all edges."""
    chunk = sound(level, chunk_ms)
    return [edge for _ in range(ms // chunk_ms) for edge in room.hear(user, chunk, RATE)]


def test_speech_starts_and_stops_with_the_numbers_of_the_chunk_end() -> None:
    """40 ms chunks: the hold is over in the third one (120), 200 ms of quiet in the fifth."""
    room = Room(CONFIG)
    assert hear(room, "", LOUD, 200, 40) == [SpeechStarted(120)]
    assert hear(room, "", SOFT, 400, 40) == [SpeechStopped(200)]


def test_a_closing_inside_a_chunk_has_the_quiet_of_the_whole_chunk() -> None:
    """Sound ends 20 ms into a 40 ms chunk: closed at 200 ms, told at 220 ms of quiet."""
    room = Room(CONFIG)
    hear(room, "", LOUD, 200, 20)
    room.hear("", sound(LOUD, 20) + sound(SOFT, 20), RATE)
    assert hear(room, "", SOFT, 400, 40) == [SpeechStopped(220)]


def test_the_first_to_open_starts_and_the_last_to_close_stops() -> None:
    """Two people who talk into each other are one stretch of speech."""
    room = Room(CONFIG)
    assert hear(room, "anna", LOUD, 200) == [SpeechStarted(110)]
    assert hear(room, "ben", LOUD, 200) == []
    assert hear(room, "anna", SOFT, 300) == []
    assert room.speaking
    assert hear(room, "ben", SOFT, 300) == [SpeechStopped(200)]


def test_each_participant_has_a_floor() -> None:
    """A noisy line (0.004) raises its own gate to 0.012 and leaves the other one's alone."""
    room = Room(replace(CONFIG, floor_rise_per_s=10.0))
    hear(room, "fan", 0.004, 500)
    hear(room, "calm", SOFT, 500)
    assert hear(room, "fan", 0.008, 200) == []
    assert hear(room, "calm", 0.008, 200) == [SpeechStarted(110)]


def test_a_room_in_which_nobody_can_be_heard_is_lost() -> None:
    """Before anybody has spoken, one live microphone is enough."""
    room = Room(CONFIG)
    hear(room, "anna", SOFT, 100)
    hear(room, "ben", SOFT, 100)
    assert room.starve("anna") == []
    assert room.starve("ben") == [HearingLost("ben", True)]
    assert hear(room, "anna", SOFT, 10) == [HearingLost("anna", False)]


def test_zeros_in_the_chunk_of_a_stall_are_not_quiet() -> None:
    """90 ms of quiet and a second of zeros in one chunk: the stop reports 90 ms."""
    room = Room(CONFIG)
    hear(room, "", LOUD, 200)
    said = room.hear("", sound(SOFT, 90) + bytes(32_000), RATE)
    assert said == [HearingLost("", True), SpeechStopped(90)]


def test_whoever_spoke_last_decides_whether_hearing_is_lost() -> None:
    """Ben's live microphone says nothing about whether Anna has finished."""
    room = Room(CONFIG)
    hear(room, "ben", SOFT, 100)
    hear(room, "anna", LOUD, 200)
    assert room.starve("anna") == [HearingLost("anna", True), SpeechStopped(0)]
    assert hear(room, "ben", LOUD, 200) == [HearingLost("ben", False), SpeechStarted(110)]


def test_the_agent_and_the_turn_reach_every_gate() -> None:
    """The agent's voice makes each one strict (five times 0.002 is over 0.008)."""
    room = Room(CONFIG)
    room.tell_agent(True)
    room.tell_turn(True, words=True)
    assert hear(room, "anna", 0.008, 600) == []
    room.tell_agent(False)
    assert hear(room, "anna", 0.008, 10) == []
    assert room.mics["anna"].state.context.words == 1


def test_settings_reach_every_gate_at_its_next_sound() -> None:
    """Anna is in mid-speech and keeps her stop, Ben has the new hold."""
    room = Room(CONFIG)
    hear(room, "anna", LOUD, 200)
    room.update_settings(replace(CONFIG, hold_ms=50, stop_ms=100))
    hear(room, "ben", LOUD, 50)
    hear(room, "ben", SOFT, 100)
    assert room.speaking
    assert hear(room, "anna", SOFT, 190) == []
    assert hear(room, "anna", SOFT, 10) == [SpeechStopped(200)]


def test_the_frame_length_is_fixed() -> None:
    """The hold under way is counted in frames of one length."""
    with pytest.raises(ConfigError, match="gate.frame_ms: 20"):
        Room(CONFIG).update_settings(replace(CONFIG, frame_ms=20))


@pytest.mark.parametrize("rate", [8_000, 24_000, 48_000])
def test_a_stream_may_change_its_rate(rate: int) -> None:
    """The floor and the hold go on; what was left over at the old rate is dropped."""
    room = Room(CONFIG)
    room.hear("", sound(LOUD, 65), RATE)
    assert room.hear("", pcm(noise(50, LOUD, rate)), rate) == [SpeechStarted(110)]


def test_the_preroll_is_the_sound_up_to_the_opening() -> None:
    """300 ms that end with the chunk in which the gate opened, and stay until the next one."""
    room = Room(CONFIG)
    before, word = pcm(noise(1_000, SOFT)), pcm(noise(120, LOUD))
    room.hear("", before, RATE)
    room.hear("", word, RATE)
    assert room.mics[""].preroll == (before + word)[-9_600:]
    kept = room.mics[""].preroll
    hear(room, "", SOFT, 1_000)
    assert room.mics[""].preroll is kept


def test_no_preroll_is_kept_when_none_is_wanted() -> None:
    """A length of zero keeps nothing, rather than everything."""
    room = Room(replace(CONFIG, preroll_ms=0))
    hear(room, "", LOUD, 200)
    assert room.mics[""].preroll == b""


def test_levels_are_recorded_every_fifty_milliseconds() -> None:
    """The loudest frame since the line before, with the floor and the gate in force."""
    lines: list[dict[str, Any]] = []
    room = Room(CONFIG, lines.append)
    for level in (SOFT, SOFT, 0.004, SOFT, SOFT, SOFT):
        room.hear("anna", sound(level), RATE)
    (line,) = lines
    assert line["rms"] == pytest.approx(0.004, rel=0.2)
    assert line["gate"] == 0.006
    assert {key: line[key] for key in ("kind", "stream_ms", "open", "user_id", "age_ms")} == {
        "kind": "level", "stream_ms": 50, "open": False, "user_id": "anna", "age_ms": 0,
    }  # fmt: skip


def test_decisions_are_recorded_with_their_numbers() -> None:
    """Each line says when it was in the sound, and how long ago that is when it is written."""
    lines: list[dict[str, Any]] = []
    room = Room(CONFIG, lines.append)
    room.hear("", sound(LOUD, 200) + sound(SOFT, 300) + bytes(32_000) + sound(SOFT, 10), RATE)
    told = [(ln["what"], ln["stream_ms"], ln["age_ms"]) for ln in lines if ln["kind"] == "gate"]
    assert told == [("open", 110, 1_400), ("close", 400, 1_110), ("stall", 1_010, 500),
                    ("resume", 1_510, 0)]  # fmt: skip
    assert lines[0]["held_ms"] == 110
    assert lines[1]["quiet_ms"] == 200


def test_a_dropped_burst_is_recorded_with_its_features() -> None:
    """So that a person can see which click was dropped, and why."""
    lines: list[dict[str, Any]] = []
    room = Room(CONFIG, lines.append)
    for level in (0.5, 0.02, *[SOFT] * 6, 0.02, SOFT, 0.02):
        room.hear("", sound(level), RATE)
    (line,) = [line for line in lines if line["kind"] == "gate"]
    assert line["what"] == "drop"
    assert (line["peak_position"], line["continuity"]) == (0.0, pytest.approx(4 / 11))
    assert line["decay_ratio"] == pytest.approx(0.041 / 3 / 0.5, rel=0.1)
