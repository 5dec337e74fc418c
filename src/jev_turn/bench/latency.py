"""``jev-turn bench --latency``: from the end of a turn to the model and to the first audio."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

from jev_turn.bench.turns import Heard, Kind, converse
from jev_turn.policy import Policy

TURNS = 16

HAND_OVER_MAX_MS = 20.0
"""What a duplex bot may need more than a plain one from the end of a turn to the model, ms."""

SOONER_MIN_MS = 300.0
"""What speculation must save with a model of 600 ms, ms."""

WASTED_MAX = 1
"""Runs of the model that one turn may waste."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """What the same turns came to in three bots.

    Attributes:
        plain: A bot whose recogniser proposes the ends of turns.
        duplex: A bot with ``SnrGate`` and ``JevJudge``.
        early: The same with speculation.
    """

    plain: Heard
    duplex: Heard
    early: Heard

    @property
    def hand_over_ms(self) -> float:
        """What the duplex bot's p50 to the first frame of the model is over the plain bot's."""
        return median(self.duplex.to_model_ms) - median(self.plain.to_model_ms)

    @property
    def sooner_ms(self) -> float:
        """What speculation takes off the p50 from the end of a turn to the first audio."""
        return median(self.duplex.to_audio_ms) - median(self.early.to_audio_ms)

    @property
    def complete(self) -> bool:
        """Tell whether every turn was answered, once, in every bot."""
        bots = (self.plain, self.duplex, self.early)
        return all(len(bot.to_audio_ms) == bot.turns == bot.answered for bot in bots)

    @property
    def ok(self) -> bool:
        """Tell whether everything stays within its limits."""
        return (
            self.complete
            and self.hand_over_ms < HAND_OVER_MAX_MS
            and self.sooner_ms >= SOONER_MIN_MS
            and max(self.early.wasted) <= WASTED_MAX
        )


async def measure(policy: Policy, turns: int = TURNS) -> Latencies:
    """Hold the same turns with three bots at once, on the running loop.

    Args:
        policy: Every setting.
        turns: Number of turns, >= 1.
    """
    kinds: tuple[Kind, ...] = ("plain", "duplex", "early")
    plain, duplex, early = await asyncio.gather(*(converse(policy, kind, turns) for kind in kinds))
    return Latencies(plain, duplex, early)


def bench_latency(policy: Policy, console: Console) -> bool:
    """Measure in real time and print.

    Args:
        policy: Every setting.
        console: Where to print.

    Returns:
        Whether everything stays within its limits.
    """
    found = asyncio.run(measure(policy))
    table = Table("bot", "to the model", "to first audio", "runs", "wasted", title=_title(found))
    for kind in ("plain", "duplex", "early"):
        heard: Heard = getattr(found, kind)
        times = (_times(heard.to_model_ms), _times(heard.to_audio_ms))
        table.add_row(kind, *times, str(heard.runs), str(sum(heard.wasted)))
    console.print(table)
    console.print(
        f"duplex over plain to the model: {found.hand_over_ms:+.1f} ms (below {HAND_OVER_MAX_MS:g})\n"
        f"speculation to first audio: {found.sooner_ms:.0f} ms sooner (at least {SOONER_MIN_MS:g}); "
        f"most runs wasted in one turn: {max(found.early.wasted)} (at most {WASTED_MAX})"
    )
    if not found.complete:
        console.print("some turn was not answered, or twice")
    return found.ok


def _title(found: Latencies) -> str:
    return f"{found.plain.turns} turns in real time, from the end of the turn: p50 (max) in ms"


def _times(values: list[float]) -> str:
    return f"{median(values):.1f} ({max(values):.1f})" if values else "none"
