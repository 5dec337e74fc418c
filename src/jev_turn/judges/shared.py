"""One classifier for several processors: set up by the first, cleaned up by the last."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierQuestion,
)
from pipecat.metrics.metrics import MetricsData
from pipecat.utils.asyncio.task_manager import BaseTaskManager

from jev_turn.judges.limiter import HasAccount

if TYPE_CHECKING:
    # Pipecat 1.13 and later.
    from pipecat.classifiers.base_classifier import ClassifierImage


class SharedClassifier(BaseClassifier):
    """Passes everything on to ``inner`` and counts who uses it.

    Args:
        inner: Answers.
        **kwargs: For ``BaseClassifier``.
    """

    def __init__(self, inner: BaseClassifier, **kwargs: Any) -> None:
        super().__init__(name=f"Shared({inner.name})", **kwargs)  # type: ignore[no-untyped-call]
        self._inner = inner
        self._users = 0

    @property
    def model(self) -> str | None:
        """The inner classifier's."""
        return self._inner.model

    @property
    def account(self) -> Hashable | None:
        """The inner classifier's, if it has one."""
        return self._inner.account if isinstance(self._inner, HasAccount) else None

    async def setup(self, task_manager: BaseTaskManager) -> None:
        """Set the inner classifier up for its first user."""
        await super().setup(task_manager)
        self._users += 1
        if self._users == 1:
            self._inner.add_event_handler("on_metrics", self._pass_on)
            await self._inner.setup(task_manager)

    async def cleanup(self) -> None:
        """Clean it up behind its last user."""
        self._users -= 1
        if self._users == 0:
            await super().cleanup()  # type: ignore[no-untyped-call]
            await self._inner.cleanup()  # type: ignore[no-untyped-call]

    async def _pass_on(self, _: BaseClassifier, data: Sequence[MetricsData]) -> None:
        await self._call_event_handler("on_metrics", list(data))

    async def _ask(
        self,
        state: str | dict[str, Any] | list[Any],
        questions: Mapping[str, ClassifierQuestion],
        images: Sequence[ClassifierImage] = (),
    ) -> Any:
        return await self._inner.ask(state, questions), None
