"""Tells from outside whether a call lost or doubled what a person said.

It sees what the recogniser wrote and where words came out, and nothing of the processors between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jev_turn.record.alignment import Alignment
from jev_turn.record.heard import Message, Utterance, Words, behind, overlap, words
from jev_turn.record.schema import Record

LATE_OVERLAP = 0.8


@dataclass(frozen=True, slots=True)
class Final:
    """What the recogniser wrote of one segment.

    Attributes:
        text: Its final; for a segment that never got one, its last interim.
        at_ms: When it came.
        interims: The segment's interims, any of which may have been committed in its place.
    """

    text: str
    at_ms: int
    interims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Oracle:
    """The verdict on a call's words.

    Attributes:
        lost: Words of finals that came out nowhere.
        doubled: Words that came out and that no final accounts for (any more).
    """

    lost: tuple[str, ...]
    doubled: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Tell whether every word came out exactly once."""
        return not self.lost and not self.doubled


def segments(transcripts: Iterable[tuple[int, str, bool]]) -> list[Final]:
    """Group a recogniser's transcripts, each final with the interims before it.

    Args:
        transcripts: Time in ms, text, and whether it is a final; in order.

    Returns:
        One entry per final, and one for interims that no final has closed.
    """
    found: list[Final] = []
    interims: list[str] = []
    at_ms = 0
    for at_ms, text, final in transcripts:
        if final:
            found.append(Final(text, at_ms, tuple(interims)))
            interims = []
        else:
            interims.append(text)
    if interims:
        found.append(Final(interims[-1], at_ms, tuple(interims[:-1])))
    return found


def heard_lines(records: Iterable[Record]) -> list[Record]:
    """Return the lines of a record with words that were recognised, final or not."""
    return [line for line in records if line["kind"] in ("partial", "final") and line["text"]]


def left_unanswered(records: Iterable[Record]) -> list[str]:
    """Return the texts that a call dropped with a trace and that no later words brought back.

    Words that a final only repeated (``watermark``) are not among them: they were answered before;
    nor is what the end of the call left open (``hung_up``).
    """
    dropped: list[str] = []
    for line in records:
        if line.get("name") == "Discard" and line["why"] not in ("watermark", "hung_up"):
            dropped.append(line["text"])
        elif line.get("name") == "Rejoin" and line["text"] in dropped:
            dropped.remove(line["text"])
    return dropped


def words_lost(
    finals: Sequence[Final],
    context_user_messages: Sequence[str],
    discards: Sequence[str] = (),
    backchannels: Sequence[str] = (),
    pending: Sequence[str] = (),
) -> Oracle:
    """Account for every word: each one comes out once, in order, somewhere.

    Case, punctuation and the spelling of digits do not count. A final may be split over several
    messages and places, and a message may join several finals. An interim that was committed
    stands for the words of its final when they overlap by ``LATE_OVERLAP``; the final's further
    words must come out too. With less overlap the final is new text, and both may come out.

    Args:
        finals: What the recogniser wrote, by segment.
        context_user_messages: The user's messages in the model's context, in order.
        discards: Texts that were left unanswered with a trace, in order.
        backchannels: Texts that were taken as nods, in order.
        pending: Texts that an open turn still holds.

    Returns:
        What is missing and what is too much; an account that leaves nothing over is always found
        when there is one.
    """
    ordered = sorted(finals, key=lambda final: final.at_ms)
    places = (context_user_messages, discards, backchannels, pending)
    alignment = Alignment(
        [_utterance(final) for final in ordered],
        [[Message(text, words(text)) for text in place] for place in places],
    )
    lost, doubled = alignment.leftovers()
    return Oracle(tuple(lost), tuple(doubled))


def _utterance(final: Final) -> Utterance:
    said = words(final.text)
    stand_ins: dict[Words, range] = {}
    for interim in map(words, final.interims):
        # An exact beginning needs no stand-in: word by word it is accounted for more strictly.
        if not interim or interim == said[: len(interim)]:
            continue
        late = overlap(interim, said) >= LATE_OVERLAP
        stand_ins[interim] = behind(interim, said) if late else range(1)
    return Utterance(final.text, said, tuple(stand_ins.items()))
