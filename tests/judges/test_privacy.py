"""Neither key nor spoken word leaves through a log."""

from __future__ import annotations

import asyncio

import pytest
from pipecat.utils.asyncio.task_manager import TaskManager
from support.fake_judges import SITUATION, ask, config, desk, jump
from support.fake_typesafe import KEY, Wire, classifier, wire


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, None),
        (200, {"model": "m", "usage": {}, "answers": {"turn_complete": "zanzibar"}}),
        (200, b"zanzibar"),
        (401, {"detail": f"key {KEY} is unknown"}),
        (422, {"detail": [{"loc": ["body", "state"], "msg": "zanzibar", "input": "zanzibar"}]}),
        (500, b"Traceback: zanzibar"),
    ],
)
def test_neither_key_nor_word_is_logged(
    everything_logged: list[str], status: int, body: object
) -> None:
    """With every logger at its lowest level, whatever the server repeats of what it got."""

    async def main() -> None:
        line = Wire() if body is None else wire(status, body)
        ours = classifier(line, config=config(warm_connections=1))
        await ours.setup(TaskManager())
        here = desk(ours, breaker_failures=1)
        here.judge.submit(ask(1, text="zanzibar"), SITUATION)
        await asyncio.sleep(1)
        await here.judge.close()
        await ours.cleanup()
        assert "zanzibar" in "".join(sent.content.decode() for sent in line.requests)
        assert "zanzibar" not in repr(here.records) and KEY not in repr(here.records)

    jump(main())
    text = "".join(everything_logged)
    assert "systemone" in text, "the SDK's own lines were not captured"
    assert "zanzibar" not in text
    assert KEY not in text
