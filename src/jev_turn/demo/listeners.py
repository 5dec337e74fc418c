"""Ears at the loudspeaker: what was audible when, and the words of it."""

from __future__ import annotations

from collections.abc import Callable

from pipecat.frames.frames import LLMFullResponseStartFrame, LLMTextFrame, TTSTextFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport

from jev_turn.play.stage import RATE
from jev_turn.record import CallRecord

_SAMPLE_BYTES = 2
_GAP_S = 0.1


class Loudspeaker:
    """Keeps when the bot was to be heard.

    Attributes:
        spans: (begin, end) on the loop's clock, s. Pauses of the bot's are part of its sound; only
            a gap of a tenth of a second in the sound itself ends a span.
    """

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []

    def play(self, begins_s: float, audio: bytes) -> None:
        """Take a chunk as it begins to play."""
        ends_s = begins_s + len(audio) / _SAMPLE_BYTES / RATE
        if self.spans and begins_s - self.spans[-1][1] < _GAP_S:
            self.spans[-1] = (self.spans[-1][0], ends_s)
        else:
            self.spans.append((begins_s, ends_s))


class BotWords(BaseObserver):
    """Follows the bot's words: as the model writes them, and as they are heard.

    Args:
        record: Takes the words that are heard.
        now_ms: The record's clock.
        on_written: Told of each piece of text that the model writes; ``None`` begins a reply.
    """

    def __init__(
        self,
        record: CallRecord,
        now_ms: Callable[[], int],
        on_written: Callable[[str | None], None] | None = None,
    ) -> None:
        super().__init__(observe_every_push=True)
        self._record = record
        self._now_ms = now_ms
        self._on_written = on_written

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        frame = data.frame
        if data.direction is not FrameDirection.DOWNSTREAM:
            return
        if isinstance(frame, TTSTextFrame):
            if isinstance(data.source, BaseOutputTransport):
                self._record.write("spoken", self._now_ms(), text=frame.text)
        elif isinstance(frame, LLMFullResponseStartFrame | LLMTextFrame):
            if data.first_push and self._on_written is not None:
                self._on_written(frame.text if isinstance(frame, LLMTextFrame) else None)
