"""The call record's lines: one JSON object each, of a kind and with fields that are listed here.

Every line has ``v`` (schema version), ``t`` (whole ms of the call's clock) and ``kind``. A key that
is not listed is an error, so that a reader may rely on the list. Spoken words stand in ``text``,
``detail`` and nowhere else: every other string is a single word, or names a thing of the bot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jev_turn.errors import JevTurnError

VERSION = 1
SPOKEN = ("text", "detail")

Record = dict[str, Any]
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


class RecordError(JevTurnError):
    """A call record does not follow its schema; the message names line and key."""


@dataclass(frozen=True, slots=True)
class _Type:
    """What a field may hold: a description for people and the test for it."""

    name: str
    fits: Callable[[Any], bool]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return real and math.isfinite(value)


def is_word(value: Any) -> bool:
    """Tell whether ``value`` is a single word, which may stand in a record beside spoken text."""
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _is_table(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(key, str) and fits(item) for key, item in value.items()
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bool) or _is_number(value)


WHOLE = _Type("a whole number, 0 or more", _is_whole)
NUMBER = _Type("a finite number", _is_number)
SHARE = _Type("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
FLAG = _Type("true or false", lambda value: isinstance(value, bool))
WORD = _Type("a single word (letters, digits, _)", is_word)
NAME = _Type("a string", lambda value: isinstance(value, str))
TEXT = _Type("a string or null", lambda value: value is None or isinstance(value, str))
NAMES = _Type("names by role", lambda value: _is_table(value, NAME.fits))
SHARES = _Type("numbers from 0 to 1 by question", lambda value: _is_table(value, SHARE.fits))
NUMBERS = _Type("finite numbers by name", lambda value: _is_table(value, _is_number))
VALUES = _Type("plain values by dotted key", lambda value: _is_table(value, _is_plain))


def _one_of(*words: str) -> _Type:
    return _Type(f"one of {', '.join(words)}", lambda value: value in words)


@dataclass(frozen=True, slots=True)
class _Kind:
    """The fields of one kind of line."""

    needs: Mapping[str, _Type]
    may: Mapping[str, _Type] = field(default_factory=dict)


_HEARD = _Kind({"segment": WHOLE, "text": TEXT, "words": WHOLE}, {"user": NAME})
_BUNDLE = _one_of("listening", "speaking", "ear", "mouth")

KINDS: Mapping[str, _Kind] = {
    # The call begins: which bot, made of what, with which numbers; `words` = texts are kept.
    "call": _Kind(
        {"name": NAME, "models": NAMES, "policy": VALUES, "schema": WHOLE, "words": FLAG},
        {"started": NAME, "language": NAME},
    ),
    # The microphone at this moment, RMS of samples in -1..1; `open` = somebody is being heard.
    "level": _Kind({"rms": NUMBER, "floor": NUMBER, "gate": NUMBER, "open": FLAG}, {"user": NAME}),
    # The gate's edges; drop = an impulsive burst, refractory = an onset too soon,
    # stall = no sound information, resume = again some.
    "gate": _Kind(
        {"state": _one_of("open", "close", "drop", "refractory", "stall", "resume")},
        {"quiet_ms": WHOLE, "numbers": NUMBERS, "user": NAME},
    ),
    "bot": _Kind({"state": _one_of("start", "stop", "thinking")}),
    # The microphone gives the recogniser silence, because the bot can be heard.
    "mute": _Kind({"state": _one_of("start", "stop")}),
    # A piece of the bot's speech as it leaves the loudspeaker.
    "spoken": _Kind({"text": TEXT, "words": WHOLE}),
    "partial": _HEARD,
    "final": _HEARD,
    "ask": _Kind(
        {"ask": WHOLE, "bundle": _BUNDLE, "quiet_ms": WHOLE}, {"text": TEXT, "words": WHOLE}
    ),
    # The judge's answer beside the thresholds in force when it came.
    "verdict": _Kind(
        {"ask": WHOLE, "probabilities": SHARES, "thresholds": SHARES, "latency_ms": WHOLE},
        {"bundle": _BUNDLE, "model": NAME, "quiet_ms": WHOLE},
    ),
    "failed": _Kind(
        {"ask": WHOLE, "error": WORD}, {"bundle": _BUNDLE, "latency_ms": WHOLE, "model": NAME}
    ),
    # An order of the turn machine by its class name: EndTurn, Interrupt, Backchannel...
    "effect": _Kind(
        {"name": WORD}, {"why": WORD, "text": TEXT, "words": WHOLE, "numbers": NUMBERS}
    ),
    "note": _Kind({"note": WORD}, {"detail": TEXT, "numbers": NUMBERS}),
    # Tokens of one answer, not a running total.
    "tokens": _Kind({"input": WHOLE, "output": WHOLE}, {"who": WORD, "ask": WHOLE, "model": NAME}),
    "end": _Kind({}, {"why": WORD}),
}
_COMMON = {"v": WHOLE, "t": WHOLE, "kind": WORD}
_NEEDED = {kind: {**_COMMON, **fields.needs} for kind, fields in KINDS.items()}
_KNOWN = {kind: {**_NEEDED[kind], **fields.may} for kind, fields in KINDS.items()}


def check(record: object, line: int | None = None) -> Record:
    """Return ``record`` when it follows the schema.

    Args:
        record: One line of a call record, decoded.
        line: Its number in the file, for the message.

    Returns:
        The record itself.

    Raises:
        RecordError: For another version, an unknown kind, a key that is missing, unknown or of the
            wrong type. The message names the line and the key.
    """
    where = f"line {line}: " if line is not None else ""
    if not isinstance(record, dict):
        raise RecordError(f"{where}{type(record).__name__} is not an object")
    version, kind = record.get("v"), record.get("kind")
    if version != VERSION:
        raise RecordError(f"{where}v: schema version {version!r} is unknown, {VERSION} is known")
    if not isinstance(kind, str) or kind not in KINDS:
        raise RecordError(f"{where}kind: {kind!r} is unknown")
    for key in _NEEDED[kind]:
        if key not in record:
            raise RecordError(f"{where}{kind}.{key}: is missing")
    for key, value in record.items():
        wanted = _KNOWN[kind].get(key)
        if wanted is None:
            raise RecordError(f"{where}{kind}.{key}: is not a key of this kind")
        if not wanted.fits(value):
            shown = _shown(value, wanted)
            raise RecordError(f"{where}{kind}.{key}: {shown} is not {wanted.name}")
    return record


def _shown(value: Any, wanted: _Type) -> str:
    """Show a wrong value, but never what may be spoken words."""
    hidden = wanted is TEXT or (wanted is WORD and isinstance(value, str))
    return type(value).__name__ if hidden else repr(value)
