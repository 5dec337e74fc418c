"""Holds the first part of a call in a process of its own, and kills that process."""

from __future__ import annotations

import asyncio
import copyreg
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rich.console import Console

from jev_turn.demo.kept import Before, Kept
from jev_turn.demo.plan import Conversation, Killed
from jev_turn.errors import ConfigError
from jev_turn.policy import Policy
from jev_turn.record import read

if TYPE_CHECKING:
    from jev_turn.demo.call import Studio

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no other signal, and ends a process by this one as abruptly."""

PATIENCE_S = 180.0
"""Longer than the voice needs for its lines and the part for its sounds, s."""


@dataclass(frozen=True, slots=True)
class Victim:
    """What the process that will be killed is given to do.

    Attributes:
        conversation: With ``killed`` set.
        judge: See ``judge.choose``.
        policy: Every setting.
        fast: Virtual time.
        path: For its part of the record.
        kept: Where the call is kept.
        width: Of the terminal, characters.
    """

    conversation: Conversation
    judge: str | None
    policy: Policy
    fast: bool
    path: Path
    kept: Kept
    width: int


def first_part(victim: Victim) -> Before:
    """Hold it, and return what is left when its process is dead.

    Raises:
        ConfigError: The process ended in another way than by being killed.
    """
    sys.stdout.flush()
    # A policy's tables are read-only views, which Python does not send to a process by itself.
    copyreg.pickle(MappingProxyType, lambda view: (_view, (dict(view),)))
    process = multiprocessing.get_context("spawn").Process(target=_live, args=(victim,))
    process.start()
    process.join(PATIENCE_S)
    if process.is_alive():
        process.kill()
        process.join()
        raise ConfigError(f"{victim.conversation.name}: the first process never came to its end")
    if process.exitcode is None or abs(process.exitcode) != KILL:
        raise ConfigError(f"{victim.conversation.name}: the first process ended by itself")
    return Before(process.exitcode, tuple(read(victim.path)))


def _view(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


def _live(victim: Victim) -> None:
    from jev_turn.cli import quiet_logs

    # Before Pipecat is imported: it greets at once.
    quiet_logs(False)
    from jev_turn.demo.call import Cast, Studio
    from jev_turn.demo.clips import make, wanted
    from jev_turn.demo.judge import choose
    from jev_turn.demo.show import Screen
    from jev_turn.embedded.voice import EmbeddedVoice
    from jev_turn.play.clock import run as run_in_virtual_time
    from jev_turn.record import CallRecord

    killed = victim.conversation.killed
    assert killed is not None
    part = replace(victim.conversation, steps=killed.steps, killed=None)
    choice, voice = choose(victim.judge), EmbeddedVoice()
    cast = Cast(choice.make, victim.policy, voice, {s: make(s, voice) for s in wanted([part])})
    console = Console(width=victim.width)
    screen = Screen(console)
    run: Callable[[Coroutine[Any, Any, None]], None]
    run = run_in_virtual_time if victim.fast and not choice.over_network else asyncio.run
    with CallRecord(victim.path, words=True, on_write=screen.record) as record:
        studio = Studio(part, cast, record, screen.sound, screen.written, kept=victim.kept)
        run(_hold_and_die(studio, killed, console.file.flush))


async def _hold_and_die(studio: Studio, killed: Killed, flush: Callable[[], None]) -> None:
    holding = asyncio.ensure_future(studio.hold())
    await studio.all_played(len(killed.steps))
    await asyncio.sleep(killed.after_ms / 1000)
    flush()
    # As the kernel ends a process that uses too much memory: nothing is closed, stored or said.
    os.kill(os.getpid(), KILL)
    await holding
