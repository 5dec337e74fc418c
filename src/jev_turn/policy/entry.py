"""One entry of ``policy.md``: a value's unit, range and provenance, and who may set it to what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from jev_turn.errors import PolicyFileError
from jev_turn.policy.phrases import Phrases, is_phrase

Value = bool | int | float | str | Phrases


class Number(NamedTuple):
    """What a unit says about its numbers."""

    whole: bool
    minimum: float | None = 0
    maximum: float | None = None


NUMBERS = {
    "ms": Number(whole=True),
    "s": Number(whole=False),
    "count": Number(whole=True),
    "tokens": Number(whole=True),
    "characters": Number(whole=True),
    "bytes": Number(whole=True),
    "probability": Number(whole=False, maximum=1),
    "share": Number(whole=False, maximum=1),
    "rms": Number(whole=False, maximum=1),
    "ratio": Number(whole=False),
    "per_s": Number(whole=False),
}
WORDS = ("switch", "choice", "name", "phrases")
PROVENANCE = re.compile(r"(measured|design|guess): \S.*|scanned: \S.* on \S.*, \d{4}-\d\d-\d\d")

_SWITCH = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
_NAME_MAX = 100


@dataclass(frozen=True, slots=True)
class Setting:
    """A value together with where it came from.

    Attributes:
        value: The value, checked.
        source: Who set it: ``default``, a file, an environment name, ``--set``, ``request``...
        provenance: Why it is this value: ``measured``, ``scanned``, ``design`` or ``guess`` and a
            text; for a value that the bot's author set, ``chosen`` and the source.
    """

    value: Value
    source: str
    provenance: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What may stand under one key.

    Attributes:
        key: The dotted key.
        unit: One of ``NUMBERS`` or ``WORDS``.
        minimum: Lowest value of a number, inclusive.
        maximum: Highest value of a number, inclusive.
        choices: The values of a ``choice``.
        at_most: Another key whose value this one may not exceed.
    """

    key: str
    unit: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    at_most: str | None = None

    def check(self, raw: object, source: str) -> Value:
        """Return ``raw`` as this entry's value.

        Args:
            raw: A value as JSON gives it.
            source: Where it stands, for the error.

        Returns:
            The value; a list of phrases counts for every language.

        Raises:
            PolicyFileError: It has the wrong type or is out of range.
        """
        if self.unit in NUMBERS:
            return self.number(raw, source)
        match self.unit, raw:
            case "switch", bool():
                return raw
            case "choice", str() if raw in self.choices:
                return raw
            case "name", str() if len(raw) <= _NAME_MAX and (raw.isprintable()):
                return raw
            case "phrases", Mapping():
                return MappingProxyType({str(k): self._list(v, source) for k, v in raw.items()})
            case "phrases", list() | tuple():
                return MappingProxyType({"*": self._list(raw, source)})
        self._refuse(raw, source)

    def number(self, raw: object, source: str) -> int | float:
        """Return ``raw`` as a number of this entry's unit and range; errors as in ``check``."""
        number = NUMBERS[self.unit]
        if isinstance(raw, bool) or not isinstance(raw, int if number.whole else int | float):
            self._refuse(raw, source)
        if isinstance(raw, float) and not math.isfinite(raw):
            self._refuse(raw, source)
        if (self.minimum is not None and raw < self.minimum) or (
            self.maximum is not None and raw > self.maximum
        ):
            self._refuse(raw, source)
        return raw if number.whole else float(raw)

    def parse(self, text: str, source: str) -> Value:
        """Return what an environment variable or a ``--set`` says.

        Args:
            text: The value as written: a number, on/off, a choice, or phrases between commas.
            source: Where it stands, for the error.

        Returns:
            The value.

        Raises:
            PolicyFileError: It cannot be read or is out of range.
        """
        text = text.strip()
        if self.unit == "phrases":
            return self.check([part.strip() for part in text.split(",") if part.strip()], source)
        if self.unit == "switch":
            return self.check(_SWITCH.get(text.lower(), text), source)
        if self.unit in NUMBERS:
            return self.check(_read_number(text), source)
        return self.check(text, source)

    def describe(self) -> dict[str, object]:
        """Return what the policy file says about this entry besides its value and provenance."""
        return {
            "unit": self.unit,
            "min": self.minimum,
            "max": self.maximum,
            "choices": list(self.choices),
            "at_most": self.at_most,
        }

    def expected(self) -> str:
        """Say what a value must be, for an error message."""
        if self.unit in NUMBERS:
            whole = "a whole number" if NUMBERS[self.unit].whole else "a number"
            top = "" if self.maximum is None else f" to {self.maximum:g}"
            return f"expected {whole} from {self.minimum:g}{top} ({self.unit})"
        return {
            "switch": "expected true or false",
            "choice": f"expected one of {', '.join(self.choices)}",
            "name": f"expected printable text of at most {_NAME_MAX} characters",
            "phrases": "expected lower-case phrases without punctuation, by language",
        }[self.unit]

    def _list(self, raw: object, source: str) -> tuple[str, ...]:
        if not isinstance(raw, list | tuple):
            self._refuse(raw, source)
        for phrase in raw:
            if not isinstance(phrase, str) or not is_phrase(phrase):
                self._refuse(phrase, source)
        return tuple(raw)

    def _refuse(self, raw: object, source: str) -> NoReturn:
        raise PolicyFileError(source, self.key, raw, self.expected())


def _read_number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
