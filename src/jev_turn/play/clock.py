"""An event loop whose time is virtual: it jumps to the next timer instead of waiting for it.

Time stands still while work is out in an executor, and its result is delivered as much later as
the work took: a recogniser that needs 200 ms needs 200 ms of virtual time too, in which everything
else goes on. While ``real_io`` is held, for
sockets, time is real.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from pipecat.clocks.base_clock import BaseClock

T = TypeVar("T")

STANDSTILL = 1_000_000
"""Rounds of the loop within one moment after which something must be going in circles."""

FOREVER_S = 5.0
"""Real time in which a thread must wake a loop that waits for nothing else, s."""


class _JumpingSelector(selectors.DefaultSelector):
    """Polls instead of waiting and tells the loop how far it may jump."""

    def __init__(self) -> None:
        super().__init__()
        self.loop: VirtualLoop | None = None
        self._rounds = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Return what is ready; move virtual time on where nothing is.

        Raises:
            RuntimeError: Time has not moved for ``STANDSTILL`` rounds, or never will.
        """
        ready = super().select(0)
        self._rounds += 1
        if self._rounds > STANDSTILL:
            self._rounds = 0
            raise RuntimeError("virtual time stands still: something never waits")
        if ready or timeout == 0 or self.loop is None:
            return ready
        self._rounds = 0
        if self.loop.outside:
            return super().select(None)
        if self.loop.real:
            return self._wait_real(self.loop, timeout)
        if timeout is None:
            return self._wait_for_threads()
        self.loop.advance(timeout)
        return []

    def _wait_for_threads(self) -> list[Any]:
        ready = super().select(FOREVER_S)
        if not ready:
            raise RuntimeError("virtual time has nothing left to wait for: something never ends")
        return ready

    def _wait_real(self, loop: VirtualLoop, timeout: float | None) -> list[Any]:
        began = time.perf_counter()
        ready = super().select(timeout)
        loop.advance(time.perf_counter() - began)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A selector loop on virtual seconds that begin at 1,000.

    Attributes:
        outside: Pieces of work under way in executors.
        real: Holders of ``real_io``.
    """

    def __init__(self) -> None:
        self.outside = 0
        self.real = 0
        self._now = 1000.0
        selector = _JumpingSelector()
        super().__init__(selector)
        selector.loop = self

    def time(self) -> float:
        """Return virtual seconds."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move virtual time on."""
        self._now += seconds

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Run ``func`` outside; its result is there as much later as it took."""
        began, outer = self._now, self.create_future()
        self.outside += 1
        inner = super().run_in_executor(executor, _timed, func, args)
        inner.add_done_callback(partial(self._came_back, began, outer))
        return outer

    def _came_back(
        self,
        began: float,
        outer: asyncio.Future[Any],
        inner: asyncio.Future[tuple[float, Any, BaseException | None]],
    ) -> None:
        self.outside -= 1
        if inner.cancelled():
            outer.cancel()
            return
        if (error := inner.exception()) is not None:
            outer.set_exception(error)
            return
        took, result, error = inner.result()
        self.call_at(began + self.virtual_s(took), _deliver, outer, result, error)

    def virtual_s(self, took_s: float) -> float:
        """Return the virtual seconds that work outside takes when it really took ``took_s``."""
        return took_s

    @contextmanager
    def work_outside(self) -> Iterator[None]:
        """Let virtual time stand still while a thread that the loop does not know works."""
        self.outside += 1
        try:
            yield
        finally:
            self.outside -= 1

    @contextmanager
    def real_io(self) -> Iterator[None]:
        """Hold virtual time to real time while sockets are waited for."""
        self.real += 1
        try:
            yield
        finally:
            self.real -= 1


def _timed(func: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, Any, Any]:
    began = time.perf_counter()
    try:
        result, error = func(*args), None
    except Exception as raised:
        result, error = None, raised
    return time.perf_counter() - began, result, error


def _deliver(outer: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if outer.done():
        return
    if error is not None:
        outer.set_exception(error)
    else:
        outer.set_result(result)


class LoopClock(BaseClock):
    """A Pipecat clock on the running loop's time, for ``PipelineWorker(clock=)``."""

    def __init__(self) -> None:
        self._start = 0.0
        self._started = False

    def start(self) -> None:
        """Take the present moment as zero."""
        self._start = asyncio.get_running_loop().time()
        self._started = True

    def get_time(self) -> int:
        """Return nanoseconds since ``start``, 0 before it."""
        if not self._started:
            return 0
        return int((asyncio.get_running_loop().time() - self._start) * 1e9)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end in virtual time, as ``asyncio.run`` does in real time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
