"""Checks a played call against what its case expects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jev_turn.play.call import Played
from jev_turn.play.case import Dropped
from jev_turn.turn.words import tokens


def broken(played: Played) -> list[str]:
    """Return what is not as the case expects, and every word lost or doubled.

    Args:
        played: The call.
    """
    found = [
        f"{name}: expected {_shown(value)}, got {_shown(got)}"
        for expect in played.case.expect
        for name, value in [expect.given()]
        for ok, got in [_CHECKS[name](played, value)]
        if not ok
    ]
    found += [f"lost: {text!r}" for text in played.oracle.lost]
    found += [f"doubled: {text!r}" for text in played.oracle.doubled]
    return found


def _ends(played: Played) -> list[float]:
    return [at / 1000 for at, _ in played.account.turns]


def _equal(got: Callable[[Played], Any]) -> Callable[[Played, Any], tuple[bool, Any]]:
    return lambda played, value: (got(played) == value, got(played))


def _within(times: Callable[[Played], list[float]]) -> Callable[[Played, Any], tuple[bool, Any]]:
    """At least one, and all, lie in the range."""

    def check(played: Played, value: tuple[float, float]) -> tuple[bool, Any]:
        got = times(played)
        return bool(got) and all(value[0] <= at <= value[1] for at in got), got

    return check


def _contains(played: Played, wanted: tuple[str, ...]) -> tuple[bool, Any]:
    said = " ".join(text for _, text in played.account.turns)
    return all(_stands_in(said, part) for part in wanted), said


def _stands_in(text: str, part: str) -> bool:
    return f" {' '.join(tokens(part))} " in f" {' '.join(tokens(text))} "


def _dropped(played: Played, wanted: tuple[Dropped, ...]) -> tuple[bool, Any]:
    got = [(why, text) for _, why, text in played.facts.discards]
    same = len(got) == len(wanted) and all(
        drop.kind == why and drop.text in (None, text)
        for drop, (why, text) in zip(wanted, got, strict=True)
    )
    return same, got


def _longest_hold(played: Played) -> list[float]:
    return [max(played.facts.held_ms) / 1000] if played.facts.held_ms else []


def _muted(played: Played) -> list[float]:
    return [played.facts.muted_ms(round(played.case.ends_at * 1000)) / 1000]


def _never(played: Played, unwanted: tuple[str, ...]) -> tuple[bool, Any]:
    wrote = [text for final in played.account.finals for text in (final.text, *final.interims)]
    got = [text for text in wrote if any(_stands_in(text, part) for part in unwanted)]
    return not got, got


_CHECKS: dict[str, Callable[[Played, Any], tuple[bool, Any]]] = {
    "turns": _equal(lambda played: len(played.account.turns)),
    "replies": _equal(lambda played: played.replies),
    "replies_at_most": lambda played, most: (played.replies <= most, played.replies),
    "interrupts": _equal(lambda played: len(played.account.interrupts)),
    "backchannels": _equal(lambda played: len(played.account.backchannels)),
    "interrupt_within": _within(lambda played: [at / 1000 for at in played.account.interrupts]),
    "turn_end_within": _within(_ends),
    "no_turn_end_before": lambda played, at: (
        all(end >= at for end in _ends(played)),
        _ends(played),
    ),
    "turn_contains": _contains,
    "said_twice": _equal(lambda played: bool(played.oracle.doubled)),
    "open_at_end": _equal(lambda played: played.open_at_end),
    "cuts": _equal(lambda played: len(played.facts.cuts)),
    "discards": _dropped,
    "errors": lambda played, number: (
        len(played.facts.errors) == number,
        [text for _, text in played.facts.errors],
    ),
    "reply_within": _within(lambda played: [at / 1000 for at in played.replies_at]),
    "held_s": _within(_longest_hold),
    "muted_s": _within(_muted),
    "unheard": _equal(lambda played: " ".join(played.facts.unheard)),
    "never_transcribed": _never,
}


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return f"{value:.2f}" if isinstance(value, float) else repr(value)
