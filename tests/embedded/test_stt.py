"""The recognition service around a recogniser of the test's."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from itertools import chain, repeat

import numpy as np
import pytest
from pipecat.frames.frames import (
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameProcessor
from support.speech import Edge, Heard, hear, spoken

from jev_turn.demo.mixing import Sound, samples
from jev_turn.embedded.segment import SpokenSegment
from jev_turn.embedded.stt import EmbeddedSTTService


class Reader:
    """Answers from a list, notes what it is given, and fails when two reads overlap."""

    def __init__(self, texts: Iterable[str] = (), takes_s: float = 0.0) -> None:
        self.read_ms: list[int] = []
        self.heard: list[bytes] = []
        self.threads: set[str] = set()
        self.closed = 0
        self._texts = chain(texts, repeat("the end"))
        self._takes_s = takes_s
        self._lock = threading.Lock()

    def read(self, pcm: bytes) -> str:
        assert self._lock.acquire(blocking=False), "two reads at once"
        try:
            self.threads.add(threading.current_thread().name)
            self.read_ms.append(len(pcm) // 32)
            self.heard.append(pcm)
            time.sleep(self._takes_s)
            return next(self._texts)
        finally:
            self._lock.release()

    def close(self) -> None:
        self.closed += 1


def tone(ms: int) -> Sound:
    """Return a tone of 300 Hz."""
    return (3000 * np.sin(np.arange(samples(ms)) / 16000 * 2 * np.pi * 300)).astype(np.int16)


def service(reader: Reader) -> Callable[[], list[FrameProcessor]]:
    """Return what makes the service on its loop."""
    return lambda: [EmbeddedSTTService(recogniser=reader)]


def listen(
    reader: Reader, lasts_ms: int, edges: list[Edge], rate: int = 16000, read_ms: int = 60
) -> Heard:
    """Play a tone, with VAD frames at their times, into a service around ``reader``."""
    return hear(tone(lasts_ms), service(reader), edges=edges, rate=rate, read_ms=read_ms)


def test_a_segment_becomes_one_final_with_its_duration() -> None:
    """Speech from 1 s to 1.5 s, said so at 1.12 s and 1.7 s: 0.5 s, and the second before."""
    reader = Reader(["yes"])
    heard = listen(reader, 2400, spoken(1000, 1500))
    ((_, final),) = heard.of(TranscriptionFrame)
    assert (final.text, final.finalized) == ("yes", True)
    assert final.result == SpokenSegment(duration_ms=500, audio_ms=1000 + 580)
    assert str(final.language) == "en"


def test_the_second_before_the_gate_opens_is_read_too() -> None:
    """The gate needs more than 100 ms to open; nothing of the first word may be missing."""
    reader = Reader()
    listen(reader, 2400, spoken(1000, 1500))
    assert reader.read_ms == [1000 + 580 + 200]


def test_a_segment_without_words_yields_nothing() -> None:
    """A cough opens the gate and says nothing."""
    assert listen(Reader([""]), 2400, spoken(1000, 1500)).finals == []


def test_shown_words_that_were_none_are_taken_back() -> None:
    """Music that read like words for a second must not be answered because no final came."""
    reader = Reader([*["thank you for watching"] * 4, ""])
    heard = listen(reader, 4000, spoken(1000, 2600))
    shown = [frame.text for _, frame in heard.of(InterimTranscriptionFrame)]
    assert shown == ["thank you for watching", ""]
    assert heard.finals == []


def test_reads_begin_at_800_ms_and_come_every_300_ms() -> None:
    """Speech from 1 s on: reads when 0.8, 1.1, 1.4 and 1.7 s of it are there, then the final."""
    reader = Reader()
    listen(reader, 4000, spoken(1000, 2600))
    starts = [read - 1000 - 200 + 120 for read in reader.read_ms]
    assert starts[:4] == pytest.approx([800, 1100, 1400, 1700], abs=20)
    assert len(starts) == 5


def test_no_read_begins_in_a_pause() -> None:
    """A pause is often the end, and the final would have to wait for the read."""
    reader = Reader()
    track = tone(3400)
    track[samples(1700) : samples(2300)] //= 20
    hear(track, service(reader), edges=spoken(1000, 2600))
    starts = [read - 1000 - 200 + 120 for read in reader.read_ms[:-1]]
    assert starts == pytest.approx([1320, 1620], abs=40)


def test_short_speech_has_no_interim() -> None:
    """Reads of less than 0.8 s are guesses: "Uh-huh" has been read as "It's hard"."""
    reader = Reader(["it's hard", "aha"])
    heard = listen(reader, 3000, spoken(1000, 1570))
    assert heard.interims == []
    assert len(reader.read_ms) == 1


def test_only_words_that_two_reads_agree_on_are_shown() -> None:
    """One read alone is often wrong; the beginning that the next one repeats is usually right."""
    reader = Reader(["Waste", "Wait", "Wait stop.", "Wait, stop it.", "Wait, stop it now."])
    heard = listen(reader, 4000, spoken(1000, 2600))
    assert heard.interims == ["Wait", "Wait, stop"]
    assert heard.finals == ["Wait, stop it now."]


def test_nothing_is_shown_after_the_segment_has_closed() -> None:
    """A read that is still running at the end of speech would re-open the segment's words."""
    reader = Reader(["one two", "one two three", "one two three"])
    heard = listen(reader, 3000, spoken(1000, 1940))
    assert len(reader.read_ms) == 3
    assert heard.interims == []
    assert heard.finals == ["one two three"]


def test_a_slow_machine_reads_less_often() -> None:
    """A read at 0.8 s that takes 0.7 s rests until 2.2 s; of those due since, the one at 2.3 runs.

    Reads one upon the other would leave the final waiting for half a read.
    """
    reader = Reader()
    listen(reader, 5500, spoken(1000, 3600), read_ms=700)
    starts = [read - 1000 - 200 + 120 for read in reader.read_ms[:-1]]
    assert starts == pytest.approx([800, 2300], abs=20)


def test_a_read_is_skipped_while_the_last_one_is_running() -> None:
    """At 0.8 s one begins and takes 1 s; those due at 1.1, 1.4 and 1.7 s do not queue up."""
    reader = Reader()
    listen(reader, 3500, spoken(1000, 2650), read_ms=1000)
    assert len(reader.read_ms) == 2


def test_two_reads_are_never_under_way_at_once() -> None:
    """The recogniser serves one thread at a time; what is asked meanwhile waits."""
    reader = Reader(takes_s=0.002)

    async def ask_three_times() -> None:
        stt = EmbeddedSTTService(recogniser=reader)
        await asyncio.gather(*(stt._read(b"") for _ in range(3)))

    asyncio.run(ask_three_times())
    assert len(reader.threads) == 1


def test_each_segment_is_agreed_on_for_itself() -> None:
    """What the last segment said is no earlier read of this one."""
    reader = Reader(["one", "one", "one.", "one", "one", "one two."])
    heard = listen(reader, 5500, [*spoken(1000, 2150), *spoken(3000, 4150)])
    assert heard.interims == ["one", "one"]
    assert heard.finals == ["one.", "one two."]


def test_a_second_voice_detector_does_not_double_the_words() -> None:
    """A stop without a start since the last one closes nothing."""
    again: Edge = (1800, VADUserStoppedSpeakingFrame(stop_secs=0.2))
    heard = listen(Reader(["yes"]), 3000, [*spoken(1000, 1500), again])
    assert heard.finals == ["yes"]


@pytest.mark.parametrize("rate", [8000, 16000, 24000, 48000])
def test_sound_of_any_rate_reaches_the_recogniser_at_16_khz(rate: int) -> None:
    """A 300 Hz tone is a 300 Hz tone, and as long as before."""
    reader = Reader()
    listen(reader, 2400, spoken(1000, 1500), rate=rate)
    wave = np.frombuffer(reader.heard[0], np.int16)[:16000].astype(float)
    peak_hz = int(np.argmax(np.abs(np.fft.rfft(wave))))
    assert peak_hz == 300
    assert reader.read_ms[0] == pytest.approx(1780, abs=40)


def test_the_recogniser_is_closed_with_the_service() -> None:
    """300 MB are given back when a call ends."""
    reader = Reader()
    listen(reader, 1000, [])
    assert reader.closed >= 1


def test_the_language_can_be_asked_for() -> None:
    """The embedded judge warns when its recogniser's language is not English."""
    assert EmbeddedSTTService(recogniser=Reader()).language == "en"


def test_the_recognisers_own_name_is_the_model() -> None:
    """A call record tells which one heard the call; one without a name goes by its class."""

    class Named(Reader):
        name = "whisper-tiny-en"

    assert EmbeddedSTTService(recogniser=Named()).model_name == "whisper-tiny-en"
    assert EmbeddedSTTService(recogniser=Reader()).model_name == "Reader"
