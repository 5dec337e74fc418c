"""The standard streams of a command, which may be closed, full, or of a small alphabet."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

SIGPIPE_STATUS = 141
"""What a shell shows of a program that was ended by SIGPIPE: its reader had seen enough."""


def standard_streams() -> None:
    """Make the standard streams such that no command breaks on them.

    A stream that is closed is opened on nothing: its number would go to the next file, and what is
    printed into it. A character that a stream's encoding lacks is shown as ``?``. Output that nobody
    takes ends the process: quietly when its reader has left, and with one line on a full disk.
    """
    _fill()
    if sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
        if not sys.stdout.isatty():
            sys.stdout = _ending(sys.stdout)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def _fill() -> None:
    """Give every number up to 2 to nothing, for child processes too."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)


def _ending(stream: io.TextIOWrapper) -> TextIO:
    raw = _Output(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )


class _Output(io.FileIO):
    """Ends the process at the first write that fails; what is written behind it goes nowhere.

    An exit is raised and no error, because libraries on the way catch errors: a pipeline would go on
    without anybody to see it.
    """

    _lost = False

    def write(self, data: Any) -> int:
        """Write some bytes."""
        if self._lost:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self._lost = True
            raise SystemExit(SIGPIPE_STATUS) from None
        except OSError as error:
            self._lost = True
            with suppress(OSError):
                print(f"jev-turn: standard output: {error.strerror}", file=sys.stderr)
            raise SystemExit(2) from None
