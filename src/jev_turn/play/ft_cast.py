"""The model, the voice and the judge of a soaked finish-turn call.

Each reply carries the number of its run from the model through the voice into the samples, so that
the loudspeaker tells whose audio it plays.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierError,
    ClassifierQuestion,
    YesNoResult,
)
from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
)
from pipecat.processors.frame_processor import FrameDirection

from jev_turn.play.cast import CaseVoice
from jev_turn.play.ft_log import Log
from jev_turn.play.soak_cast import REPLY, Mood, SoakModel

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

_NUMBERED = re.compile(rf"\s*{REPLY} (\d+)")


class Loudspeaker:
    """Writes down which run's reply leaves it, when it begins to.

    Args:
        log: Where to.
    """

    def __init__(self, log: Log) -> None:
        self.heard: set[int] = set()
        self._log = log

    def played(self, _: float, audio: bytes) -> None:
        """Some audio leaves."""
        for number in set(np.unique(np.frombuffer(audio, "<i2")).tolist()) - {0} - self.heard:
            self.heard.add(number)
            self._log.write("heard", run=number)


class LoggedModel(SoakModel):
    """Writes down which words each run answers, and which of them are news to it.

    Args:
        mood: Says how it fares.
        log: Where to.
        handed: Returns what the reply list has handed over for this run.
    """

    def __init__(self, mood: Mood, log: Log, handed: Callable[[], str]) -> None:
        super().__init__(mood)
        self._log = log
        self._handed = handed
        self._read = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer a context frame; pass everything else on."""
        if isinstance(frame, LLMContextFrame):
            said = [m for m in frame.context.messages if isinstance(m, dict)]
            texts = [str(m.get("content")) for m in said if m["role"] == "user"]
            new, self._read = texts[self._read :], len(texts)
            number, answers = len(self.ran_at) + 1, self._handed()
            self._log.write("run", run=number, answers=answers, new=" ".join(new))
        await super().process_frame(frame, direction)

    async def _write(self, text: str) -> None:
        if self._mood.model == "breaks":
            await self._break_off()
        else:
            await super()._write(text)

    async def _break_off(self) -> None:
        """Fail as Pipecat's services do: the error comes before the end."""
        await self.push_frame(LLMFullResponseStartFrame())
        for word in f"{REPLY} {len(self.ran_at)} begins. And then".split():
            await self.push_frame(LLMTextFrame(f"{word} "))
            await asyncio.sleep(0.02)
        await self.push_error("the model broke off")
        await self.push_frame(LLMFullResponseEndFrame())


class TaggedVoice(CaseVoice):
    """Says a reply with its run's number for samples, or fails in one of three ways.

    Args:
        mood: Says which.
    """

    def __init__(self, mood: Mood) -> None:
        # As Pipecat's voices do, it takes no short wait between two sentences for the end, and
        # silence is a manner here and no reason to give the voice up.
        super().__init__(
            name="TaggedVoice", stops_after_s=3.0, max_consecutive_zero_audio_contexts=0
        )
        self._mood = mood
        self._run = 0

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Yield the audio of ``text``."""
        if found := _NUMBERED.match(text):
            self._run = int(found[1])
            await asyncio.sleep(2.0 if self._mood.voice == "slow" else 0.0)
        if self._mood.voice == "error":
            yield ErrorFrame("the voice is away")
        if self._mood.voice in ("error", "silent"):
            return
        async for frame in super().run_tts(text, context_id):
            if isinstance(frame, TTSAudioRawFrame):
                samples = np.full(len(frame.audio) // 2, self._run, "<i2")
                frame.audio = samples.tobytes()
            yield frame


class ListJudge(BaseClassifier):
    """Judges by the words and by its mood: mostly well, sometimes by chance, sometimes not at all.

    Args:
        mood: Says which.
        seed: Of what is drawn.
    """

    def __init__(self, mood: Mood, seed: str) -> None:
        super().__init__(name="ListJudge")  # type: ignore[no-untyped-call]
        self._mood = mood
        self._rng = Random(seed)

    @property
    def model(self) -> str:
        """A name; no table of overrides knows it."""
        return "soak"

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[Any, None]:
        manner, at_most = self._mood.judge, self._mood.judge_ms
        words = str(state["current_user_transcript"]) if isinstance(state, dict) else str(state)
        await asyncio.sleep(600 if manner == "never" else self._rng.randint(0, at_most) / 1000)
        if manner == "error":
            raise ClassifierError("away")
        found = {name: self._probability(manner, name, words) for name in questions}
        return {name: YesNoResult(probability=value) for name, value in found.items()}, None

    def _probability(self, manner: str, question: str, words: str) -> float:
        if manner == "random":
            return round(self._rng.random(), 2)
        if question == "holding_floor":
            return 0.9 if manner == "holding" else 0.0
        # One text in six is never enough: it is dropped in the end.
        return 0.1 if Random(words.lower().strip(" .?!")).random() < 1 / 6 else 0.9
