"""Jev, or any server that speaks its protocol, by TypeSafe's own SDK."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx2
from loguru import logger
from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierQuestion,
    ClassifierResult,
)
from pipecat.metrics.metrics import LLMTokenUsage
from pipecat.utils.asyncio.task_manager import BaseTaskManager
from typesafe_sdk import TypeSafeError
from typesafe_sdk.constants import API_KEY_ENV, BASE_URL_ENV, DEFAULT_BASE_URL, DEFAULT_MODEL_ENV

from jev_turn.judges.config import JudgeConfig
from jev_turn.judges.typesafe_client import new_client
from jev_turn.judges.typesafe_wire import failure, noul, results, usage
from jev_turn.policy import load_policy

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage

PINNED_MODEL = "jev-1.13.0"
"""Thresholds belong to a model, and an alias such as ``jev-latest`` moves on."""

_BOUND_S = 10.0


class TypeSafeClassifier(BaseClassifier):
    """Answers yes/no questions with calibrated probabilities from Jev.

    Any owner may use it as it is; ``Judge`` adds the deadline that turn-taking needs.

    Args:
        config: ``keepalive_s`` and ``warm_connections`` count here; the packaged policy's if
            ``None``.
        api_key: Else ``TYPESAFE_API_KEY``. A local server takes any printable word.
        base_url: Else ``TYPESAFE_BASE_URL``, else TypeSafe itself.
        model: Else ``TYPESAFE_DEFAULT_MODEL``, else ``PINNED_MODEL``.
        env: In place of the process environment.
        transport: In place of HTTP, for proxies and tests.
        **kwargs: For ``BaseClassifier``.

    Raises:
        ConfigError: Without a usable key or address.

    Example::

        classifier = TypeSafeClassifier()
        openrouter = TypeSafeClassifier(
            base_url="https://openrouter.ai/api", api_key=key, model="jev-1.13"
        )
    """

    def __init__(
        self,
        config: JudgeConfig | None = None,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        env: Mapping[str, str] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        env = os.environ if env is None else env
        config = load_policy().judge() if config is None else config
        self._model = model or env.get(DEFAULT_MODEL_ENV, "").strip() or PINNED_MODEL
        self._answered_by: str | None = None
        self._warm_connections = config.warm_connections
        self._warming: asyncio.Task[Any] | None = None
        key = api_key or env.get(API_KEY_ENV, "")
        url = base_url or env.get(BASE_URL_ENV, "").strip() or DEFAULT_BASE_URL
        # A digest tells accounts apart as well as the key does, and can stand in a traceback.
        self._account = hashlib.sha256(f"{url}\n{key}".encode()).hexdigest()
        self._client = new_client(
            key,
            url,
            self._model,
            config.keepalive_s,
            transport,
        )

    @property
    def model(self) -> str:
        """The model asked for."""
        return self._model

    @property
    def account(self) -> str:
        """What tells this key at this server from others; not the key."""
        return self._account

    @property
    def answered_by(self) -> str | None:
        """The model that gave the latest answer, as the server names it."""
        return self._answered_by

    async def setup(self, task_manager: BaseTaskManager) -> None:
        """Begin to open connections, so that the first question finds them ready.

        Args:
            task_manager: The owner's.
        """
        await super().setup(task_manager)
        if self._warm_connections and self._warming is None:
            self._warming = self.create_task(self._warm(), "warm")

    async def cleanup(self) -> None:
        """Close the connections."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        if self._warming is not None:
            await self.cancel_task(self._warming)
        await self._client.aclose()

    async def _warm(self) -> None:
        """List the models, the cheapest request, over several connections at once."""
        calls = (self._client.models.list() for _ in range(self._warm_connections))
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(outcome, TypeSafeError):
                logger.warning(f"{self}: warming up: {failure(outcome)}")
                return

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> tuple[dict[str, ClassifierResult], LLMTokenUsage | None]:
        nouls = {name: noul(name, question) for name, question in questions.items()}
        try:
            # A server that drips its answer meets no timeout of the transport's.
            async with asyncio.timeout(_BOUND_S):
                response = await self._client.system_one(state, nouls)
        except (TypeSafeError, TimeoutError) as error:
            failed = failure(error)
        else:
            self._answered_by = response.model
            return results(response, questions), usage(response)
        # Raised here and not above, as the SDK's error holds what the server wrote.
        raise failed
