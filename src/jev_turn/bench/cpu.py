"""``jev-turn bench --cpu``: what the machine, the gate and the processors cost, against limits."""

from __future__ import annotations

import gc
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from jev_turn.bench.call import CALL_S, hold, sound
from jev_turn.bench.events import of_a_call
from jev_turn.dsp.room import Room
from jev_turn.play.stage import RATE
from jev_turn.policy import Policy
from jev_turn.turn.context import Context
from jev_turn.turn.machine import dispatch
from jev_turn.turn.words import tokens

ROUNDS = 5
DISPATCH_MAX_US = 20.0
GATE_MAX_US = 100.0
PROCESSORS_MAX_PERCENT = 2.0
_ROUND_S = 0.1
"""How long one round of a small measurement lasts at least, s."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One figure.

    Attributes:
        name: What was measured.
        value: The median of the rounds.
        limit: What it must stay below.
        unit: Of both.
    """

    name: str
    value: float
    limit: float
    unit: str

    @property
    def ok(self) -> bool:
        """Tell whether it stays below its limit."""
        return self.value < self.limit


def bench_cpu(policy: Policy, console: Console) -> bool:
    """Measure and print all costs.

    Args:
        policy: Every setting.
        console: Where to print.

    Returns:
        Whether all of them stay below their limits.
    """
    costs = [dispatch_cost(policy), gate_cost(policy), processors_cost(policy)]
    table = Table("cost", "median", "limit", "", title=f"{cpu_name()}, median of {ROUNDS} rounds")
    for cost in costs:
        verdict = "ok" if cost.ok else "over"
        table.add_row(cost.name, f"{cost.value:.2f} {cost.unit}", f"{cost.limit:g}", verdict)
    console.print(table)
    return all(cost.ok for cost in costs)


def dispatch_cost(policy: Policy) -> Cost:
    """Measure ``dispatch`` over the events of an ordinary call, whose texts are all new to it."""
    config = policy.turn()
    told = of_a_call(config)

    def call() -> None:
        tokens.cache_clear()
        ctx = Context()
        for event in told:
            ctx, _ = dispatch(ctx, event, config)

    return Cost("dispatch, per event", _each(call) / len(told) * 1e6, DISPATCH_MAX_US, "µs")


def gate_cost(policy: Policy) -> Cost:
    """Measure the acoustic gate over the sound of a call."""
    config, chunks = policy.gate(), list(sound())

    def call() -> None:
        room = Room(config)
        for chunk in chunks:
            room.hear("", chunk, RATE)

    return Cost("gate, per 20 ms of sound", _each(call) / len(chunks) * 1e6, GATE_MAX_US, "µs")


def processors_cost(policy: Policy) -> Cost:
    """Measure a call with SnrGate and JevJudge less the same call without them.

    The judge's own work is not in it: it depends on the judge. Calls are held in virtual time, so
    the CPU time that they take is what a call of their length takes.
    """
    hold(policy, ours=True)  # what is imported and loaded once
    more = [
        _cpu_s(lambda: hold(policy, ours=True)) - _cpu_s(lambda: hold(policy, ours=False))
        for _ in range(ROUNDS)
    ]
    percent = median(more) / CALL_S * 100
    return Cost("SnrGate and JevJudge, per call", percent, PROCESSORS_MAX_PERCENT, "% of a core")


def cpu_name() -> str:
    """Name this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _each(work: Callable[[], None]) -> float:
    """Return the CPU time (s) of one ``work``: the median round, each of many."""
    once = max(_cpu_s(work), 1e-6)
    times = max(1, round(_ROUND_S / once))

    def many() -> None:
        for _ in range(times):
            work()

    return median(_cpu_s(many) / times for _ in range(ROUNDS))


def _cpu_s(work: Callable[[], None]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began
