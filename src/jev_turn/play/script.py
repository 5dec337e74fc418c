"""What a case's recogniser writes and when, what its agent says, how slow its judge is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierQuestion,
    ClassifierResult,
)
from pipecat.utils.asyncio.task_manager import BaseTaskManager

from jev_turn.play.case import Case, Event

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

Written = tuple[float, str, bool]
"""When (s), the text, and whether it is final."""


def transcripts(case: Case, lag_s: float) -> list[Written]:
    """Return everything the recogniser writes, in order of time.

    Args:
        case: The conversation.
        lag_s: From the end of a word to its interim, and from the end of speech to the final, s.
    """
    written = [
        line
        for event in case.events
        if event.who in ("user", "other", "stt") and event.say
        for line in _utterance(event, lag_s)
    ]
    return sorted(written, key=lambda line: line[0])


def _utterance(event: Event, lag_s: float) -> Iterator[Written]:
    words = event.say.split()
    if event.who == "stt":
        yield event.at, event.say, True
        return
    ends = [event.at + event.dur * (n + 1) / len(words) for n in range(len(words))]
    cuts = [sum(end <= at for end in ends) for at in event.finals_at]
    done = 0
    for number, end in enumerate(ends, 1):
        last = number == len(words)
        text = " ".join(words[done:number])
        if event.stt != "final_only" and not (last and event.stt != "interim_only"):
            yield end + lag_s, text, False
        if number in cuts or (last and event.stt != "interim_only"):
            yield end + lag_s, text, True
            done = number


class Paced(BaseClassifier):
    """A classifier whose answers take as long as the case says.

    Args:
        inner: Answers.
        latency_s: How long that takes, s.
        changes: (Seconds since the start, latency in s), in order.
    """

    def __init__(
        self,
        inner: BaseClassifier,
        latency_s: float,
        changes: Sequence[tuple[float, float]] = (),
    ) -> None:
        super().__init__(name=f"Paced({inner.name})")  # type: ignore[no-untyped-call]
        self._inner = inner
        self._latency_s = latency_s
        self._changes = list(changes)
        self._zero: float | None = None

    @property
    def model(self) -> str | None:
        """The inner classifier's."""
        return self._inner.model

    async def setup(self, task_manager: BaseTaskManager) -> None:
        """Set the inner classifier up; the call begins."""
        await super().setup(task_manager)
        await self._inner.setup(task_manager)
        self._zero = asyncio.get_running_loop().time()

    async def cleanup(self) -> None:
        """Clean the inner classifier up."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._inner.cleanup()  # type: ignore[no-untyped-call]

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> Any:
        now = asyncio.get_running_loop().time() - (self._zero or 0.0)
        since = [latency for at, latency in self._changes if at <= now]
        await asyncio.sleep(since[-1] if since else self._latency_s)
        answers: dict[str, ClassifierResult] = await self._inner.ask(state, questions)
        return answers, None


def paces(case: Case) -> list[tuple[float, float]]:
    """Return when the judge's latency changes, and to what, s."""
    return [
        (event.at, event.latency)
        for event in case.events
        if event.who == "judge" and event.latency is not None
    ]
