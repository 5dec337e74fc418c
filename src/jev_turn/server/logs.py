"""Logs that hold no word that was spoken and no key."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loguru import Record

_REFUSED = "ASGI callable returned without completing handshake."
"""What Uvicorn calls an error each time that a WebSocket is answered with an HTTP status."""

_OURS = "{time:YYYY-MM-DDTHH:mm:ss.SSS} {level} {message}\n"
_OTHERS = "{time:YYYY-MM-DDTHH:mm:ss.SSS} {level} {name}:{function}:{line} (--verbose shows it)\n"


def quiet_logs(*, verbose: bool) -> None:
    """Show what happens to calls, and of others' troubles only where they were reported.

    Pipecat's own messages hold what was said and may hold what a service answered; tracebacks
    with values hold both.

    Args:
        verbose: Show all of it, words included; keys never.
    """
    from loguru import logger

    logger.remove()
    logging.getLogger("uvicorn.error").addFilter(_is_trouble)
    if verbose:
        # Tracebacks without the variables' values, which may be keys.
        logger.add(sys.stderr, level="DEBUG", diagnose=False)
        return
    logging.getLogger().addHandler(_Places())
    levels: dict[str | None, str | int | bool] = {"": "INFO", "pipecat": "ERROR"}
    logger.add(sys.stderr, level=0, filter=levels, format=_format, backtrace=False, diagnose=False)


def _format(record: Record) -> str:
    name = record["name"] or ""
    return _OTHERS if name.partition(".")[0] == "pipecat" else _OURS


def _is_trouble(record: logging.LogRecord) -> bool:
    """Drop what whoever knocks could fill a log with."""
    return record.msg != _REFUSED


class _Places(logging.Handler):
    """Shows where the standard library's logging was told of trouble, and not what."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        kind = record.exc_info[0] if record.exc_info else None
        what = f" {kind.__name__}" if kind else ""
        if record.name == "uvicorn.error" and isinstance(record.msg, OSError):
            # Why it cannot listen: the address and the system's reason, nobody's words.
            what = f" {record.msg}"
        print(f"{record.levelname} {record.name}:{record.funcName}{what}", file=sys.stderr)
