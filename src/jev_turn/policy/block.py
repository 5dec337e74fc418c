"""The one fenced JSON block of a question or policy file; all prose around it is free."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from jev_turn.errors import PolicyFileError

_OPENING = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`]*?)[ \t]*")


class _Fence(NamedTuple):
    info: str
    line: int
    body: list[str]


class _TwiceError(ValueError):
    def __init__(self, key: str, value: object) -> None:
        super().__init__(key)
        self.key = key
        self.value = value


def read_block(path: Path) -> dict[str, object]:
    """Read a file's block.

    Args:
        path: A Markdown file in UTF-8.

    Returns:
        The block's JSON object.

    Raises:
        PolicyFileError: The file cannot be read, or ``parse_block`` refuses it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PolicyFileError(str(path), "", path.name, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise PolicyFileError(str(path), "", path.name, f"not UTF-8: {error.reason}") from error
    return parse_block(text, str(path))


def parse_block(text: str, source: str) -> dict[str, object]:
    """Find the one fenced block of ``text`` and read it as strict JSON.

    Args:
        text: A Markdown document.
        source: Its name, for the error.

    Returns:
        The block's JSON object.

    Raises:
        PolicyFileError: There is not exactly one fenced block, it is not marked ``json``, it is
            not a JSON object, or a key occurs twice in one object.
    """
    fences = _fences(text, source)
    if len(fences) != 1:
        raise PolicyFileError(source, "", len(fences), "fenced blocks; expected exactly one")
    fence = fences[0]
    if fence.info != "json":
        raise PolicyFileError(source, "", fence.info, "the fenced block must be marked json")
    try:
        block = json.loads("\n".join(fence.body), object_pairs_hook=_unique)
    except _TwiceError as error:
        raise PolicyFileError(source, error.key, error.value, "the key occurs twice") from error
    except json.JSONDecodeError as error:
        line = fence.body[error.lineno - 1] if error.lineno <= len(fence.body) else ""
        where = f"not JSON: {error.msg} (line {fence.line + error.lineno})"
        raise PolicyFileError(source, "", line.strip(), where) from error
    if not isinstance(block, dict):
        raise PolicyFileError(source, "", block, "the block must be a JSON object")
    return block


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key, value)
        found[key] = value
    return found


def _fences(text: str, source: str) -> list[_Fence]:
    fences: list[_Fence] = []
    closing: re.Pattern[str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if closing is not None:
            if closing.fullmatch(line):
                closing = None
            else:
                fences[-1].body.append(line)
        elif match := _OPENING.fullmatch(line):
            marks = match["marks"]
            closing = re.compile(rf" {{0,3}}{re.escape(marks[0])}{{{len(marks)},}}[ \t]*")
            fences.append(_Fence(match["info"], number, []))
    if closing is not None:
        raise PolicyFileError(source, "", fences[-1].line, "the block on this line never ends")
    return fences
