"""Watches a call while it lasts for what should have come to its end by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator

from jev_turn.play.witness import Account
from jev_turn.processors.jev_judge import JevJudge

EVERY_S = 0.5

MIRROR_S = 7.0
"""The aggregator's watchdog needs 5 s of quiet to close a turn that was given up, s."""

WORDS_S = 26.0
"""The longest cap, once for quiet and once more for sound that began in it, s."""

OWED_S = 1.0


class Watch:
    """Looks every half second, and names each thing once that stands still for too long.

    Args:
        judge: The turn-taker.
        aggregator: Behind it.
        account: What was seen from outside.
    """

    def __init__(self, judge: JevJudge, aggregator: LLMUserAggregator, account: Account) -> None:
        self.stuck: list[str] = []
        self._judge = judge
        self._aggregator = aggregator
        self._account = account
        self._since: dict[str, tuple[object, float]] = {}

    async def look(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(EVERY_S)
            self._check("the aggregator's turn stayed open", self._mirror, MIRROR_S)
            self._check("words stayed open", self._words, WORDS_S)
            self._check("finals of an ended turn stayed here", self._owed, OWED_S)

    def _check(self, name: str, state: Callable[[], object], limit_s: float) -> None:
        """Name what has been in the same state for too long; ``None`` is no state."""
        now, found = asyncio.get_running_loop().time(), state()
        before, since = self._since.get(name, (None, now))
        if found is None or found != before:
            self._since[name] = (found, now)
        elif now - since > limit_s:
            self.stuck.append(f"{name} for {limit_s:g} s at {self._judge.now_ms()} ms")
            self._since[name] = (found, float("inf"))

    def _mirror(self) -> object:
        """The aggregator believes in a turn, and nobody speaks, claims one or is muted."""
        ctx = self._judge.context
        idle = not (ctx.mirrored or ctx.mic.loud or self._judge._muted)
        if not idle or not self._aggregator._user_turn_controller._user_turn:
            return None
        return len(self._account.onsets), len(self._account.quiets), ctx.turn.word_at

    def _words(self) -> object:
        """Words wait for an end while the agent is silent; held ones may wait for good."""
        ctx = self._judge.context
        if not ctx.turn.has_words or ctx.turn.hold is not None or ctx.agent.state == "speaking":
            return None
        return ctx.turn.word_at

    def _owed(self) -> object:
        owed = tuple(frame.id for frame in self._judge._owed)
        return None if self._judge._muted else owed or None
