"""Reads the record of a call back, strictly."""

from __future__ import annotations

import json
from pathlib import Path

from jev_turn.record.schema import VERSION, Record, RecordError, check


def read(path: Path) -> list[Record]:
    """Read a call record.

    A last line without its end is what a crash leaves: it is left out, and a ``note`` line
    ``torn_line`` (numbers: ``line``) stands in its place. Anything else wrong is an error.

    Args:
        path: A file that ``CallRecord`` wrote.

    Returns:
        Its lines in order.

    Raises:
        RecordError: For an unknown schema version or a line that does not follow the schema; the
            message names file, line and key.
        OSError: When the file cannot be read.
    """
    *lines, last = path.read_bytes().split(b"\n")
    records = [_decoded(path, line, number) for number, line in enumerate(lines, 1)]
    if last:
        records.append(_last(path, last, len(lines) + 1, records[-1]["t"] if records else 0))
    return records


def _last(path: Path, line: bytes, number: int, at_ms: int) -> Record:
    try:
        json.loads(line)
    except ValueError:
        torn = {"note": "torn_line", "numbers": {"line": number}}
        return {"v": VERSION, "t": at_ms, "kind": "note", **torn}
    return _decoded(path, line, number)


def _decoded(path: Path, line: bytes, number: int) -> Record:
    try:
        return check(json.loads(line), number)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    except ValueError as error:
        raise RecordError(f"{path}: line {number}: not JSON: {error}") from None
