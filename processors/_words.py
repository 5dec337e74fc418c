"""The recogniser's frames, held by segment until the machine says what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable

from pipecat.frames.frames import InterimTranscriptionFrame, TranscriptionFrame

from jev_turn.turn.effects import Segment

AnyTranscription = TranscriptionFrame | InterimTranscriptionFrame


class HeldWords:
    """Frames of the open turn, and the versions that its text went through."""

    def __init__(self) -> None:
        self.segment = 1
        self.versions: list[tuple[str, int]] = []
        self._frames: dict[int, AnyTranscription] = {}

    def hold(self, frame: AnyTranscription) -> int:
        """Keep ``frame`` as the latest of its segment and return the segment's number.

        A final closes its segment: what follows belongs to the next one.
        """
        number = self.segment
        self._frames[number] = frame
        if isinstance(frame, TranscriptionFrame):
            self.segment += 1
        return number

    @property
    def interim(self) -> AnyTranscription | None:
        """The open segment's latest frame, if it has one."""
        return self._frames.get(self.segment)

    @property
    def latest(self) -> AnyTranscription | None:
        """The latest frame held."""
        return self._frames[max(self._frames)] if self._frames else None

    def forget(self, number: int) -> None:
        """Let go of a final whose words an earlier turn has taken already."""
        self._frames.pop(number, None)

    def changed(self, before: str, after: str, at_ms: int) -> None:
        """Follow the turn's text from one version to the next."""
        if not after:
            self.versions.clear()
        elif after != before:
            self.versions.append((after, at_ms))

    def take(self, segments: Iterable[Segment]) -> list[TranscriptionFrame]:
        """Return the frames of ``segments`` and let go of them.

        They are as the recogniser sent them. A segment that was trimmed, or whose final has not
        come, needs a frame of our own.
        """
        self.versions.clear()
        frames = []
        for segment in segments:
            frame = self._frames.pop(segment.number, None)
            if isinstance(frame, TranscriptionFrame) and frame.text == segment.text:
                frames.append(frame)
            elif frame is not None:
                frames.append(rewritten(frame, segment.text))
        return frames


def rewritten(frame: AnyTranscription, text: str) -> TranscriptionFrame:
    """Return a final like ``frame`` that holds ``text`` and that no interruption drops."""
    new = TranscriptionFrame(
        text=text,
        user_id=frame.user_id,
        timestamp=frame.timestamp,
        language=frame.language,
        result=frame.result,
        finalized=True,
    )
    new.interruptible = False
    return new
