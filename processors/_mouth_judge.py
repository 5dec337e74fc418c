"""Asks a classifier whether the person has finished, and writes down what it said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier

from jev_turn.judges.asking import Asker, CreateTask
from jev_turn.judges.bundles import MOUTH, bundled
from jev_turn.judges.state import Situation, build_state
from jev_turn.judges.tally import Entry
from jev_turn.judges.transcript import stable_word_ratio, trajectory
from jev_turn.policy import Policy, load_questions
from jev_turn.processors._agent import AgentTracker
from jev_turn.processors._said import Spoken
from jev_turn.replies.effects import AskMouth
from jev_turn.replies.events import MouthFailed, MouthJudged
from jev_turn.turn.effects import AskJudge

_QUESTION = "turn_finished"


class MouthJudge:
    """Answers every ``AskMouth`` with exactly one event.

    Args:
        classifier: Any Pipecat classifier; set up and cleaned up by its owner.
        policy: The judge's settings and the threshold.
        language: The recogniser's language.
        clock_ms: The host's clock.
        create_task: Runs a coroutine under a name.
        on_event: Gets the one event of every ask.
        write: Writes a line of the call record.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        policy: Policy,
        language: str,
        *,
        clock_ms: Callable[[], int],
        create_task: CreateTask,
        on_event: Callable[[MouthJudged | MouthFailed], None],
        write: Callable[..., None],
    ) -> None:
        self._config = policy.judge()
        self._threshold: float = policy.mouth().finish_threshold
        self._language = language
        self._clock_ms = clock_ms
        self._on_event = on_event
        self._write = write
        self._quiet_ms: dict[int, int] = {}
        self.asker = Asker(
            classifier,
            bundled(load_questions(), MOUTH),
            {"mouth": self._config.in_flight},
            self._config,
            clock_ms=clock_ms,
            create_task=create_task,
            on_end=self._ended,
        )

    def submit(self, ask: AskMouth, agent: AgentTracker, said: Spoken) -> None:
        """Take an ask and return at once; its event comes from the event loop.

        Args:
            ask: From the mouth.
            agent: The conversation so far.
            said: The words since the last reply.
        """
        self._quiet_ms[ask.ask] = ask.quiet_ms
        self._write("ask", ask=ask.ask, bundle="mouth", quiet_ms=ask.quiet_ms, text=ask.text)
        turn = AskJudge(ask.ask, "listening", ask.text, ask.quiet_ms)
        state = build_state(turn, self._situation(ask.text, agent, said), self._config)
        self.asker.submit(ask.ask, "mouth", state)

    def _situation(self, text: str, agent: AgentTracker, said: Spoken) -> Situation:
        """Describe the person's turn; for them the agent is silent, whatever it has ready."""
        now, history = self._clock_ms(), list(agent.history)
        while history and history[-1][0] == "user":
            history.pop()
        earlier = [version for version in said.versions if version[0] != text]
        return Situation(
            agent_last_line=agent.last_line,
            history=tuple(history),
            trajectory=trajectory(earlier, text, now, self._config.trajectory_length),
            turn_elapsed_ms=now - said.versions[0][1] if said.versions else 0,
            asr_final=said.final,
            stable_word_ratio=stable_word_ratio(
                text, earlier[-1][0] if earlier else None, said.final
            ),
            language=self._language,
        )

    def _ended(self, entry: Entry) -> None:
        now, found = self._clock_ms(), entry.probabilities
        known: dict[str, Any] = {"ask": entry.ask, "bundle": "mouth"}
        if entry.model:
            known["model"] = entry.model
        quiet_ms = self._quiet_ms.pop(entry.ask, 0)
        if found is None:
            error = entry.error or "error"
            self._write("failed", **known, error=error)
            self._on_event(MouthFailed(now, entry.ask, error))
            return
        self._write(
            "verdict",
            **known,
            probabilities=found,
            thresholds={_QUESTION: self._threshold},
            latency_ms=entry.latency_ms or 0,
            quiet_ms=quiet_ms,
        )
        if entry.tokens is not None:
            read, written = entry.tokens
            self._write("tokens", input=read, output=written, who="judge", ask=entry.ask)
        self._on_event(MouthJudged(now, entry.ask, found[_QUESTION]))
