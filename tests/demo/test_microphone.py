"""The microphone in a room: chunks made while the call goes on."""

from __future__ import annotations

import numpy as np
import pytest

from jev_turn.demo.clips import Clip
from jev_turn.demo.labels import Stretch
from jev_turn.demo.microphone import RoomMicrophone
from jev_turn.demo.plan import Cue, Fate, Step, Voice
from jev_turn.play.stage import CHUNK_BYTES

STEP = Step(Cue("start", 0), Voice("hello"), Fate.ANSWERED)
CLIP = Clip(np.full(16 * 50, 1000, np.int16), (Stretch(10, 40),))
SILENT = -120.0
"""Room noise far below one step of 16 bits, dBFS."""


def samples(microphone: RoomMicrophone, chunks: int) -> np.ndarray:
    """Take chunks and join them."""
    return np.frombuffer(b"".join(next(microphone) for _ in range(chunks)), np.int16)


def test_a_sound_begins_at_its_very_sample() -> None:
    """Onsets need not fall on chunk boundaries: 33 ms is sample 528, in the second chunk."""
    microphone = RoomMicrophone(SILENT)
    microphone.play(STEP, CLIP, 33)
    heard = np.flatnonzero(samples(microphone, 6))
    assert (heard[0], heard[-1] + 1) == (33 * 16, 83 * 16)


def test_labels_move_with_the_sound() -> None:
    """What was labelled before the call lies where the sound was played."""
    played = RoomMicrophone(SILENT).play(STEP, CLIP, 33)
    assert (played.onset_ms, played.end_ms) == (43, 73)


def test_a_sound_that_is_due_already_begins_at_once() -> None:
    """The past cannot be changed: the next chunk is the earliest place."""
    microphone = RoomMicrophone(SILENT)
    samples(microphone, 3)
    assert microphone.play(STEP, CLIP, 5).at_ms == microphone.now_ms == 60


def test_two_sounds_never_overlap() -> None:
    """Labels of overlapping sounds would be ambiguous: 50 ms is free, 49 ms is not."""
    microphone = RoomMicrophone(SILENT)
    microphone.play(STEP, CLIP, 0)
    assert microphone.free_ms == 50
    with pytest.raises(ValueError, match="busy until 50 ms"):
        microphone.play(STEP, CLIP, 49)
    assert microphone.play(STEP, CLIP, 50).at_ms == 50


def test_the_room_is_never_silent() -> None:
    """Digital silence would count as a stalled microphone, between sounds too."""
    microphone = RoomMicrophone()
    chunks = [next(microphone) for _ in range(10)]
    assert all(len(chunk) == CHUNK_BYTES and any(chunk) for chunk in chunks)
    level = 20 * np.log10(np.std(np.frombuffer(b"".join(chunks), np.int16)) / 32768)
    assert -60 < level < -50


def test_hanging_up_ends_the_sound() -> None:
    """The transport then knows that the call is over."""
    microphone = RoomMicrophone(SILENT)
    next(microphone)
    microphone.hang_up()
    assert list(microphone) == []
