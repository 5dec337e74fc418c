"""The acoustic gate as a Pipecat VAD analyzer, for who has a place for one."""

from __future__ import annotations

from dataclasses import replace

from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams, VADState

from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.level import SAMPLE_RATES, fault, frame_bytes
from jev_turn.dsp.state import GateContext
from jev_turn.dsp.stream import MicStream
from jev_turn.errors import ConfigError
from jev_turn.policy import load_policy


class SnrVADAnalyzer(VADAnalyzer):
    """Opens on sound that stands out of the room, in the place of ``SileroVADAnalyzer``.

    Place: ``LLMUserAggregatorParams(vad_analyzer=...)`` or ``VADProcessor(vad_analyzer=...)``. An
    analyzer hears one microphone and is not told when the bot speaks: ``SnrGate`` has a noise floor
    per speaker, a stricter gate over the bot's voice, and reports a stalled microphone.

    It needs no model and no thread. ``start_secs`` and ``stop_secs`` of ``VADParams``, also by
    ``VADParamsUpdateFrame``, are the gate's hold and its stop hangover; ``confidence`` and
    ``min_volume`` have no meaning here.

    Example::

        params = LLMUserAggregatorParams(vad_analyzer=SnrVADAnalyzer())

    Args:
        config: Settings; the policy's when absent.
        sample_rate: Hz, in place of the pipeline's: 8,000, 16,000, 24,000 or 48,000.

    Raises:
        ConfigError: The pipeline's sound has another rate, when it starts.
    """

    def __init__(self, config: GateConfig | None = None, *, sample_rate: int | None = None) -> None:
        self._config = config or load_policy().gate()
        self._mic = MicStream(self._config)
        super().__init__(sample_rate=sample_rate, params=_params(self._config))

    def set_sample_rate(self, sample_rate: int) -> None:
        """Take the pipeline's rate, Hz, unless one was given."""
        rate = self._init_sample_rate or sample_rate
        if fault(rate, 1, 0):
            known = ", ".join(map(str, SAMPLE_RATES))
            raise ConfigError(f"SnrVADAnalyzer: {rate} Hz is none of {known}")
        super().set_sample_rate(sample_rate)

    def set_params(self, params: VADParams) -> None:
        """Use another hold and stop hangover from the next sound on."""
        hold_ms, stop_ms = round(params.start_secs * 1_000), round(params.stop_secs * 1_000)
        if (hold_ms, stop_ms) != (self._config.hold_ms, self._config.stop_ms):
            longest_ms = max(hold_ms, self._config.hold_max_ms)
            self._config = replace(
                self._config, hold_ms=hold_ms, hold_max_ms=longest_ms, stop_ms=stop_ms
            )
        super().set_params(params)

    def num_frames_required(self) -> int:
        """Samples in one analysis frame."""
        return frame_bytes(self.sample_rate, self._config.frame_ms) // 2

    def voice_confidence(self, buffer: bytes) -> float:
        """Take a piece of sound; 1.0 while the gate is open, otherwise 0.0."""
        self._mic.feed(buffer, self.sample_rate, self._config, GateContext())
        return float(self._mic.state.open)

    async def analyze_audio(self, buffer: bytes) -> VADState:
        """Take a chunk of mono 16-bit sound, of any length."""
        return VADState.SPEAKING if self.voice_confidence(buffer) else VADState.QUIET


def _params(config: GateConfig) -> VADParams:
    return VADParams(
        confidence=0.5,
        start_secs=config.hold_ms / 1_000,
        stop_secs=config.stop_ms / 1_000,
        min_volume=0.0,
    )
