"""One microphone: PCM chunks in, gate events out, the pre-roll of the latest opening kept."""

from __future__ import annotations

from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.level import frame_bytes, split
from jev_turn.dsp.snr import begin, starve, step
from jev_turn.dsp.state import Events, GateContext, GateOpened, GateState


class MicStream:
    """A gate's state with what the chunking leaves over.

    Args:
        config: Settings at the start; ``feed`` brings later ones.

    Attributes:
        state: The gate's state after the last whole frame.
        loudest: Highest level since ``loudest`` was last set to zero.
        preroll: Sound up to the end of the chunk in which the gate last opened, ``preroll_ms``
            of it; mono 16-bit at ``sample_rate``.
        sample_rate: Rate of the last chunk; 0 before any.
    """

    def __init__(self, config: GateConfig) -> None:
        self.state: GateState = begin(config)
        self.loudest = 0.0
        self.preroll = b""
        self.sample_rate = 0
        self._carry = b""
        self._recent = b""

    @property
    def now_ms(self) -> int:
        """Sound received so far, with what is not yet a whole frame."""
        rest = len(self._carry) // 2 * 1_000 // self.sample_rate if self.sample_rate else 0
        return self.state.now_ms + rest

    def feed(
        self, pcm: bytes, sample_rate: int, config: GateConfig, context: GateContext
    ) -> Events:
        """Take one chunk of mono 16-bit sound, of any length.

        Args:
            pcm: The samples.
            sample_rate: One of ``SAMPLE_RATES``; a new rate drops what was left over.
            config: Settings wanted.
            context: What is known outside.

        Returns:
            What happened, in order.
        """
        if sample_rate != self.sample_rate:
            self.sample_rate, self._carry, self._recent = sample_rate, b"", b""
        size = frame_bytes(sample_rate, self.state.config.frame_ms)
        found, self._carry = split(self._carry, pcm, size)
        self._remember(pcm, config.preroll_ms)
        said: Events = ()
        for rms in found:
            self.state, events = step(self.state, rms, config, context)
            said += events
        if found:
            self.loudest = max(self.loudest, *found)
        if any(isinstance(event, GateOpened) for event in said):
            self.preroll = self._recent
        return said

    def starve(self) -> Events:
        """No chunk has come for longer than ``stall_ms``, by the caller's clock."""
        self.state, said = starve(self.state)
        return said

    def _remember(self, pcm: bytes, preroll_ms: int) -> None:
        longest = frame_bytes(self.sample_rate, preroll_ms)
        self._recent = (self._recent + pcm)[-longest:] if longest else b""
