"""Writes the record of a call, with the spoken words or with their number only."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from jev_turn.record import private
from jev_turn.record.schema import SPOKEN, VERSION, Record, check

_log = logging.getLogger(__name__)


class CallRecord:
    """The record of one call, in a file, in memory or both.

    A full disk ends the file and not the call: ``broken`` then holds the error, once logged.

    Example:
        with CallRecord(Path("calls/1.jsonl"), words=False) as record:
            record.write("final", 1200, segment=0, text="what is an index")

    Args:
        path: The file, replaced when it exists (0600, in a folder that is made with 0700);
            ``None`` keeps the record in memory only.
        words: Keep what was said. Without it every text is null and the words are counted.
        keep: Keep the lines in ``records`` as well.
        on_write: Called with every line, as it stands in the record.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        words: bool,
        keep: bool = True,
        on_write: Callable[[Record], None] | None = None,
    ) -> None:
        self.words = words
        self.records: list[Record] = []
        self.broken: OSError | None = None
        self._keep = keep
        self._on_write = on_write
        self._file: BinaryIO | None = private.create(path) if path is not None else None

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        """Add one line.

        ``words`` is counted from ``text`` when it is not given; in a ``call`` line it is the
        record's own setting, and ``schema`` the version.

        Args:
            kind: One of ``schema.KINDS``.
            at_ms: When, on the call's clock.
            **fields: The kind's fields.

        Raises:
            RecordError: For a line that does not follow the schema.
        """
        record = check({"v": VERSION, "t": at_ms, "kind": kind, **self._completed(kind, fields)})
        if self._keep:
            self.records.append(record)
        # A process that is killed must not take the reason with it; levels come 20 times a second.
        self._put(record, flush=kind != "level")
        if self._on_write is not None:
            self._on_write(record)

    def close(self) -> None:
        """Write what is buffered and close the file; ``records`` stays readable."""
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close()
        except OSError as error:
            self._give_up(error)

    def __enter__(self) -> CallRecord:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _completed(self, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        if kind == "call":
            return {"schema": VERSION, **fields, "words": self.words}
        if kind == "level":
            return {k: round(v, 6) if isinstance(v, float) else v for k, v in fields.items()}
        if isinstance(text := fields.get("text"), str):
            fields.setdefault("words", len(text.split()))
        if not self.words:
            fields.update({key: None for key in SPOKEN if key in fields})
        return fields

    def _put(self, record: Record, *, flush: bool) -> None:
        if self._file is None:
            return
        line = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            # A lone surrogate becomes its JSON escape, so that no text can fail to be written.
            self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
            if flush:
                self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        file, self._file, self.broken = self._file, None, error
        with suppress(OSError):
            if file is not None:
                file.close()
        _log.error("the call record ends here: %s", error)
