"""Scenario files: timed events in, every effect out, in virtual time.

A file is prose with fenced ``scenario`` blocks. In a block, ``<ms> <event>`` feeds the machine and
``> <ms> <effect>`` is what it answered. ``REWRITE_SCENARIOS=1`` writes the answers back.

Events: ``onset``, ``quiet MS``, ``stalled``, ``back``, ``heard "TEXT"``, ``final "TEXT"``,
``judged ask=N complete=P [holding=P] [addressed=P] [taking=P] [enough=P]``,
``failed ask=N ERROR``, ``lost REASON`` (the reply that was begun early),
``agent STATE``, ``opened``, ``open-refused WHY``, ``ended``, ``end-refused WHY``, ``elsewhere WHY``,
``hang-up`` and ``tick`` (only lets time pass). ``set key=value ...`` before the first event changes
settings, ``acks manual`` stops the runner from confirming ``OpenTurn`` and ``EndTurn`` at once, and
``ticks manual`` from waking the machine at its deadline, as if the timer were late.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context
from jev_turn.turn.effects import Effect, EndTurn, OpenTurn
from jev_turn.turn.machine import dispatch
from jev_turn.turn.verdict import Verdict

_BLOCK = re.compile(r"(?<=^```scenario\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


@dataclass
class Runner:
    """Feeds one machine, fires its deadline, collects its effects."""

    config: TurnConfig
    acks: bool = True
    ticks: bool = True
    ctx: Context = field(default_factory=Context)
    segment: int = 1
    log: list[tuple[int, Effect]] = field(default_factory=list)

    def run_until(self, at: int) -> None:
        """Send every ``Tick`` that is due up to and including ``at``."""
        while self.ticks and self.ctx.deadline is not None and self.ctx.deadline <= at:
            before = self.ctx
            self.send(ev.Tick(self.ctx.deadline))
            if self.ctx == before:
                raise AssertionError(f"the machine is stuck at its deadline: {before}")

    def send(self, event: ev.Event) -> None:
        """Feed one event and, unless acks are manual, what the transport answers at once."""
        self.ctx, effects = dispatch(self.ctx, event, self.config)
        if isinstance(event, ev.Heard) and event.final:
            self.segment += 1
        for effect in effects:
            self.log.append((self.ctx.at, effect))
        for effect in effects if self.acks else ():
            if isinstance(effect, OpenTurn):
                self.send(ev.Opened(self.ctx.at))
            elif isinstance(effect, EndTurn):
                self.send(ev.Ended(self.ctx.at))


def blocks(path: Path) -> list[str]:
    """Return the scenario blocks of a file."""
    return _BLOCK.findall(path.read_text())


def replay(block: str, config: TurnConfig) -> str:
    """Run a block and return it with the effects that really came."""
    runner, out = Runner(config), list[str]()
    for line in block.splitlines():
        if line.lstrip().startswith(">"):
            continue
        if line.startswith("set "):
            runner.config = replace(runner.config, **_pairs(line[4:]))
        elif line.startswith("acks "):
            runner.acks = line.split()[1] != "manual"
        elif line.startswith("ticks "):
            runner.ticks = line.split()[1] != "manual"
        elif line.strip():
            _play(line, runner, out)
            continue
        out.append(line)
    return "\n".join(out) + "\n"


def check(path: Path, config: TurnConfig, *, rewrite: bool) -> Iterator[tuple[str, str]]:
    """Yield (expected, actual) for each block; write the file back when ``rewrite``."""
    text = path.read_text()
    for block in blocks(path):
        actual = replay(block, config)
        if rewrite:
            text = text.replace(block, actual)
        yield block, actual
    if rewrite:
        path.write_text(text)


def _play(line: str, runner: Runner, out: list[str]) -> None:
    stamp, _, rest = line.strip().partition(" ")
    at = int(stamp)
    _show(runner, out, lambda: runner.run_until(at))
    out.append(f"{at:<5} {rest.strip()}")
    _show(runner, out, lambda: runner.send(_event(at, rest.strip(), runner)))


def _show(runner: Runner, out: list[str], act: Callable[[], None]) -> None:
    seen = len(runner.log)
    act()
    out += [f"        > {at:<7}{effect!r}" for at, effect in runner.log[seen:]]


def _event(at: int, text: str, runner: Runner) -> ev.Event:
    name, _, rest = text.partition(" ")
    if name in ("heard", "final"):
        return ev.Heard(at, json.loads(rest), name == "final", runner.segment)
    if name == "judged":
        return _judged(at, _pairs(rest))
    if name == "failed":
        ask, _, error = rest.partition(" ")
        return ev.JudgeFailed(at, int(ask.removeprefix("ask=")), error)
    return _PLAIN[name](at, rest)


def _judged(at: int, p: dict[str, Any]) -> ev.Judged:
    verdict = Verdict(
        p["complete"],
        p.get("holding", 0.0),
        p.get("addressed", 1.0),
        p.get("taking"),
        p.get("enough"),
    )
    return ev.Judged(at, p["ask"], verdict)


_PLAIN: dict[str, Callable[[int, str], ev.Event]] = {
    "onset": lambda at, _: ev.Onset(at),
    "quiet": lambda at, rest: ev.Quieted(at, int(rest)),
    "stalled": lambda at, _: ev.Stalled(at, True),
    "back": lambda at, _: ev.Stalled(at, False),
    "agent": lambda at, rest: ev.Agent(at, rest),  # type: ignore[arg-type]
    "opened": lambda at, _: ev.Opened(at),
    "open-refused": ev.OpenRefused,
    "ended": lambda at, _: ev.Ended(at),
    "end-refused": ev.EndRefused,
    "elsewhere": ev.EndedElsewhere,
    "lost": ev.SpeculationLost,
    "hang-up": lambda at, _: ev.HungUp(at),
    "tick": lambda at, _: ev.Tick(at),
}


def _pairs(text: str) -> dict[str, Any]:
    found = dict(pair.split("=", 1) for pair in text.split())
    return {key: _value(value) for key, value in found.items()}


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
        return tuple(value) if isinstance(value, list) else value
    except json.JSONDecodeError:
        return text
