"""How long the words of a final took to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class SoundClock:
    """Adds up the time that the gate has been open since the last final."""

    def __init__(self) -> None:
        self._since: int | None = None
        self._sum_ms = 0

    def opened(self, at: int, start_ms: int) -> None:
        """The gate says at ``at`` that sound began ``start_ms`` before."""
        if self._since is None:
            self._since = at - start_ms

    def closed(self, at: int, quiet_ms: int) -> None:
        """The gate says at ``at`` that it has been quiet for ``quiet_ms``."""
        if self._since is not None:
            self._sum_ms += max(0, at - quiet_ms - self._since)
            self._since = None

    def take(self, at: int) -> int | None:
        """Return the time since the last call, ms; ``None`` when no sound was seen."""
        going_on = 0 if self._since is None else at - self._since
        spent, self._sum_ms = self._sum_ms + going_on, 0
        self._since = None if self._since is None else at
        return spent or None


def duration_ms(result: Any) -> float | None:
    """Return how long a recogniser's own result says its words took, ms.

    Word times are preferred; a duration without them may hold silence.

    Args:
        result: ``TranscriptionFrame.result``: of the embedded recogniser (``duration_ms``) or of
            Deepgram (words with ``start`` and ``end``, or ``duration``, in seconds).
    """
    if isinstance(own := _get(result, "duration_ms"), int | float):
        return float(own)
    alternatives = _get(_get(result, "channel"), "alternatives")
    words = _get(alternatives[0], "words") if _filled(alternatives) else None
    if words is not None and _filled(words):
        start, end = _get(words[0], "start"), _get(words[-1], "end")
        if isinstance(start, int | float) and isinstance(end, int | float):
            return (end - start) * 1000
    seconds = _get(result, "duration")
    return seconds * 1000 if isinstance(seconds, int | float) else None


def _filled(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
