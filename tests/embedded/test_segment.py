"""A growing segment: when it is read, and how long it was."""

from __future__ import annotations

import numpy as np
import pytest

from jev_turn.embedded.segment import GrowingSegment


def sound(ms: int, amplitude: int = 3000) -> bytes:
    """Return ``ms`` of a constant level."""
    return np.full(ms * 16, amplitude, np.int16).tobytes()


def test_the_first_read_is_due_at_800_ms_of_speech() -> None:
    """The time before the gate opened counts: 110 ms and 689 are too few, 690 are enough."""
    assert not GrowingSegment(0.11).add(sound(689))
    assert GrowingSegment(0.11).add(sound(690))


def test_the_next_read_is_due_300_ms_later() -> None:
    """From when the last one was due, whatever its result."""
    segment = GrowingSegment(0.0)
    assert segment.add(sound(850))
    assert not segment.add(sound(299))
    assert segment.add(sound(1))


@pytest.mark.parametrize(("pause_ms", "due"), [(59, True), (60, False)])
def test_a_pause_of_60_ms_puts_a_read_off(pause_ms: int, due: bool) -> None:
    """A short dip is a consonant, a long one may be the end."""
    segment = GrowingSegment(0.0)
    segment.add(sound(800 - pause_ms))
    assert segment.add(sound(pause_ms, amplitude=100)) is due


@pytest.mark.parametrize(("amplitude", "due"), [(300, True), (299, False)])
def test_a_pause_is_a_tenth_of_the_loudest(amplitude: int, due: bool) -> None:
    """20 dB under the loudest chunk of the segment."""
    segment = GrowingSegment(0.0)
    segment.add(sound(700, amplitude=3000))
    assert segment.add(sound(100, amplitude=amplitude)) is due


def test_a_read_that_was_put_off_is_due_when_speech_goes_on() -> None:
    """Once, not once for every read that the pause swallowed."""
    segment = GrowingSegment(0.0)
    segment.add(sound(700))
    assert not segment.add(sound(900, amplitude=0))
    assert segment.add(sound(20))
    assert not segment.add(sound(20))


def test_an_empty_chunk_changes_nothing() -> None:
    """The resampler gives nothing for its first chunk."""
    segment = GrowingSegment(0.0)
    assert not segment.add(b"")
    assert segment.add(sound(800))


def test_words_are_shown_once() -> None:
    """The common beginning of two reads, and only what is new of it."""
    segment = GrowingSegment(0.0)
    reads = ["Wait.", "Wait stop.", "Wait, stop it.", "Wait, stop it."]
    assert [segment.show(read) for read in reads] == ["", "Wait", "Wait, stop", "Wait, stop it"]


def test_the_duration_is_that_of_the_speech() -> None:
    """Without the quiet that the gate waited for, and never below zero."""
    segment = GrowingSegment(0.11)
    segment.add(sound(890))
    closed = segment.close(0.2, len(sound(1890)))
    assert (closed.duration_ms, closed.audio_ms) == (800, 1890)
    assert GrowingSegment(0.0).close(0.2, 0).duration_ms == 0
