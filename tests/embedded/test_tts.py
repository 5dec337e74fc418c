"""The voice service around a voice of the test's."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import VOICE_RATE, Spoken
from jev_turn.play import clock
from jev_turn.play.stage import RATE, Stage

WORD_MS = 400


class Metronome:
    """Says one word every 400 ms."""

    def say(self, text: str) -> Iterator[Spoken]:
        words = text.split()
        tone = np.full(len(words) * WORD_MS * VOICE_RATE // 1000, 5000, np.int16)
        yield Spoken(tone, tuple((word, at * WORD_MS) for at, word in enumerate(words)))


@dataclass
class Spoke:
    """When each word left the loudspeaker, ms, and how much sound did."""

    words: list[tuple[int, str]] = field(default_factory=list)
    stopped_ms: int = 0
    audio_ms: int = 0


class Ear(FrameProcessor):
    """Notes words as they leave the output transport."""

    def __init__(self, spoke: Spoke, began: float) -> None:
        super().__init__(name="Ear")
        self._spoke, self._began = spoke, began

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        at_ms = round((asyncio.get_running_loop().time() - self._began) * 1000)
        if isinstance(frame, TTSTextFrame):
            self._spoke.words.append((at_ms, frame.text))
        elif isinstance(frame, TTSStoppedFrame):
            self._spoke.stopped_ms = at_ms
        await self.push_frame(frame, direction)


def speak(*steps: tuple[int, Frame | str]) -> Spoke:
    """Give the service frames (a string is model text) at their times, ms, and listen."""
    return clock.run(_speak(steps))


async def _speak(steps: tuple[tuple[int, Frame | str], ...]) -> Spoke:
    began = asyncio.get_running_loop().time()
    spoke = Spoke()

    def on_audio(at: float, audio: bytes) -> None:
        spoke.audio_ms += len(audio) * 1000 // (2 * RATE)

    stage = Stage(iter(()), on_audio=on_audio)
    pipeline = Pipeline([EmbeddedTTSService(voice=Metronome()), stage.output(), Ear(spoke, began)])
    worker = PipelineWorker(pipeline, clock=clock.LoopClock(), idle_timeout_secs=None)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.ensure_future(runner.run())
    for at_ms, step in steps:
        await asyncio.sleep(max(0.0, began + at_ms / 1000 - asyncio.get_running_loop().time()))
        await worker.queue_frame(LLMTextFrame(step) if isinstance(step, str) else step)
    await asyncio.sleep(8)
    await worker.stop_when_done()  # type: ignore[no-untyped-call]
    await running
    return spoke


def near(found: list[tuple[int, str]], wanted: list[tuple[int, str]]) -> bool:
    """True for the same words at the same times, give or take 60 ms."""
    return [word for _, word in found] == [word for _, word in wanted] and all(
        abs(at - when) <= 60 for (at, _), (when, _) in zip(found, wanted, strict=True)
    )


def test_each_word_leaves_when_it_is_heard() -> None:
    """A reply's sentences share one time line: the fourth word is heard after three others."""
    spoke = speak(
        (100, LLMFullResponseStartFrame()),
        (100, "One two three. "),
        (110, "Four five."),
        (120, LLMFullResponseEndFrame()),
    )
    wanted = [(120, "One"), (520, "two"), (920, "three."), (1320, "Four"), (1720, "five.")]
    assert near(spoke.words, wanted), spoke.words


def test_a_late_sentence_is_timed_from_when_it_comes() -> None:
    """A model slower than the voice leaves a gap in the sound, and in the words' times."""
    spoke = speak(
        (100, LLMFullResponseStartFrame()),
        (100, "One. Two"),
        (3000, " words."),
        (3010, LLMFullResponseEndFrame()),
    )
    assert near(spoke.words, [(100, "One."), (3010, "Two"), (3410, "words.")]), spoke.words


def test_words_that_are_not_heard_do_not_leave() -> None:
    """What the context and the judge know as spoken ends where the interruption came."""
    spoke = speak(
        (100, LLMFullResponseStartFrame()),
        (100, "One two three four five."),
        (110, LLMFullResponseEndFrame()),
        (1100, InterruptionFrame()),
    )
    assert [word for _, word in spoke.words] == ["One", "two", "three"]


def test_the_next_reply_starts_its_own_time_line() -> None:
    """An interrupted reply leaves nothing behind in the times of the next one."""
    spoke = speak(
        (100, LLMFullResponseStartFrame()),
        (100, "One two three four five."),
        (110, LLMFullResponseEndFrame()),
        (300, InterruptionFrame()),
        (1000, LLMFullResponseStartFrame()),
        (1000, "Six seven."),
        (1010, LLMFullResponseEndFrame()),
    )
    assert near(spoke.words, [(100, "One"), (1010, "Six"), (1410, "seven.")]), spoke.words


def test_sound_comes_at_the_pipelines_rate_and_whole() -> None:
    """24 kHz inside, 16 kHz outside, the same length."""
    spoke = speak(
        (0, LLMFullResponseStartFrame()), (0, "One two three."), (10, LLMFullResponseEndFrame())
    )
    assert abs(spoke.audio_ms - 3 * WORD_MS) <= 20
    assert abs(spoke.stopped_ms - 3 * WORD_MS) <= 60
