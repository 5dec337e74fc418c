"""Words are accounted for over the death of a process."""

from __future__ import annotations

from typing import Any

import pytest

from jev_turn.demo.words_kept import oracle
from jev_turn.play.witness import Account
from jev_turn.record.oracle import Final, left_unanswered


def final(text: str, at_ms: int = 0) -> dict[str, Any]:
    """Return the record's line on a final."""
    return {"kind": "final", "t": at_ms, "segment": 1, "text": text}


def effect(name: str, text: str, why: str = "") -> dict[str, Any]:
    """Return the record's line on an effect."""
    return {"kind": "effect", "t": 0, "name": name, "text": text, "why": why}


BEFORE = [final("one two", 900), effect("StartTurn", "one two"), final("three", 5000)]


@pytest.mark.parametrize(
    ("turns", "lost", "doubled"),
    [(["three"], (), ()), ([], ("three",), ()), (["three", "one two"], (), ("one two",))],
)
def test_a_dead_processs_words_come_out_once(
    turns: list[str], lost: tuple[str, ...], doubled: tuple[str, ...]
) -> None:
    """What waited is answered by the next process; what was answered is not."""
    account = Account(turns=[(100, text) for text in turns])
    found = oracle(account, [], [], BEFORE)
    assert (found.lost, found.doubled) == (lost, doubled)


def test_the_next_processs_words_come_behind() -> None:
    """Both clocks begin at zero; order counts."""
    account = Account(finals=[Final("four", 10)], turns=[(0, "three"), (20, "four")])
    assert oracle(account, [], [], BEFORE).ok


def test_words_brought_back_are_not_dropped() -> None:
    """They come out where the new ones do."""
    lines = [effect("Discard", "I want", "strikes"), effect("Rejoin", "I want")]
    assert left_unanswered(lines) == []


@pytest.mark.parametrize(
    ("why", "texts"), [("rate", ["x"]), ("strikes", ["x"]), ("watermark", []), ("hung_up", [])]
)
def test_what_only_repeats_or_is_open_still_was_not_dropped(why: str, texts: list[str]) -> None:
    """A repeated final was answered before; the end of a call leaves words pending."""
    assert left_unanswered([effect("Discard", "x", why)]) == texts
