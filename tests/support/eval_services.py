"""Voice and ears for Pipecat's evals, so that they need no key and download nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import numpy as np
from pipecat.frames.frames import Frame, TTSAudioRawFrame
from pipecat.services.settings import TTSSettings
from pipecat.services.stt_service import STTService
from pipecat.services.tts_service import TTSService
from pipecat.transcriptions.language import Language

from jev_turn.demo.mixing import resample
from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.embedded.voice import VOICE_RATE, EmbeddedVoice


class CallerVoice(TTSService):
    """The embedded voice as Pipecat's harness wants one: whole sentences, no words' times."""

    def __init__(self) -> None:
        super().__init__(
            settings=TTSSettings(model="hibari", voice="heart", language=Language.EN),
        )
        self._voice = EmbeddedVoice()

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Speak a text."""
        said = await asyncio.to_thread(lambda: [part.samples for part in self._voice.say(text)])
        sound = resample(np.concatenate(said), VOICE_RATE, self.sample_rate)
        yield TTSAudioRawFrame(sound.tobytes(), self.sample_rate, 1, context_id=context_id)


def voice(config: dict[str, Any]) -> TTSService:
    """Return the caller's voice (``user.speech.factory``)."""
    return CallerVoice()


def ears(config: dict[str, Any]) -> STTService:
    """Return what writes down the bot's speech (``judge.transcription.factory``)."""
    return EmbeddedSTTService()
