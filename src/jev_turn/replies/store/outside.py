"""Tells an event loop with a time of its own that somebody works for it outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext


def work_outside() -> AbstractContextManager[object]:
    """Let no virtual time pass while a database is waited for; real loops are left alone."""
    hold: Callable[[], AbstractContextManager[object]] = getattr(
        asyncio.get_running_loop(), "work_outside", nullcontext
    )
    return hold()
