"""What TypeSafeClassifier does to its connections."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from loguru import logger
from pipecat.utils.asyncio.task_manager import TaskManager
from support.fake_judges import SITUATION, ask, config, desk, jump, settle
from support.fake_typesafe import Wire, answers, classifier, wire


def test_superseding_cancels_nothing_on_the_wire() -> None:
    """Twenty partials over a slow server: every request that was sent runs out (S2-J08)."""

    async def reply(request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(0.9)
        return answers(request.content)

    async def main() -> None:
        line = Wire(reply)
        here = desk(classifier(line), breaker_failures=99)
        for number in range(20):
            here.judge.submit(ask(number, "speaking"), SITUATION)
            await asyncio.sleep(0.06)
        await asyncio.sleep(5)
        stats = here.judge.stats
        assert stats.superseded > 0 and stats.failures["timeout"] > 4
        assert stats.late == len(line.requests) == stats.failures["timeout"]
        assert line.cancels == 0

    jump(main())


def test_setup_opens_connections_in_the_background() -> None:
    """The pipeline starts without waiting; each connection lists the models once."""
    waiting = 0
    most = 0

    async def reply(request: httpx2.Request) -> httpx2.Response:
        nonlocal waiting, most
        assert request.url.path == "/v1/models"
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.3)
        waiting -= 1
        return httpx2.Response(200, json={"models": []})

    async def main() -> None:
        ours = classifier(Wire(reply), config=config(warm_connections=3))
        loop = asyncio.get_running_loop()
        await ours.setup(TaskManager())
        assert loop.time() == 0
        await asyncio.sleep(0.4)
        await ours.cleanup()
        assert most == 3

    jump(main())


@pytest.mark.parametrize("status", [404, 401, 500])
def test_a_failed_warm_up_is_only_a_warning(status: int) -> None:
    """Not every compatible server lists models; the first question opens its own connection."""
    lines: list[str] = []
    sink = logger.add(lines.append, level="WARNING", format="{message}")

    async def main() -> None:
        ours = classifier(wire(status, {}), config=config(warm_connections=2))
        await ours.setup(TaskManager())
        await asyncio.sleep(1)
        await ours.cleanup()

    jump(main())
    logger.remove(sink)
    assert len(lines) == 1 and str(status) in lines[0]


def test_cleanup_during_the_warm_up_ends_it() -> None:
    """A call that ends at once leaves no task behind."""

    async def reply(_: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(3_600)
        raise AssertionError

    async def main() -> None:
        manager = TaskManager()
        ours = classifier(Wire(reply), config=config(warm_connections=2))
        await ours.setup(manager)
        await settle()
        await ours.cleanup()
        assert not manager.current_tasks()

    jump(main())
