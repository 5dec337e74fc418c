"""What was said since the last reply: by the reply list, or else by what the recogniser pushes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from pipecat.frames.frames import InterimTranscriptionFrame, TranscriptionFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection

from jev_turn.processors._host import MachineHost
from jev_turn.processors._words import AnyTranscription
from jev_turn.replies.context import Buffer, Context
from jev_turn.replies.effects import Effect
from jev_turn.replies.events import Event, HeardFor
from jev_turn.replies.ledger import split
from jev_turn.replies.said import Said, followed, restarted, words
from jev_turn.turn.words import is_prefix, tokens

_VERSIONS_KEPT = 32

Versions = list[tuple[str, int]]


class Spoken(Protocol):
    """The words since the last reply, whoever knows them."""

    @property
    def versions(self) -> Versions:
        """What they were, oldest first, and since when (ms)."""

    @property
    def final(self) -> bool:
        """True when the recogniser will not change them any more."""

    def restart(self) -> None:
        """Forget what has been said: it is being answered."""


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
        self.versions: Versions = []
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


class KeptWords:
    """Follows a reply list, which knows what of the transcripts nobody has said.

    Args:
        coverage: As for ``SaidSince``.
    """

    def __init__(self, coverage: float) -> None:
        self.versions: Versions = []
        self.final = True
        self._coverage = coverage
        self._on_change: Callable[[str, bool], None] | None = None
        self._now_ms: Callable[[], int] = lambda: 0
        self._buffer = Buffer()
        self._said = Said()
        self._words = ""

    def tell(self, now_ms: Callable[[], int], on_change: Callable[[str, bool], None]) -> None:
        """Have every change told.

        Args:
            now_ms: The clock of who is told.
            on_change: Called with everything said since ``restart``, and whether there are new
                words in it: words that are only dropped are no sign of life.
        """
        self._now_ms, self._on_change = now_ms, on_change

    def follow(self, event: Event | None, ctx: Context, effects: Iterable[Effect]) -> None:
        """Take note of one step of the list: what it was told, and what it made of it."""
        self._buffer = ctx.buffer
        self.final = ctx.buffer.interim is None and ctx.mark is None
        self._said = followed(self._said, ctx.buffer, effects, coverage=self._coverage)
        before, self._words = self._words, words(self._said, ctx.buffer, coverage=self._coverage)
        if self._words == before:
            return
        self.versions = [*self.versions, (self._words, self._now_ms())][-_VERSIONS_KEPT:]
        if self._on_change is not None:
            fewer = is_prefix(tokens(self._words), tokens(before))
            self._on_change(self._words, isinstance(event, HeardFor) and not fewer)

    def restart(self) -> None:
        """Forget what has been said: it is being answered."""
        self._said, self._words, self.versions = restarted(self._buffer), "", []
        if self._on_change is not None:
            self._on_change("", False)
