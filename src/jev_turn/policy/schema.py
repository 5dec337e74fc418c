"""What an entry of the packaged policy must look like; a wrong part is named with its key."""

from __future__ import annotations

from collections.abc import Mapping

from jev_turn.errors import PolicyFileError
from jev_turn.policy.entry import NUMBERS, PROVENANCE, WORDS, Entry, Setting

Parts = Mapping[str, object]

NEEDED = ("value", "unit", "provenance")
KNOWN = (*NEEDED, "min", "max", "choices", "at_most")


def read_entry(key: str, raw: object, source: str) -> tuple[Entry, Setting]:
    """Read one entry of the packaged policy.

    Args:
        key: Its dotted key.
        raw: The JSON value under it.
        source: The file, for errors.

    Returns:
        The entry, and its value as a setting.

    Raises:
        PolicyFileError: A part is unknown, missing or wrong.
    """
    parts = read_parts(key, raw, source, KNOWN, NEEDED)
    unit = _unit(key, parts, source)
    low, high = _range(key, unit, parts, source)
    at_most = parts.get("at_most")
    if at_most is not None and (not isinstance(at_most, str) or unit not in NUMBERS):
        raise PolicyFileError(source, f"{key}.at_most", at_most, "expected a number's key")
    entry = Entry(key, unit, low, high, _choices(key, unit, parts, source), at_most)
    value = entry.check(parts["value"], source)
    return entry, Setting(value, "default", read_provenance(key, parts, source))


def read_parts(
    key: str, raw: object, source: str, known: tuple[str, ...], needed: tuple[str, ...]
) -> Parts:
    """Return the JSON object under ``key``, all of whose keys are known and none missing."""
    if not isinstance(raw, dict):
        raise PolicyFileError(source, key, raw, "expected a JSON object")
    dotted = f"{key}." if key else ""
    for part in raw:
        if part not in known:
            raise PolicyFileError(source, dotted + part, raw[part], "unknown key")
    for part in needed:
        if part not in raw:
            raise PolicyFileError(source, dotted + part, None, "missing key")
    return raw


def read_provenance(key: str, parts: Parts, source: str) -> str:
    """Return the provenance, which says how a value came about and then more about it."""
    raw = parts["provenance"]
    if isinstance(raw, str) and PROVENANCE.fullmatch(raw):
        return raw
    raise PolicyFileError(
        source,
        f"{key}.provenance",
        raw,
        "expected `measured: ...`, `design: ...`, `guess: ...` or "
        "`scanned: <model> on <rows>, <yyyy-mm-dd>`",
    )


def _unit(key: str, parts: Parts, source: str) -> str:
    unit = parts["unit"]
    if not isinstance(unit, str) or (unit not in NUMBERS and unit not in WORDS):
        known = ", ".join((*NUMBERS, *WORDS))
        raise PolicyFileError(source, f"{key}.unit", unit, f"unknown unit; known: {known}")
    if key.endswith("_ms") != (unit == "ms"):
        raise PolicyFileError(source, f"{key}.unit", unit, "a key ends with _ms if it is in ms")
    return unit


def _range(key: str, unit: str, parts: Parts, source: str) -> tuple[float | None, float | None]:
    if unit not in NUMBERS:
        for part in ("min", "max"):
            if part in parts:
                raise PolicyFileError(source, f"{key}.{part}", parts[part], f"{unit}: no range")
        return None, None
    number = NUMBERS[unit]
    bounds = Entry(f"{key}.min", unit, number.minimum, number.maximum)
    low = bounds.number(parts.get("min", number.minimum), source)
    bounds = Entry(f"{key}.max", unit, low, number.maximum)
    return low, bounds.number(parts.get("max", number.maximum), source)


def _choices(key: str, unit: str, parts: Parts, source: str) -> tuple[str, ...]:
    choices = parts.get("choices")
    if unit != "choice" and choices is None:
        return ()
    if unit != "choice" or not isinstance(choices, list) or not choices:
        raise PolicyFileError(source, f"{key}.choices", choices, "a choice, and no other, has some")
    if not all(isinstance(one, str) for one in choices):
        raise PolicyFileError(source, f"{key}.choices", choices, "expected texts")
    return tuple(choices)
