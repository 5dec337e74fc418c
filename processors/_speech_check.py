"""Takes an opening back when its sound turns out not to be speech, by Pipecat's Silero model."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from pipecat.audio.vad.silero import SileroOnnxModel

from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.room import Edge, Room

_WINDOWS = {8_000: 256, 16_000: 512}
"""What the model takes: samples in one window, by sample rate."""
_WINDOW_MS = 32


@dataclass
class _Opening:
    """One opening of one microphone, while it lasts."""

    model: SileroOnnxModel
    heard_ms: float = 0.0
    refused: bool = False
    speech: bool = False
    rest: bytes = b""


class SpeechCheck:
    """Listens to each microphone from its opening on, pre-roll included.

    Args:
        room: The gate's.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._models: dict[str, SileroOnnxModel] = {}
        # Loading takes a moment; the first participant's must not come in the middle of sound.
        self._spare: SileroOnnxModel | None = _load()
        self._openings: dict[str, _Opening] = {}

    def hear(self, user: str, pcm: bytes) -> list[Edge]:
        """Take the chunk that the room has just taken.

        Args:
            user: The participant.
            pcm: Mono 16-bit samples.

        Returns:
            What the check changes.
        """
        mic, config = self._room.mics[user], self._room.config
        if not mic.state.open:
            self._openings.pop(user, None)
            return []
        opening = self._openings.get(user)
        if opening is None:
            opening = self._openings[user] = self._open(user)
            pcm = mic.preroll
        else:
            opening.heard_ms += len(pcm) / 2 / mic.sample_rate * 1_000
        if not opening.speech:
            _listen(opening, pcm, mic.sample_rate, config.confirm_probability)
        return self._decide(user, opening, config)

    def _decide(self, user: str, opening: _Opening, config: GateConfig) -> list[Edge]:
        if opening.speech and opening.refused:
            opening.refused = False
            return self._room.admit(user, _WINDOW_MS)
        if not opening.speech and not opening.refused and opening.heard_ms >= config.confirm_ms:
            opening.refused = True
            return self._room.refuse(user, config.hold_ms + round(opening.heard_ms))
        return []

    def _open(self, user: str) -> _Opening:
        if user not in self._models:
            self._models[user], self._spare = self._spare or _load(), None
        model = self._models[user]
        model.reset_states()  # type: ignore[no-untyped-call]
        return _Opening(model)


def _load() -> SileroOnnxModel:
    path = files("pipecat.audio.vad.data").joinpath("silero_vad.onnx")
    return SileroOnnxModel(str(path))  # type: ignore[no-untyped-call]


def _listen(opening: _Opening, pcm: bytes, rate: int, least: float) -> None:
    """Ask the model about each whole window; what is left over waits."""
    sound = opening.rest + pcm
    # 24 and 48 kHz come down to what the model takes, each sample the mean of three.
    thinned = 1 if rate in _WINDOWS else 3
    size = _WINDOWS[rate // thinned] * thinned * 2
    while len(sound) >= size:
        window, sound = sound[:size], sound[size:]
        wave = np.frombuffer(window, dtype="<i2").astype(np.float32) / 32_768
        thin = wave.reshape(-1, thinned).mean(axis=1)
        if opening.model(thin, rate // thinned).item() >= least:
            opening.speech = True
    opening.rest = sound
