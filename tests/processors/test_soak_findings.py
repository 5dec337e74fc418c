"""What random calls have found: mutes that overtake a commit or a turn that was given up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipecat.frames.frames import (
    Frame,
    ProposedUserStartedSpeakingFrame,
    SystemFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_mute import BaseUserMuteStrategy
from support.bot import Answers, Bot, Step, final, said

from jev_turn.play.clock import run
from jev_turn.processors.jev_judge import JevJudge

SURE = {
    "turn_complete": 0.95,
    "holding_floor": 0.0,
    "addressed_to_agent": 0.95,
    "taking_floor": 0.9,
}
ASIDE = SURE | {"addressed_to_agent": 0.05}
STORY = " ".join(["word"] * 40)


@dataclass
class Poke(SystemFrame):
    """Something for a mute strategy to look at."""


class Switch(BaseUserMuteStrategy):
    """Mutes while it is on, and from the given proposal of a turn on."""

    def __init__(self, *, at_proposal: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.on = False
        self._left = at_proposal

    async def process_frame(self, frame: Frame) -> bool:
        if isinstance(frame, ProposedUserStartedSpeakingFrame):
            self._left -= 1
            self.on = self.on or self._left == 0
        return self.on

    def turn(self, on: bool) -> Any:
        """Return a step that turns it on or off."""

        async def step(call: Bot) -> None:
            self.on = on
            assert call.judge is not None and call.judge.next is not None
            await call.judge.next.queue_frame(Poke())

        return step


@dataclass
class Lines:
    """A call record."""

    dropped: list[tuple[str, str]] = field(default_factory=list)

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        if fields.get("name") == "Discard":
            self.dropped.append((fields["why"], fields["text"]))


def bot(
    steps: list[Step],
    lasts: float,
    verdict: dict[str, float],
    switch: Switch | None = None,
    record: Lines | None = None,
    **more: Any,
) -> Bot:
    """Run a call."""
    params = LLMUserAggregatorParams(user_mute_strategies=[switch]) if switch else None
    judge = JevJudge(Answers(lambda question, _: verdict[question]), record=record)
    return run(Bot(steps, judge, lasts, params=params, **more).run())


def test_words_that_interrupt_and_are_for_nobody_leave_no_turn_open() -> None:
    """One verdict that stops the agent and holds the words gives its claim up again.

    Without it the aggregator believed for good that the person was speaking.
    """
    steps: list[Step] = [
        (3.0, VADUserStartedSpeakingFrame(start_secs=0.11)),
        (4.0, VADUserStoppedSpeakingFrame(stop_secs=0.2)),
        (4.3, final("hey mark quiet please")),
    ]
    call = bot(steps, 14, ASIDE, greeting=STORY)
    assert (call.interruptions, call.runs) == (1, 0)
    assert call.times(UserStoppedSpeakingFrame)


def test_a_turn_given_up_during_a_mute_is_closed_after_it() -> None:
    """What the aggregator did not hear while the user was muted, it is told afterwards."""
    mute = Switch()
    steps = [*said(1, "dinner is ready"), (2.3, mute.turn(True)), (6.0, mute.turn(False))]
    call = bot(steps, 14, ASIDE, mute)
    assert call.runs == 0
    assert call.times(UserStoppedSpeakingFrame)


def test_a_mute_in_the_middle_of_a_commit_loses_nothing() -> None:
    """The aggregator drops finals that reach it muted; they are handed over again after it.

    The third proposal is the commit's: words, a pause and the end each make one.
    """
    mute = Switch(at_proposal=3)
    steps = [*said(1, "what is an index"), (6.0, mute.turn(False))]
    call = bot(steps, 12, SURE, mute)
    assert call.said == ["what is an index"]
    assert call.runs == 1


def test_what_a_mute_kept_back_is_traced_before_what_is_still_open() -> None:
    """At the hang-up words leave in the order in which they were said."""
    mute, record = Switch(), Lines()
    steps = [*said(1, "what is an index"), (2.0, mute.turn(True)), *said(5, "and a key to it")]
    bot(steps, 6.0, SURE, mute, record)
    assert [text for _, text in record.dropped] == ["what is an index", "and a key"]
