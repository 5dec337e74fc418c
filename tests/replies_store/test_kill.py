"""A process that is killed at any moment loses no cut and answers none twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.reply_store import ids, keep

from jev_turn.replies.store import CallInUse, ReplyStore

KILLS = 200
TESTS = Path(__file__).parent.parent

pytestmark = pytest.mark.kill


def _run(*arguments: str, code: str | None = None) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    what = ["-m", "support.kill_store"] if code is None else ["-c", code]
    return subprocess.Popen(
        [sys.executable, *what, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@dataclass
class Account:
    """One call as seen from outside: what was ordered (``will``) and what is stored (``did``)."""

    ordered: dict[str, set[int]] = field(default_factory=dict)
    stored: dict[str, set[int]] = field(default_factory=dict)
    cuts_of: dict[int, set[int]] = field(default_factory=dict)
    heard: set[int] = field(default_factory=set)
    drops: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})
    pending: list[int] | None = None

    def note(self, line: dict[str, Any]) -> None:
        """Take one line of the log in."""
        if line["what"] == "found":
            self._check(line)
            return
        did = line["what"] == "did"
        known = self.stored if did else self.ordered
        for name, *numbers in line["effects"]:
            if name == "Discard":
                self.drops[did] += 1
            if name == "StartTurn" and not did:
                turn, eaten = numbers
                assert not self.heard & set(eaten), "a turn eats what was heard"
                self.cuts_of[turn] = set(eaten)
            elif name in ("KeepCut", "TurnSpoke", "EndTurnRecord", "RestoreCuts"):
                known.setdefault(name, set()).add(numbers[0])
            if name == "TurnSpoke" and did:
                assert not self.heard & self.cuts_of[numbers[0]], "answered twice"
                self.heard |= self.cuts_of[numbers[0]]

    def _cuts(self, turns: set[int]) -> set[int]:
        return set[int]().union(*(self.cuts_of[turn] for turn in turns))

    def _check(self, found: dict[str, Any]) -> None:
        """Compare what a new process found with what the dead ones ordered and stored."""
        self.pending = found["pending"]
        pending, spoken = set(found["pending"]), set(found["spoken"])
        failed, cuts = set(found["failed"]), set(found["cuts"])
        assert self.stored.get("KeepCut", set()) <= cuts <= self.ordered.get("KeepCut", set())
        assert cuts == pending | spoken | failed, "lost"
        assert len(cuts) == len(found["pending"] + found["spoken"] + found["failed"]), "doubled"
        assert not self.heard & pending, "what was heard waits again"
        assert self.heard <= spoken <= self._cuts(self.ordered.get("TurnSpoke", set()))
        assert failed <= self._cuts(self.ordered.get("EndTurnRecord", set()))
        assert found["pending"] == sorted(pending), "out of order"
        assert self.drops[True] <= found["discards"] <= self.drops[False]


def test_killed_at_any_moment_nothing_is_lost_or_answered_twice(place: str, tmp_path: Path) -> None:
    """R01, R09: at random times, and before and after any statement and at any commit.

    A cut is lost when it is neither waiting nor in a turn that spoke or failed for good; it is
    answered twice when it waits, or is eaten again, after its turn was heard.
    """
    log = tmp_path / "log"
    seed = random.SystemRandom().randrange(10**6)
    with _run(place, str(log), str(KILLS), str(seed)) as killer:
        told, _ = killer.communicate()
    assert (killer.returncode, told.strip()) == (0, str(KILLS)), f"seed {seed}"
    accounts: dict[str, Account] = {}
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for number, line in enumerate(lines):
        try:
            accounts.setdefault(line["call"], Account()).note(line)
        except AssertionError as wrong:
            raise AssertionError(f"seed {seed}, line {number + 1}: {wrong}") from wrong
    assert [account.pending for account in accounts.values()] == [[]] * len(accounts)
    assert sum(len(account.heard) for account in accounts.values()) > KILLS / 4


HOLD = """
import asyncio, sys
from jev_turn.replies.store import ReplyStore
from support.reply_store import keep

async def hold():
    store = await ReplyStore.open(sys.argv[1], "call")
    await store.apply(keep(1))
    print("holds", flush=True)
    await asyncio.to_thread(sys.stdin.read)

asyncio.run(hold())
"""


async def test_a_call_of_a_living_process_is_refused_and_of_a_killed_one_is_not(place: str) -> None:
    """Whoever starts a bot twice reads which process to end; after a crash nobody is in the way."""
    with _run(place, code=HOLD) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds\n"
        with pytest.raises(CallInUse, match=f"in use by process {other.pid} on"):
            await ReplyStore.open(place, "call")
        other.kill()
        other.wait()
        async with await ReplyStore.open(place, "call") as store:
            assert ids((await store.state()).pending) == [1]
            await store.apply(keep(2))
