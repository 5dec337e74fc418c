"""A TypeSafeClassifier over a transport that the test answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from pipecat.classifiers.base_classifier import ClassifierError

from jev_turn.judges.typesafe import TypeSafeClassifier
from support.fake_judges import QUESTIONS, config, jump

KEY = "sk-never-shown-anywhere"
ONE = {"turn_complete": QUESTIONS["turn_complete"]}


def answers(body: bytes) -> httpx2.Response:
    """The answer of a server that gives every question 0.25."""
    asked = json.loads(body)["questions"]
    return httpx2.Response(
        200,
        json={
            "model": "jev-1.13.0",
            "usage": {"input_tokens": 30, "output_tokens": 2},
            "answers": {name: {"type": "noul", "noul": 0.25} for name in asked},
        },
    )


class Wire(httpx2.AsyncBaseTransport):
    """Answers requests with a function, and counts them and those that were cancelled."""

    def __init__(
        self, reply: Callable[[httpx2.Request], Awaitable[httpx2.Response]] | None = None
    ) -> None:
        self.requests: list[httpx2.Request] = []
        self.cancels = 0
        self._reply = reply

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        try:
            return await self._reply(request) if self._reply else answers(request.content)
        except asyncio.CancelledError:
            self.cancels += 1
            raise


def wire(status: int, body: object, headers: dict[str, str] | None = None) -> Wire:
    """A server that always says the same."""

    async def reply(_: httpx2.Request) -> httpx2.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return httpx2.Response(status, content=content, headers=headers)

    return Wire(reply)


def classifier(transport: httpx2.AsyncBaseTransport, **options: Any) -> TypeSafeClassifier:
    """One with a key and nothing from the environment."""
    made: dict[str, Any] = {"config": config(), "api_key": KEY, "env": {}, "transport": transport}
    return TypeSafeClassifier(**(made | options))


def failure_of(transport: Wire) -> tuple[Exception, float]:
    """What asking raises, and the time that it took, s."""

    async def main() -> tuple[Exception, float]:
        with pytest.raises(ClassifierError) as caught:
            await classifier(transport).ask({"x": 1}, ONE)
        return caught.value, asyncio.get_running_loop().time()

    return jump(main())
