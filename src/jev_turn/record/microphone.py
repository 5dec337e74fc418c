"""Puts what the acoustic gate reports into the call record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

_LEVEL = ("rms", "floor", "gate", "open")
_ELSEWHERE = ("kind", "what", "user_id", "age_ms", "quiet_ms")


class Writer(Protocol):
    """Takes lines; ``CallRecord`` is one."""

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        """Add one line."""


def gate_recorder(record: Writer, now_ms: Callable[[], int]) -> Callable[[dict[str, Any]], None]:
    """Build the ``recorder`` of an ``SnrGate``.

    Args:
        record: The call's record.
        now_ms: The call's clock.

    Returns:
        A function that writes each of the gate's lines at the moment it tells of, which may lie a
        little before it was told.
    """

    def write(line: dict[str, Any]) -> None:
        at_ms = max(0, now_ms() - line.get("age_ms", 0))
        user = {"user": line["user_id"]} if line.get("user_id") else {}
        if line["kind"] == "level":
            record.write("level", at_ms, **{key: line[key] for key in _LEVEL}, **user)
        else:
            quiet = {"quiet_ms": line["quiet_ms"]} if "quiet_ms" in line else {}
            numbers = {key: value for key, value in line.items() if _is_number(key, value)}
            record.write("gate", at_ms, state=line["what"], numbers=numbers, **quiet, **user)

    return write


def _is_number(key: str, value: object) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and key not in _ELSEWHERE
