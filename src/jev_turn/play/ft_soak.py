"""Random finish-turn calls whose processes are killed, until enough turns have been taken."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields
from itertools import count, islice
from pathlib import Path
from random import Random

from jev_turn.play.ft_life import Life, live
from jev_turn.play.ft_log import Line, read_log
from jev_turn.play.ft_oracle import Findings, findings
from jev_turn.play.ft_process import Child
from jev_turn.replies.store import Database, ReplyStore, Saved, forget_calls

UTTERANCES = 40
"""Of one call."""

AT_ONCE = 2
"""Calls whose processes run beside each other."""

LIFE_S = 0.8
"""A process that is to be killed lives at most this long behind its beginning, s."""

KILLED_EARLY = 0.1
"""Share of the processes that are killed before they have taken the call up."""

KILLED_AT = 0.5
"""Share of them that are killed at the moments at which most can go wrong, and not at any time."""

_MOMENTS = ("final", "kept", "run", "heard")

_PATIENCE_S = 90.0
"""A process that takes longer hangs, s."""

_GRACE_S = 0.5
"""How long a process takes to take a call up, about, s."""


@dataclass(frozen=True, slots=True)
class Run:
    """What to play.

    Attributes:
        turns: Until so many turns have their ending.
        seed: The same seed gives the same calls; a kill comes when it comes.
        kill: Hold the calls from processes that are killed.
        place: The store.
        logs: A folder for what is seen from outside.
        minutes: No call begins after this time.
        call: Hold this call alone.
    """

    turns: int
    seed: int
    kill: bool
    place: str
    logs: Path
    minutes: float
    call: int | None = None


@dataclass
class Call:
    """A call that was held to its end.

    Attributes:
        number: In the run.
        name: In the store.
        log: The file of what was seen from outside.
        found: What is wrong with it.
        lives: Processes that held it.
        kills: Those of them that were killed.
    """

    number: int
    name: str
    log: Path
    found: Findings = field(default_factory=Findings)
    lives: int = 0
    kills: int = 0


@dataclass
class Totals:
    """What all calls came to; ``lost``, ``doubled`` and ``stuck`` must be 0."""

    turns: int = 0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    kills: int = 0
    calls: int = 0
    discards: int = 0
    failures: int = 0
    in_doubt: int = 0

    @property
    def ok(self) -> bool:
        """Tell whether nothing was lost, doubled or stuck."""
        return not (self.lost or self.doubled or self.stuck)

    def add(self, call: Call) -> None:
        """Count one call."""
        found = call.found
        counted = Totals(
            turns=found.turns,
            lost=len(found.lost),
            doubled=len(found.doubled),
            stuck=len(found.stuck),
            kills=call.kills,
            calls=1,
            discards=found.discards,
            failures=found.failures,
            in_doubt=found.in_doubt,
        )
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(counted, each.name))

    def line(self) -> str:
        """Return the summary."""
        return (
            f"{self.turns} turns: {self.lost} lost, {self.doubled} doubled, {self.stuck} stuck, "
            f"{self.kills} kills, {self.calls} calls, {self.discards} discards, "
            f"{self.failures} recorded failures, {self.in_doubt} finals in doubt at a kill"
        )


def soak(run: Run, on_call: Callable[[Call], None] | None = None) -> Totals:
    """Hold calls until enough turns have been taken or the time is up.

    Args:
        run: What to play.
        on_call: Called after each call.
    """
    totals, held = Totals(), set[Future[Call]]()
    ends = time.monotonic() + 60 * run.minutes
    numbers = count() if run.call is None else iter([run.call])
    at_once = AT_ONCE if run.kill else 1
    with ThreadPoolExecutor(at_once) as pool:
        while True:
            more = totals.turns < run.turns and time.monotonic() < ends
            for number in islice(numbers, at_once - len(held) if more else 0):
                held.add(pool.submit(_Holder(run, number).hold))
            if not held:
                return totals
            over, held = wait(held, return_when=FIRST_COMPLETED)
            for call in (future.result() for future in over):
                totals.add(call)
                if on_call is not None:
                    on_call(call)


class _Holder:
    """Holds one call, from one process after the other."""

    def __init__(self, run: Run, number: int) -> None:
        self._run = run
        name = f"soak-{run.seed}-{number}-{os.getpid()}"
        self._call = Call(number, name, run.logs / f"{name}.jsonl")
        self._dice = Random(f"{run.seed}/{number}/kills")
        self._life_s = LIFE_S

    def hold(self) -> Call:
        """Hold the call to its end and account for it."""
        try:
            while not self._lives():
                pass
        except _Hangs as error:
            self._call.found.stuck.append(str(error))
            return self._call
        saved = asyncio.run(_read(self._run.place, self._call.name))
        self._call.found = findings(self._log(), saved)
        if self._call.found.ok and "://" in self._run.place:
            asyncio.run(_forget(self._run.place, self._call.name))
        return self._call

    def _lives(self) -> bool:
        """Hold the call from one process; tell whether it came to the call's end."""
        call = self._call
        call.lives += 1
        spoken = [line["utterance"] for line in self._log() if line["what"] == "speaks"]
        life = Life(
            place=self._run.place,
            call=call.name,
            seed=self._run.seed,
            number=call.lives,
            talk=call.number,
            first=max(spoken, default=-1) + 1,
            last=UTTERANCES,
            log=call.log,
            dies_behind=self._moment() if self._run.kill else None,
        )
        if not self._run.kill:
            live(life)
            return True
        return self._ends_by_itself(life)

    def _moment(self) -> tuple[str, int] | None:
        if self._dice.random() >= KILLED_AT:
            return None
        return self._dice.choice(_MOMENTS), self._dice.randint(1, 6)

    def _ends_by_itself(self, life: Life) -> bool:
        process = Child(live, life)
        if life.dies_behind:
            process.wait(_PATIENCE_S)
        elif self._dice.random() < KILLED_EARLY:
            process.wait(self._dice.uniform(0, _GRACE_S))
        else:
            self._wait_until_begun(process, life)
            process.wait(self._dice.uniform(0, self._life_s))
        # Near the end of a call nothing may be left to say: each life is longer than the last one.
        self._life_s *= 1.03
        hangs = process.code is None and life.dies_behind is not None
        if process.code is None:
            process.kill()
        if hangs:
            raise _Hangs(f"process {life.number} does not end")
        if process.code == -signal.SIGKILL:
            self._call.kills += 1
            return False
        if process.code:
            raise _Hangs(f"process {life.number} failed with {process.code}")
        return True

    def _wait_until_begun(self, process: Child, life: Life) -> None:
        patience = time.monotonic() + _PATIENCE_S
        while process.code is None:
            if any(line["life"] == life.number for line in self._log()):
                return
            if time.monotonic() > patience:
                process.kill()
                raise _Hangs(f"process {life.number} does not begin")
            time.sleep(0.01)

    def _log(self) -> list[Line]:
        return read_log(self._call.log)


class _Hangs(Exception):
    """A process does not do what it is for."""


async def _read(place: str, call: str) -> Saved:
    async with await ReplyStore.open(place, call) as store:
        return await store.state()


async def _forget(place: str, call: str) -> None:
    """Leave nothing of a call on a server."""
    database = await Database.open(place)
    try:
        await forget_calls(database, [call])
    finally:
        await database.close()
