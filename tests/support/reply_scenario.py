"""Scenario files of the reply list and the mouth: timed events in, every effect out.

As in ``support.scenario``: prose with fenced blocks, and ``REWRITE_SCENARIOS=1`` writes the answers
back. A ``scenario`` block drives the list, a ``mouth`` block the mouth.

Both: ``onset``, ``quiet MS``, ``stalled``, ``back``, ``tick``, ``set key=value ...`` before the
first event, and ``ticks manual``.

The list: ``heard "TEXT" [for MS]``, ``final "TEXT" [for MS]``, ``ear ask=N enough=P [holding=P]``,
``ear-failed ask=N ERROR``, ``agent STATE``, ``run-ended "ANSWER"``, ``run-failed ERROR``,
``announced``, ``spoke``, ``held``, ``opened``, ``unspoken "ANSWER"``, ``stt-up``, ``stt-down WHY``, ``hang-up``. Those of a
turn mean the latest one, or ``turn=N`` in front of the rest.

The mouth: ``chunk TURN``, ``words "TEXT"``, ``left "TEXT"`` (of them, others being dropped), ``judged ask=N finished=P``, ``failed ask=N ERROR``,
``leaving``, ``over``, ``dropped``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from jev_turn.replies import events as ev
from jev_turn.replies import machine, mouth
from jev_turn.replies.config import MouthConfig, ReplyConfig
from jev_turn.replies.context import Context
from jev_turn.replies.effects import Effect, MouthEffect, StartTurn

E = TypeVar("E")

_SPOKEN = re.compile(r'(".*")(?: for (\S+))?')
_BLOCK = re.compile(r"^```(scenario|mouth)\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


@dataclass
class ListRunner:
    """Feeds one reply list, fires its deadline, collects its effects."""

    config: ReplyConfig
    ticks: bool = True
    ctx: Context = field(default_factory=Context)
    segment: int = 1
    turn: int = 0
    log: list[tuple[int, Effect]] = field(default_factory=list)

    def run_until(self, at: int) -> None:
        """Send every ``Tick`` that is due up to and including ``at``."""
        while self.ticks and self.ctx.deadline is not None and self.ctx.deadline <= at:
            before = self.ctx
            self.send(ev.Tick(self.ctx.deadline))
            if self.ctx == before:
                raise AssertionError(f"the list is stuck at its deadline: {before}")

    def send(self, event: ev.Event) -> tuple[Effect, ...]:
        """Feed one event."""
        self.ctx, effects = machine.dispatch(self.ctx, event, self.config)
        if isinstance(event, ev.HeardFor) and event.final:
            self.segment += 1
        for effect in effects:
            self.log.append((self.ctx.at, effect))
            if isinstance(effect, StartTurn):
                self.turn = effect.turn
        return effects

    def do(self, at: int, line: str = "tick") -> tuple[Effect, ...]:
        """Let time pass up to ``at`` and feed one line; return all that came of both."""
        seen = len(self.log)
        self.run_until(at)
        self.send(self.read(at, line))
        return tuple(effect for _, effect in self.log[seen:])

    def times(self, kind: type[Effect]) -> list[int]:
        """Return when effects of one kind came, ms."""
        return [at for at, effect in self.log if isinstance(effect, kind)]

    def all(self, kind: type[E]) -> list[E]:
        """Return all effects of one kind."""
        return [effect for _, effect in self.log if isinstance(effect, kind)]

    def read(self, at: int, text: str) -> ev.Event:
        """Read one line of a scenario."""
        name, _, rest = text.partition(" ")
        if name in ("heard", "final"):
            words, duration = _SPOKEN.fullmatch(rest).groups()  # type: ignore[union-attr]
            took = float(duration) if duration else None
            return ev.HeardFor(at, json.loads(words), name == "final", self.segment, took)
        if name == "ear":
            p = pairs(rest)
            return ev.EarJudged(at, p["ask"], p["enough"], p.get("holding", 0.0))
        if name == "ear-failed":
            ask, _, error = rest.partition(" ")
            return ev.EarFailed(at, int(ask.removeprefix("ask=")), error)
        if name in _OF_TURN:
            turn = self.turn
            if rest.startswith("turn="):
                number, _, rest = rest.removeprefix("turn=").partition(" ")
                turn = int(number)
            return _OF_TURN[name](at, turn, rest)
        return _PLAIN[name](at, rest)


@dataclass
class MouthRunner:
    """Feeds one mouth, fires its deadline, collects its effects."""

    config: MouthConfig
    ticks: bool = True
    ctx: mouth.Mouth = field(default_factory=mouth.Mouth)
    log: list[tuple[int, MouthEffect]] = field(default_factory=list)

    def run_until(self, at: int) -> None:
        """Send every ``Tick`` that is due up to and including ``at``."""
        while self.ticks and self.ctx.deadline is not None and self.ctx.deadline <= at:
            before = self.ctx
            self.send(ev.Tick(self.ctx.deadline))
            if self.ctx == before:
                raise AssertionError(f"the mouth is stuck at its deadline: {before}")

    def send(self, event: ev.MouthEvent) -> tuple[MouthEffect, ...]:
        """Feed one event."""
        self.ctx, effects = mouth.dispatch(self.ctx, event, self.config)
        self.log += [(self.ctx.at, effect) for effect in effects]
        return effects

    def do(self, at: int, line: str = "tick") -> tuple[MouthEffect, ...]:
        """Let time pass up to ``at`` and feed one line; return all that came of both."""
        seen = len(self.log)
        self.run_until(at)
        self.send(self.read(at, line))
        return tuple(effect for _, effect in self.log[seen:])

    def times(self, kind: type[MouthEffect]) -> list[int]:
        """Return when effects of one kind came, ms."""
        return [at for at, effect in self.log if isinstance(effect, kind)]

    def all(self, kind: type[E]) -> list[E]:
        """Return all effects of one kind."""
        return [effect for _, effect in self.log if isinstance(effect, kind)]

    def read(self, at: int, text: str) -> ev.MouthEvent:
        """Read one line of a scenario."""
        name, _, rest = text.partition(" ")
        if name == "judged":
            p = pairs(rest)
            return ev.MouthJudged(at, p["ask"], p["finished"])
        if name == "failed":
            ask, _, error = rest.partition(" ")
            return ev.MouthFailed(at, int(ask.removeprefix("ask=")), error)
        return _MOUTH[name](at, rest)


Runner = ListRunner | MouthRunner
Make = Callable[[str], Runner]


def check(path: Path, make: Make, *, rewrite: bool) -> Iterator[tuple[str, str]]:
    """Yield (expected, actual) for each block; write the file back when ``rewrite``.

    Args:
        path: The file.
        make: Makes a runner for a kind of block.
        rewrite: Write the file back.
    """
    text = path.read_text()
    for kind, block in _BLOCK.findall(text):
        actual = replay(block, make(kind))
        if rewrite:
            text = text.replace(block, actual)
        yield block, actual
    if rewrite:
        path.write_text(text)


def replay(block: str, runner: Runner) -> str:
    """Run a block and return it with the effects that really came."""
    out = list[str]()
    for line in block.splitlines():
        if line.lstrip().startswith(">"):
            continue
        if line.startswith("set "):
            runner.config = replace(runner.config, **pairs(line[4:]))
        elif line.startswith("ticks "):
            runner.ticks = line.split()[1] != "manual"
        elif line.strip():
            _play(line, runner, out)
            continue
        out.append(line)
    return "\n".join(out) + "\n"


def _play(line: str, runner: Any, out: list[str]) -> None:
    stamp, _, rest = line.strip().partition(" ")
    at, text = int(stamp), rest.strip()
    _show(runner, out, lambda: runner.run_until(at))
    out.append(f"{at:<6} {text}")
    _show(runner, out, lambda: runner.send(runner.read(at, text)))


def _show(runner: Any, out: list[str], act: Callable[[], None]) -> None:
    seen = len(runner.log)
    act()
    out += [f"        > {at:<7}{_short(effect)}" for at, effect in runner.log[seen:]]


def _short(effect: Effect | MouthEffect) -> str:
    """Cuts by number: their words stand in the line that made them."""
    if not isinstance(effect, StartTurn):
        return repr(effect)
    cuts = ", ".join(f"{cut.id}" for cut in effect.cuts)
    fresh = "" if effect.fresh == effect.text else f", fresh={effect.fresh!r}"
    return f"StartTurn(turn={effect.turn}, cuts=({cuts}), text={effect.text!r}{fresh})"


_SOUND: dict[str, Callable[[int, str], ev.Onset | ev.Quieted | ev.Stalled | ev.Tick]] = {
    "onset": lambda at, _: ev.Onset(at),
    "quiet": lambda at, rest: ev.Quieted(at, int(rest)),
    "stalled": lambda at, _: ev.Stalled(at, True),
    "back": lambda at, _: ev.Stalled(at, False),
    "tick": lambda at, _: ev.Tick(at),
}
_PLAIN: dict[str, Callable[[int, str], ev.Event]] = {
    **_SOUND,
    "agent": lambda at, rest: ev.Agent(at, rest),  # type: ignore[arg-type]
    "stt-up": lambda at, _: ev.SttUp(at),
    "stt-down": ev.SttDown,
    "hang-up": lambda at, _: ev.HungUp(at),
}
_OF_TURN: dict[str, Callable[[int, int, str], ev.Event]] = {
    "run-ended": lambda at, turn, rest: ev.RunEnded(at, turn, json.loads(rest), True),
    "run-failed": lambda at, turn, rest: ev.RunEnded(at, turn, "", False, rest),
    "announced": lambda at, turn, _: ev.AboutToSpeak(at, turn),
    "spoke": lambda at, turn, _: ev.SpokeFirst(at, turn),
    "held": lambda at, turn, _: ev.ReplyHeld(at, turn),
    "opened": lambda at, turn, _: ev.ReplyOpened(at, turn),
    "unspoken": lambda at, turn, rest: ev.ReplyUnspoken(at, turn, json.loads(rest)),
}
_MOUTH: dict[str, Callable[[int, str], ev.MouthEvent]] = {
    **_SOUND,
    "chunk": lambda at, rest: ev.FirstChunk(at, int(rest)),
    "words": lambda at, rest: ev.Words(at, json.loads(rest)),
    "left": lambda at, rest: ev.Words(at, json.loads(rest), False),
    "leaving": lambda at, _: ev.Leaving(at),
    "over": lambda at, _: ev.TurnOver(at),
    "dropped": lambda at, _: ev.Dropped(at),
}


def pairs(text: str) -> dict[str, Any]:
    """Read ``key=value`` pairs whose values are JSON or bare words."""
    found = dict(pair.split("=", 1) for pair in text.split())
    return {key: _value(value) for key, value in found.items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
