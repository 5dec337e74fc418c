"""The mouth: a reply's first chunk waits until the person has finished.

``dispatch`` has the signature and the rules of every machine here. Three bands of the person's
quiet decide:

    under ask_from_ms      hold, and ask nobody
    up to open_at_ms       ask the judge, and never more often than ask_interval_ms; without any
                           word since the last reply, open, but behind a sound only once its words
                           would have come
    from open_at_ms on     open without asking

A verdict counts only if the person is still quiet and no word and no sound came since it was asked
for. Once open, the mouth is transparent for the rest of the person's turn. At the ceiling it opens
if the person is quiet, and gives the reply up if not: it never speaks over a person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jev_turn.replies import events as ev
from jev_turn.replies.config import MouthConfig
from jev_turn.replies.context import Mic
from jev_turn.replies.effects import (
    AskMouth,
    Hold,
    HoldWhy,
    LetGo,
    MouthEffect,
    Note,
    Open,
    OpenWhy,
    Unspoken,
    Withdraw,
)
from jev_turn.turn.words import tokens

Out = list[MouthEffect]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on its way; ``void`` once a word or a sound has come since."""

    number: int
    void: bool = False


@dataclass(frozen=True, slots=True)
class Mouth:
    """Everything the mouth remembers.

    Attributes:
        at: Time of the latest event, ms.
        deadline: When the host must send ``Tick``, ms; ``None`` for never.
        phase: ``idle``, ``holding``, ``open`` (its first audio has not left), ``clear`` (it has)
            or ``unspoken`` (given up, with all that follows in the same turn).
        turn: The turn that the phase is about.
        held_at: When holding began, ms.
        words: What was said since the last reply.
        sounded: A sound has come since the last reply.
        word_at: When the latest new word came, ms; ``None`` before the first.
        resumed: It came after the mouth had opened.
        still: The mouth opened in a room that is never quiet: its sound says nothing about the
            person.
        asked: The latest question without an answer.
        asked_at: When it was asked, or the one before, ms; ``None`` before the first.
        next_ask: Number of the next question.
    """

    at: int = 0
    deadline: int | None = None
    phase: Literal["idle", "holding", "open", "clear", "unspoken"] = "idle"
    turn: int = 0
    held_at: int = 0
    mic: Mic = Mic()
    words: str = ""
    sounded: bool = False
    word_at: int | None = None
    resumed: bool = False
    still: bool = False
    asked: Asked | None = None
    asked_at: int | None = None
    next_ask: int = 1


def dispatch(
    mouth: Mouth, event: ev.MouthEvent, config: MouthConfig
) -> tuple[Mouth, tuple[MouthEffect, ...]]:
    """Apply one event.

    Args:
        mouth: The state before it.
        event: What happened. Time never runs backwards: an older ``at`` counts as ``mouth.at``.
        config: Settings in force; they may differ from call to call.

    Returns:
        The state after it, with its ``deadline``, and the effects in the order to perform them.
    """
    out: Out = []
    mouth = _apply(replace(mouth, at=max(mouth.at, event.at)), event, config, out)
    mouth = _advance(mouth, config, out) if mouth.phase == "holding" else mouth
    return replace(mouth, deadline=_deadline(mouth, config)), tuple(out)


def _apply(mouth: Mouth, event: ev.MouthEvent, config: MouthConfig, out: Out) -> Mouth:
    match event:
        case ev.Tick():
            return mouth
        case ev.Onset() | ev.Quieted() | ev.Stalled():
            return _sound(mouth, event)
        case ev.Words():
            return _words(mouth, event, config, out)
        case ev.FirstChunk():
            return _first(mouth, event.turn, config, out)
        case ev.MouthJudged() | ev.MouthFailed():
            return _answered(mouth, event, config, out)
        case ev.Leaving():
            return _leaving(mouth, config, out)
        case ev.TurnOver():
            out.append(Note("stream_over", mouth.phase))
            return mouth
        case ev.Dropped():
            out.append(Note("dropped", mouth.phase))
            return replace(mouth, phase="idle") if mouth.phase in ("holding", "open") else mouth


def _sound(mouth: Mouth, event: ev.Onset | ev.Quieted | ev.Stalled) -> Mouth:
    mic = mouth.mic
    match event:
        case ev.Onset():
            mic = replace(mic, loud=True, stalled=False, loud_since=mouth.at)
            mouth = replace(_void(mouth), sounded=True)
        case ev.Quieted():
            mic = replace(mic, loud=False, quiet_since=mouth.at - event.quiet_ms)
        case ev.Stalled():
            mic = replace(mic, stalled=event.stalled, quiet_since=mouth.at)
    return replace(mouth, mic=mic)


def _words(mouth: Mouth, event: ev.Words, config: MouthConfig, out: Out) -> Mouth:
    """New words show that the person has spoken, however soft it was; dropped ones do not."""
    before = tokens(mouth.words)
    mouth = replace(mouth, words=" ".join(event.text.split()))
    if tokens(event.text) == before:
        return mouth
    mouth = _void(mouth)
    if not event.heard or not tokens(event.text):
        return mouth
    if mouth.at - mouth.mic.quiet_since > config.word_lag_ms:
        mouth = replace(mouth, mic=replace(mouth.mic, quiet_since=mouth.at))
    mouth = replace(mouth, word_at=mouth.at, resumed=mouth.phase == "open")
    if mouth.phase == "holding" and config.on_resume == "withdraw":
        out.append(Withdraw(mouth.turn))
        return replace(mouth, phase="idle")
    return mouth


def _first(mouth: Mouth, turn: int, config: MouthConfig, out: Out) -> Mouth:
    if mouth.phase == "holding":
        return replace(mouth, turn=turn)
    if turn == mouth.turn and mouth.phase in ("open", "clear"):
        return mouth
    if turn == mouth.turn and mouth.phase == "unspoken":
        out.append(Unspoken(turn))
        return mouth
    mouth = replace(mouth, phase="holding", turn=turn, held_at=mouth.at)
    if _quiet(mouth, config) < config.ask_from_ms:
        _hold(mouth, "short", config, out)
    return mouth


def _answered(
    mouth: Mouth, event: ev.MouthJudged | ev.MouthFailed, config: MouthConfig, out: Out
) -> Mouth:
    asked = mouth.asked
    if asked is None or asked.number != event.ask:
        asked_once = event.ask < mouth.next_ask
        out.append(Note("late_verdict" if asked_once else "unknown_ask", str(event.ask)))
        return mouth
    mouth = replace(mouth, asked=None)
    if mouth.phase != "holding":
        out.append(Note("late_verdict", str(event.ask)))
        return mouth
    if isinstance(event, ev.MouthFailed):
        out.append(Note("degraded", event.error))
        return _hold(mouth, "error", config, out)
    if asked.void or _quiet(mouth, config) < config.ask_from_ms:
        return _hold(mouth, "late", config, out, event.finished)
    if event.finished >= config.finish_threshold:
        return _open(mouth, "finished", config, out, event.finished)
    return _hold(mouth, "unfinished", config, out, event.finished)


def _leaving(mouth: Mouth, config: MouthConfig, out: Out) -> Mouth:
    """Check once more before anything can be heard: the person may have gone on meanwhile."""
    if mouth.phase != "open":
        out.append(Note("leaving", mouth.phase))
        return mouth
    if mouth.resumed or (mouth.mic.sounds and not mouth.still):
        return _hold(replace(mouth, phase="holding"), "resumed", config, out)
    out.append(LetGo(mouth.turn))
    return replace(mouth, phase="clear", sounded=mouth.mic.loud)


# --- what time makes due ---------------------------------------------------------------------


def _advance(mouth: Mouth, config: MouthConfig, out: Out) -> Mouth:
    quiet = _quiet(mouth, config)
    if _knows_quiet(mouth) and quiet >= config.open_at_ms:
        return _open(mouth, "quiet", config, out)
    if _due(mouth, _ceiling_at(mouth, config)):
        return _at_ceiling(mouth, config, out)
    if _due(mouth, _ask_at(mouth, config)):
        if not tokens(mouth.words):
            # Nobody has said a word since the last reply: there is nothing to have finished.
            return _open(mouth, "quiet", config, out)
        out.append(AskMouth(mouth.next_ask, mouth.words, quiet))
        asked = Asked(mouth.next_ask)
        return replace(mouth, asked=asked, asked_at=mouth.at, next_ask=asked.number + 1)
    return mouth


def _at_ceiling(mouth: Mouth, config: MouthConfig, out: Out) -> Mouth:
    quiet = _knows_quiet(mouth) and _quiet(mouth, config) >= config.ask_from_ms
    if quiet or mouth.mic.stalled:
        return _open(mouth, "ceiling", config, out)
    if mouth.word_at is not None and mouth.at - mouth.word_at >= config.cap_ms:
        return _open(mouth, "still", config, out)
    out.append(Unspoken(mouth.turn))
    return replace(mouth, phase="unspoken")


def _deadline(mouth: Mouth, config: MouthConfig) -> int | None:
    if mouth.phase != "holding":
        return None
    opens = None
    if _knows_quiet(mouth):
        opens = mouth.mic.quiet_since + config.lag_ms + config.open_at_ms
    times = (opens, _ceiling_at(mouth, config), _ask_at(mouth, config))
    return min(at for at in times if at is not None)


def _ceiling_at(mouth: Mouth, config: MouthConfig) -> int:
    """Return when nothing is held any longer, ms; one breath is not taken for the end of a turn."""
    ceiling, breath = mouth.held_at + config.ceiling_ms, config.lag_ms + config.ask_from_ms
    if not _knows_quiet(mouth):
        return ceiling
    return max(ceiling, min(mouth.mic.quiet_since, ceiling) + breath)


def _ask_at(mouth: Mouth, config: MouthConfig) -> int | None:
    """Return when to ask, ms; a question on its way about the present words is enough."""
    if not _knows_quiet(mouth) or (mouth.asked and not mouth.asked.void):
        return None
    wait = config.ask_from_ms
    if mouth.sounded and not tokens(mouth.words):
        # A recogniser may still be at the words of that sound.
        wait = max(wait, config.word_lag_ms)
    first = mouth.mic.quiet_since + config.lag_ms + wait
    if mouth.asked_at is None:
        return first
    return max(first, mouth.asked_at + config.ask_interval_ms)


def _due(mouth: Mouth, at: int | None) -> bool:
    return at is not None and mouth.at >= at


def _knows_quiet(mouth: Mouth) -> bool:
    return not mouth.mic.loud and not mouth.mic.stalled


def _quiet(mouth: Mouth, config: MouthConfig) -> int:
    """Return the ms of quiet; 0 while there is none or nobody can tell."""
    if not _knows_quiet(mouth):
        return 0
    return max(0, mouth.at - mouth.mic.quiet_since - config.lag_ms)


def _void(mouth: Mouth) -> Mouth:
    return replace(mouth, asked=replace(mouth.asked, void=True)) if mouth.asked else mouth


def _open(
    mouth: Mouth, why: OpenWhy, config: MouthConfig, out: Out, score: float | None = None
) -> Mouth:
    out.append(Open(mouth.turn, why, _quiet(mouth, config), score))
    return replace(mouth, phase="open", resumed=False, still=why == "still")


def _hold(
    mouth: Mouth, why: HoldWhy, config: MouthConfig, out: Out, score: float | None = None
) -> Mouth:
    out.append(Hold(mouth.turn, why, _quiet(mouth, config), score))
    return mouth
