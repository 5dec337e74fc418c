"""What was said since the last reply, by what the recogniser pushes anywhere in the pipeline."""

from __future__ import annotations

from collections.abc import Callable

from pipecat.frames.frames import InterimTranscriptionFrame, TranscriptionFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection

from jev_turn.processors._host import MachineHost
from jev_turn.processors._words import AnyTranscription
from jev_turn.replies.ledger import split

_VERSIONS_KEPT = 32


class SaidSince(BaseObserver):
    """Follows the transcripts; whoever hands them on in other words is not listened to.

    Args:
        coverage: Share of an answered segment's letters that its later text must repeat to be cut
            off it, 0 to 1.
        now_ms: The host's clock.
        on_change: Called with everything said since ``restart``, whenever that changes.
    """

    def __init__(
        self, coverage: float, now_ms: Callable[[], int], on_change: Callable[[str], None]
    ) -> None:
        super().__init__(observe_every_push=False, name="SaidSince")
        self.versions: list[tuple[str, int]] = []
        self._coverage = coverage
        self._now_ms = now_ms
        self._on_change = on_change
        self._finals: list[str] = []
        self._interim = ""
        self._written = ""
        self._answered = ""

    @property
    def final(self) -> bool:
        """True when the recogniser will not change the words any more."""
        return not self._interim

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one frame's first push."""
        down = data.direction is FrameDirection.DOWNSTREAM
        if down and isinstance(data.frame, AnyTranscription):
            if not isinstance(data.source, MachineHost):
                self.hear(data.frame)

    def hear(self, frame: TranscriptionFrame | InterimTranscriptionFrame) -> None:
        """Take note of a segment's text so far."""
        text = frame.text.strip()
        new = split(self._answered, text, coverage=self._coverage).rest if self._answered else text
        if isinstance(frame, TranscriptionFrame):
            self._finals += [new] if new else []
            self._interim = self._written = self._answered = ""
        else:
            self._interim, self._written = new, text
        self._tell()

    def restart(self) -> None:
        """Forget what has been said: it is being answered.

        The open segment's text will come again, at least as its final.
        """
        self._answered = self._written
        self._finals, self._interim = [], ""
        self.versions = []
        self._on_change("")

    def _tell(self) -> None:
        words = " ".join([*self._finals, self._interim]).strip()
        self.versions = [*self.versions, (words, self._now_ms())][-_VERSIONS_KEPT:]
        self._on_change(words)
