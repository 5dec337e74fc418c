"""The account of a call as plain data: one JSON object for each call."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jev_turn.demo.call import Call
from jev_turn.demo.evidence import Opening
from jev_turn.demo.outcome import Outcome, cut_ins, outcomes
from jev_turn.demo.plan import Recording
from jev_turn.record.heard import words


def report(call: Call) -> dict[str, Any]:
    """Tell what happened in a call.

    Args:
        call: A call that was held.

    Returns:
        Plain data. Times are in ms since the microphone's first sample. What needs labels is
        ``None`` for a recording, which has none.
    """
    found = outcomes(call)
    labelled = not any(isinstance(one.step.sound, Recording) for one in call.played)
    tokens = [r["input"] + r["output"] for r in call.records if r["kind"] == "tokens"]
    return {
        "name": call.conversation.name,
        "onsets": [_onset(opening) for one in found for opening in one.openings],
        "false_openings": _false_openings(found) if labelled else None,
        "turns": [asdict(turn) for one in found for turn in one.ended],
        "cut_ins": cut_ins(found) if labelled else None,
        "interrupts": [
            {"at_ms": stop.at_ms, "words": stop.words, "after_end_ms": stop.after_end_ms}
            for one in found
            for stop in one.interruptions
        ],
        "backchannels": len(call.account.backchannels),
        "replies": sum(len(one.replies) for one in found),
        "words_lost": _count(call.oracle.lost),
        "words_doubled": _count(call.oracle.doubled),
        "judge_calls": sum(r["kind"] == "ask" for r in call.records),
        "tokens": sum(tokens),
    }


def _onset(opening: Opening) -> dict[str, Any]:
    return {
        "at_ms": opening.at_ms,
        "opened_after_ms": opening.opened_after_ms,
        "from_label_ms": opening.from_label_ms,
    }


def _false_openings(found: list[Outcome]) -> int:
    return sum(len(one.openings) for one in found if not one.is_voice)


def _count(texts: tuple[str, ...]) -> int:
    return sum(len(words(text)) for text in texts)
