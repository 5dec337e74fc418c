"""Lets whoever pays for a call count and cap the requests of its judges."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

may_ask: ContextVar[Callable[[], bool] | None] = ContextVar("may_ask", default=None)
"""Called before each request in whose context the judge was made; ``False`` keeps it back."""
