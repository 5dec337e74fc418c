"""What the soak of finish-turn found, each as the smallest call that showed it."""

from __future__ import annotations

from typing import Any

import pytest
from support.bot import Answers, Bot, said

from jev_turn.play.clock import run
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.reply_list import ReplyList
from jev_turn.record import CallRecord


def unfinished(question: str, words: str) -> float:
    """Answer that whole questions are enough to answer, and that the person never finishes."""
    whole = words in ("what is an index", "and a key")
    return 0.9 if whole and question == "enough_to_answer" else 0.0


def endings(record: CallRecord) -> list[Any]:
    """Return how the call's turns ended: "" or what went wrong."""
    ends = [r for r in record.records if r.get("name") == "EndTurnRecord"]
    return [end.get("why", "") for end in ends]


@pytest.mark.pipecat_1_13
def test_a_held_reply_that_the_application_drops_frees_the_list() -> None:
    """The next words are answered at once, and not when the dropped turn is given up."""

    async def interrupt(bot: Bot) -> None:
        assert bot.model is not None
        await bot.model.broadcast_interruption()  # type: ignore[no-untyped-call]

    record, classifier = CallRecord(None, words=True), Answers(unfinished)
    replies = ReplyList(classifier, persist=False, record=record)
    sink = GateSink(classifier, on_event=replies.mouth, before_audio=replies.spoke)
    steps = said(1, "what is an index") + [(4.5, interrupt)] + said(6, "and a key")
    call = run(Bot(steps, replies, 16, behind_voice=[sink]).run())
    assert call.said == ["what is an index", "and a key"]
    assert endings(record)[0] == "dropped"
