"""``jev-turn bench --calls N``: many calls in one process, one account, a judge of 150 ms."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from statistics import mean

from rich.console import Console
from rich.table import Table

from jev_turn.bench.call import CALL_S, AtOnce, Part, hold_on_loop
from jev_turn.judges.tally import Stats
from jev_turn.play.clock import run
from jev_turn.policy import Policy

JUDGE_S = 0.15
ROUNDS = 3
"""Of the conversation: a mean over fewer asks says little."""

UNFAIR = 2.0
"""No call may wait for the judge this many times as long as another."""

CORES = 1.0


class Account(AtOnce):
    """Answers after 150 ms, and its requests count against one account."""

    account = "bench"
    latency_s = JUDGE_S

    @property
    def model(self) -> str:
        """No model."""
        return "150-ms"


@dataclass(frozen=True, slots=True)
class Crowd:
    """What many calls at once came to.

    Attributes:
        stats: Of each call's judge.
        cores: CPU time of the gates and judges per second of the calls: of all of them, less that
            of the same calls without.
    """

    stats: tuple[Stats, ...]
    cores: float

    @property
    def waits_ms(self) -> list[float]:
        """Each call's mean wait from asking to the verdict, for those that got one."""
        answered = [one for one in self.stats if one.latencies_ms and one.waits_ms]
        return [mean(one.latencies_ms) + mean(one.waits_ms) for one in answered]

    @property
    def ratio(self) -> float:
        """How many times as long as the luckiest call the unluckiest waits; 0 without verdicts."""
        waits = self.waits_ms
        return max(waits) / min(waits) if len(waits) == len(self.stats) else 0.0

    @property
    def ok(self) -> bool:
        """Every call got verdicts, none waited twice as long as another, one core is enough."""
        return 0.0 < self.ratio <= UNFAIR and self.cores < CORES


def bench_calls(policy: Policy, calls: int, console: Console) -> bool:
    """Hold many calls at once in virtual time and print how the judge was shared.

    Args:
        policy: Every setting; ``judge.requests_per_minute`` is the account's rate.
        calls: How many.
        console: Where to print.

    Returns:
        Whether it was fair and cheap enough.
    """
    crowd = crowd_of(policy, calls)
    failed = sum((one.failures for one in crowd.stats), Counter[str]())
    waits = crowd.waits_ms or [0.0]
    rows = [
        ("calls that got verdicts", f"{len(crowd.waits_ms)} of {calls}"),
        ("asks", str(sum(one.asks for one in crowd.stats))),
        ("answered", str(sum(one.answers for one in crowd.stats))),
        ("replaced by newer words", str(sum(one.superseded for one in crowd.stats))),
        ("dropped for the account's rate", str(failed["rate_limited"])),
        ("failed otherwise", str(sum(failed.values()) - failed["rate_limited"])),
        ("mean wait of a call, shortest and longest", f"{min(waits):.0f} and {max(waits):.0f} ms"),
        ("longest over shortest (limit 2)", f"{crowd.ratio:.2f}"),
        ("gates and judges, cores (limit 1)", f"{crowd.cores:.2f}"),
    ]
    table = Table(
        "", "", title=f"{calls} calls of {CALL_S * ROUNDS} s, a judge of {JUDGE_S * 1000:.0f} ms"
    )
    for row in rows:
        table.add_row(*row)
    console.print(table)
    return crowd.ok


def crowd_of(policy: Policy, calls: int) -> Crowd:
    """Hold ``calls`` calls at once, with our processors and without them."""
    with_ours, found = _cores(policy, calls, ROUNDS, ours=True)
    without, _ = _cores(policy, calls, 1, ours=False)
    return Crowd(tuple(found), max(0.0, with_ours - without))


def _cores(policy: Policy, calls: int, rounds: int, *, ours: bool) -> tuple[float, list[Stats]]:
    began = time.process_time()
    found = run(_together(policy, calls, rounds, ours))
    return (time.process_time() - began) / (CALL_S * rounds), found


async def _together(policy: Policy, calls: int, rounds: int, ours: bool) -> list[Stats]:
    # Each begins elsewhere in the conversation: some people talk at any moment, others listen.
    judges = [Account() if ours else None for _ in range(calls)]  # type: ignore[no-untyped-call]
    parts = [Part(CALL_S * number / calls, rounds) for number in range(calls)]
    held = (hold_on_loop(policy, one, part) for one, part in zip(judges, parts, strict=True))
    return [stats for stats in await asyncio.gather(*held) if stats is not None]
