"""The time of a call that may be held by several processes, one after the other."""

from __future__ import annotations

import asyncio


class CallTime:
    """Seconds since the call began, on the event loop's clock."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._begun = asyncio.Event()

    def begin(self, at: float) -> None:
        """The call began at the loop's time ``at``; later calls change nothing."""
        if self._began is None:
            self._began = at
            self._begun.set()

    @property
    def began(self) -> float:
        """The loop's time at which the call began, s; the present before that."""
        return asyncio.get_running_loop().time() if self._began is None else self._began

    def now(self) -> float:
        """Return the seconds so far."""
        return asyncio.get_running_loop().time() - self.began

    async def until(self, at: float) -> None:
        """Wait until ``at`` seconds of the call, which must not have begun yet."""
        await self._begun.wait()
        await asyncio.sleep(max(0.0, at - self.now()))
