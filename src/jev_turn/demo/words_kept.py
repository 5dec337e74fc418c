"""Accounts for every word of a call, over the death of a process too."""

from __future__ import annotations

from collections.abc import Sequence

from jev_turn.play.witness import Account
from jev_turn.record import Record
from jev_turn.record.oracle import Final, Oracle, heard_lines, left_unanswered, segments, words_lost


def oracle(
    account: Account, records: Sequence[Record], pending: Sequence[str], before: Sequence[Record]
) -> Oracle:
    """Tell what became of the words.

    Args:
        account: What was seen of the call from outside, in this process.
        records: Its record: for what was dropped with a trace.
        pending: Cuts that waited when the call ended.
        before: The record of a process that was killed: what it heard, gave to the model and
            dropped. Empty for a call of one process.
    """
    heard = [(r["t"], r["text"], r["kind"] == "final") for r in heard_lines(before)]
    shift = max((at_ms for at_ms, _, _ in heard), default=0) + 1
    later = [Final(one.text, one.at_ms + shift, one.interims) for one in account.finals]
    given = [r["text"] for r in before if r.get("name") == "StartTurn"]
    all_of_it = (*before, *records)
    open_still = [
        r["text"] for r in all_of_it if r.get("name") == "Discard" if r["why"] == "hung_up"
    ]
    return words_lost(
        [*segments(heard), *later],
        [*given, *(text for _, text in account.turns)],
        left_unanswered(all_of_it),
        [text for _, text in account.backchannels],
        [*open_still, *pending],
    )
