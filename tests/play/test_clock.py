"""Virtual time jumps to the next timer, and counts what happens outside the loop."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from jev_turn.play.clock import LoopClock, VirtualLoop, run


def now() -> float:
    """Return the running loop's time, s."""
    return asyncio.get_running_loop().time()


def test_a_sleep_takes_its_time_in_no_time() -> None:
    """An hour of silence does not keep a test waiting."""

    async def main() -> float:
        began = now()
        await asyncio.sleep(3600)
        return now() - began

    began = time.perf_counter()
    assert run(main()) == pytest.approx(3600)
    assert time.perf_counter() - began < 1


def test_timers_fire_in_the_order_of_their_times() -> None:
    """However they were set, what is due first comes first."""

    async def main() -> list[str]:
        seen: list[str] = []
        loop = asyncio.get_running_loop()
        loop.call_later(2, seen.append, "late")
        loop.call_later(1, seen.append, "early")
        await asyncio.sleep(3)
        return seen

    assert run(main()) == ["early", "late"]


def test_work_in_a_thread_takes_as_long_as_it_took() -> None:
    """A recogniser that needs 50 ms answers 50 ms later, and not at once."""

    async def main() -> float:
        began = now()
        await asyncio.to_thread(time.sleep, 0.05)
        return now() - began

    assert 0.05 <= run(main()) < 0.5


def test_the_rest_goes_on_while_a_thread_works() -> None:
    """A microphone that delivers each 20 ms does so too while something is recognised."""

    async def main() -> list[float]:
        began, chunks = now(), list[float]()

        async def microphone() -> None:
            while True:
                await asyncio.sleep(0.02)
                chunks.append(round(now() - began, 3))

        task = asyncio.ensure_future(microphone())
        await asyncio.to_thread(time.sleep, 0.07)
        task.cancel()
        return chunks

    assert run(main())[:3] == [0.02, 0.04, 0.06]


def test_an_error_in_a_thread_arrives() -> None:
    """A failure outside is raised where it is awaited."""

    def fail() -> None:
        raise ValueError("outside")

    async def main() -> None:
        await asyncio.to_thread(fail)

    with pytest.raises(ValueError, match="outside"):
        run(main())


def test_time_stands_still_for_a_thread_of_its_own() -> None:
    """A timer does not overtake a database that works in a thread unknown to the loop."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        began, done = now(), loop.create_future()

        def work() -> None:
            time.sleep(0.02)
            loop.call_soon_threadsafe(done.set_result, None)

        threading.Thread(target=work).start()
        with loop.work_outside():
            await asyncio.wait_for(done, 0.001)
        return now() - began

    assert run(main()) == 0


def test_the_pipelines_clock_is_the_loops() -> None:
    """Time stamps of frames are virtual too: they are ns since the clock's start."""

    async def main() -> tuple[int, int]:
        clock = LoopClock()
        before = clock.get_time()
        clock.start()
        await asyncio.sleep(2)
        return before, clock.get_time()

    before, after = run(main())
    assert before == 0
    assert after == pytest.approx(2e9)
