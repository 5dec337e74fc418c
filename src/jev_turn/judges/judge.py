"""Turns the machine's asks into verdicts with any Pipecat classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier, YesNoQuestion

from jev_turn.judges.asking import Asker, CreateTask
from jev_turn.judges.bundles import TURN, Ids, PackagedQuestion, bundled
from jev_turn.judges.config import JudgeConfig
from jev_turn.judges.state import Situation, build_state
from jev_turn.judges.tally import Entry, Stats
from jev_turn.turn.effects import AskJudge
from jev_turn.turn.events import Judged, JudgeFailed
from jev_turn.turn.verdict import Verdict


class Judge:
    """Answers every ``AskJudge`` with exactly one event.

    The classifier is set up and cleaned up by its owner; several judges may share one.

    Args:
        classifier: Answers the questions.
        questions: By id, as question files give them or in Pipecat's form.
        config: Deadline, numbers in flight, breaker, contents of the state.
        clock_ms: The host's monotonic clock, for ``at`` and latencies; the deadline runs on the
            event loop's own time.
        create_task: Runs a coroutine under a name.
        on_event: Gets the one event of every ask, never from inside ``submit``.
        on_record: Gets one dict per ended ask, with numbers and without words.
        bundles: The questions of each bundle.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        questions: Mapping[str, YesNoQuestion | PackagedQuestion],
        config: JudgeConfig,
        *,
        clock_ms: Callable[[], int],
        create_task: CreateTask,
        on_event: Callable[[Judged | JudgeFailed], None],
        on_record: Callable[[dict[str, Any]], None] | None = None,
        bundles: Ids = TURN,
    ) -> None:
        self._config = config
        self._clock_ms = clock_ms
        self._on_event = on_event
        self._on_record = on_record
        self._asker = Asker(
            classifier,
            bundled(questions, bundles),
            {"listening": config.in_flight, "speaking": config.in_flight_speaking},
            config,
            clock_ms=clock_ms,
            create_task=create_task,
            on_end=self._ended,
        )

    @property
    def stats(self) -> Stats:
        """Counters of this judge."""
        return self._asker.stats

    @property
    def outstanding(self) -> int:
        """Requests still with the classifier, those that nobody waits for included."""
        return self._asker.outstanding

    def submit(self, ask: AskJudge, situation: Situation) -> None:
        """Take an ask and return at once; its event comes from the event loop.

        Args:
            ask: From the machine; its number comes back in the event.
            situation: Everything around the words at this moment.
        """
        self._asker.submit(ask.ask, ask.bundle, build_state(ask, situation, self._config))

    async def close(self) -> None:
        """End every ask as ``closed``; give what is out one deadline to run out by itself."""
        await self._asker.close()

    def _ended(self, entry: Entry) -> None:
        try:
            if self._on_record is not None:
                self._on_record(entry.as_dict())
        finally:
            self._on_event(self._event(entry))

    def _event(self, entry: Entry) -> Judged | JudgeFailed:
        now = self._clock_ms()
        if entry.probabilities is None:
            return JudgeFailed(now, entry.ask, entry.error or "error")
        return Judged(now, entry.ask, Verdict(**entry.probabilities))
