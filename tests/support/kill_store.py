"""Processes that run the reply list on a kept call and are killed, one after another.

``python -m support.kill_store PLACE LOG KILLS SEED`` runs them. Each life takes the call up where
the last one was killed. What it found and did goes into a log that no transaction touches: a line
before a step (``will``) and one when it is stored (``did``); a person hears a turn when the line
``did TurnSpoke`` is written.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from sqlalchemy import event as sql_event
from sqlalchemy.engine import Engine

from jev_turn.policy import load_policy
from jev_turn.replies import effects as fx
from jev_turn.replies import events as ev
from jev_turn.replies.context import Piece, resumed
from jev_turn.replies.machine import dispatch
from jev_turn.replies.store import CallInUse, ReplyStore

LIVES_OF_A_CALL = 20
UTTERANCES = 100
_LONGEST_S = 0.08
_MOST_STATEMENTS = 150
_PATIENCE_S = 20


class Log:
    """A file that each line reaches at once and whole, and a pipe that says when life began."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.began, self._begin = os.pipe()

    def __call__(self, what: str, **more: Any) -> None:
        """Write one line."""
        os.write(self._file, json.dumps({"what": what, **more}).encode() + b"\n")
        if what == "found":
            os.write(self._begin, b"!")


class Life:
    """One process's work: a person who speaks, a judge, a model, and the reply list."""

    def __init__(self, store: ReplyStore, log: Log, dice: random.Random) -> None:
        self._store = store
        self._log = log
        self._dice = dice
        self._config = load_policy(env={}).replies()
        self._segment = 0
        self._events = list[ev.Event]()

    async def begin(self) -> None:
        """Take the call up, and write down what is there."""
        saved = await self._store.state()
        assert saved.in_flight is None
        self.context = resumed(
            saved.pending,
            next_cut=saved.next_cut,
            next_turn=saved.next_turn,
            words=tuple(Piece(segment, text) for segment, text in saved.words),
        )
        self._segment = saved.next_segment
        self._log(
            "found",
            call=self._store.call,
            pending=[cut.id for cut in saved.pending],
            spoken=[cut for turn in saved.turns if turn.spoke for cut in turn.cuts],
            failed=[
                cut for turn in saved.turns if turn.ended and not turn.spoke for cut in turn.cuts
            ],
            cuts=[cut.id for cut in saved.cuts],
            discards=len(saved.discards),
        )
        await self._feed(ev.Tick(0))

    async def say(self) -> None:
        """Say something, and be quiet for a while."""
        at, words = self.context.at + 200, f"what is number {self._dice.randrange(10**6)}"
        await self._feed(ev.Onset(at))
        heard = ev.HeardFor(at + 1500, words, False, self._segment, 1500)
        await self._feed(heard)
        if self._dice.random() < 0.5:
            await self._wait(1200)
        hurried = self._dice.random() < 0.1
        duration_ms = 100 if hurried else 2500
        await self._feed(
            ev.HeardFor(self.context.at + 100, f"{words} please", True, self._segment, duration_ms)
        )
        self._segment += 1
        await self._feed(ev.Quieted(self.context.at + 200, 200))
        await self._wait(self._dice.choice((300, 1500, 5000)))

    async def finish(self) -> None:
        """Wait until all that was said is answered."""
        await self._wait(120_000)

    async def _wait(self, ms: int) -> None:
        until = self.context.at + ms
        while self.context.deadline is not None and self.context.deadline <= until:
            await self._feed(ev.Tick(max(self.context.at, self.context.deadline)))

    async def _feed(self, event: ev.Event) -> None:
        self._events.append(event)
        while self._events:
            first = self._events.pop(0)
            self.context, effects = dispatch(self.context, first, self._config)
            await self._carry_out(effects)

    async def _carry_out(self, effects: tuple[fx.Effect, ...]) -> None:
        about = [_told(effect) for effect in effects if isinstance(effect, fx.STORED)]
        if about:
            self._log("will", call=self._store.call, effects=about)
            await self._store.apply(effects)
            self._log("did", call=self._store.call, effects=about)
        for effect in effects:
            if isinstance(effect, fx.AskEar):
                self._judge(effect)
            elif isinstance(effect, fx.StartTurn):
                self._answer(effect.turn)

    def _judge(self, ask: fx.AskEar) -> None:
        at, luck = self.context.at + 250, self._dice.random()
        failed = ev.EarFailed(at, ask.ask, "timeout")
        judged = ev.EarJudged(at, ask.ask, 0.2 if luck < 0.2 else 0.9)
        self._events.append(failed if luck > 0.9 else judged)

    def _answer(self, turn: int) -> None:
        at, luck = self.context.at, self._dice.random()
        run = ev.RunEnded(at + 900, turn, "an answer", luck > 0.25, "down")
        spoke = ev.SpokeFirst(at + 900, turn)
        if luck < 0.2:
            self._events.append(run)
        else:
            self._events += [run, spoke] if luck < 0.6 else [spoke, run]


def _told(effect: fx.Effect) -> list[Any]:
    match effect:
        case fx.KeepCut(cut):
            return ["KeepCut", cut.id]
        case fx.StartTurn(turn, cuts):
            return ["StartTurn", turn, [cut.id for cut in cuts]]
        case fx.TurnSpoke(turn) | fx.EndTurnRecord(turn) | fx.RestoreCuts(turn):
            return [type(effect).__name__, turn]
        case _:
            return [type(effect).__name__]


async def live(place: str, call: str, log: Log, dice: random.Random, *, last: bool) -> None:
    """Take the call up and keep it going; the last life only answers what still waits."""
    async with await _opened(place, call) as store:
        life = Life(store, log, dice)
        await life.begin()
        for _ in range(0 if last else UTTERANCES):
            await life.say()
        await life.finish()
        await life.begin()


async def _opened(place: str, call: str) -> ReplyStore:
    """Open the call, as soon as the server has seen that the last process is dead."""
    patience = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await ReplyStore.open(place, call)
        except CallInUse:
            if time.monotonic() > patience:
                raise
            await asyncio.sleep(0.01)


def die_at_statement(number: int) -> None:
    """Have this process killed at a statement: just before it, just after it, or at a commit."""
    left = [number]

    def count(*_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        sql_event.listen(Engine, name, count)


def fork(work: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """Run ``work`` in a process of its own and return its id."""
    if pid := os.fork():
        return pid
    status = 1
    try:
        asyncio.run(work())
        status = 0
    finally:
        os._exit(status)


def kill_one(place: str, call: str, log: Log, dice: random.Random) -> bool:
    """Begin a life and have it killed; tell whether it was, and did not end before."""
    at_statement = dice.random() < 0.5
    number = dice.randrange(1, _MOST_STATEMENTS)
    own = random.Random(dice.random())

    async def work() -> None:
        if at_statement:
            die_at_statement(number)
        await live(place, call, log, own, last=False)

    pid = fork(work)
    if not at_statement:
        if dice.random() < 0.8:
            select.select([log.began], [], [], _PATIENCE_S)
        time.sleep(dice.uniform(0, _LONGEST_S))
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    while select.select([log.began], [], [], 0)[0]:
        os.read(log.began, 100)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit("a life failed")
    return os.WIFSIGNALED(status)


def main(place: str, path: str, kills: int, seed: int) -> None:
    """Kill so many lives, and let one more of each call come to its end."""
    log, dice = Log(path), random.Random(seed)
    killed = 0
    while killed < kills:
        killed += kill_one(place, f"call {killed // LIVES_OF_A_CALL}", log, dice)
    for number in range((kills - 1) // LIVES_OF_A_CALL + 1):
        last = partial(live, place, f"call {number}", log, random.Random(number), last=True)
        if os.waitpid(fork(last), 0)[1]:
            raise SystemExit("the last life of a call failed")
    print(killed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
