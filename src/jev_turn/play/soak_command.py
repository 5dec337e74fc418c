"""``jev-turn soak``: random calls, the first failures made small, and one line at the end."""

from __future__ import annotations

from loguru import logger
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jev_turn.play import soak_replay
from jev_turn.play.soak import Totals, played, soak, turns_of
from jev_turn.play.soak_outcome import Outcome
from jev_turn.play.soak_script import Script
from jev_turn.play.soak_shrink import shrunk
from jev_turn.play.soak_writer import write

TURNS = 1_000
"""How many turns unless somebody says otherwise."""

SHOWN = 3
"""How many failing calls are made small and shown."""

SHRINK_S = 20.0
"""How long to try on each of them, s."""

_LOUD = ("pipecat", "jev_turn")


def soak_command(
    turns: int | None,
    seed: int,
    *,
    minutes: float = 10.0,
    call: int | None = None,
    words: bool = False,
    console: Console | None = None,
) -> int:
    """Play random calls and print what went wrong; the summary is the last line.

    Args:
        turns: How many turns, or how many of ``call``; ``None`` is 1,000, or all of that call.
        seed: The same seed gives the same calls.
        minutes: No call begins after this time.
        call: Play this call alone and show all that happens in it.
        words: Show what was said.
        console: Where to print.

    Returns:
        0, or 1 when something was lost, doubled or stuck.
    """
    console = console or Console()
    # Judge, model and voice fail on purpose, and Pipecat says so each time.
    for name in _LOUD:
        logger.disable(name)
    try:
        if call is not None:
            script = write(seed, call, turns or turns_of(seed, call))
            return _replay(script, console, words=words)
        return _all(turns or TURNS, seed, minutes, console, words=words)
    finally:
        for name in _LOUD:
            logger.enable(name)


def _all(turns: int, seed: int, minutes: float, console: Console, *, words: bool) -> int:
    failed: list[Outcome] = []
    totals = _soak(turns, seed, minutes, failed, console)
    for outcome in failed[:SHOWN]:
        _show(outcome, console, words=words)
    for outcome in failed[SHOWN:]:
        _print(console, f"also failed: {soak_replay.command(outcome.script)}")
    if totals.turns < turns:
        _print(console, f"the time was up after {totals.turns} of {turns} turns")
    _print(console, totals.line())
    return 0 if totals.ok else 1


def _soak(turns: int, seed: int, minutes: float, failed: list[Outcome], console: Console) -> Totals:
    columns = (TextColumn("soak"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("soak", total=turns)

        def count(outcome: Outcome) -> None:
            progress.advance(task, outcome.script.turns)
            if outcome.failures:
                failed.append(outcome)

        return soak(turns, seed, minutes=minutes, on_call=count)


def _replay(script: Script, console: Console, *, words: bool) -> int:
    outcome = played(script)
    for line in (
        *soak_replay.timeline(outcome, words=words),
        *soak_replay.wrong(outcome, words=words),
    ):
        _print(console, line)
    totals = Totals()
    totals.add(outcome)
    _print(console, totals.line())
    return 0 if totals.ok else 1


def _show(outcome: Outcome, console: Console, *, words: bool) -> None:
    """Print a failing call as small as it can be made."""
    failures = outcome.failures
    small = shrunk(
        outcome.script, lambda script: bool(played(script).failures & failures), SHRINK_S
    )
    _print(console, f"failed: {soak_replay.command(outcome.script)}")
    for line in soak_replay.wrong(outcome, words=words):
        _print(console, f"  {line}")
    _print(console, "  made small:")
    for line in (
        *soak_replay.steps(small, words=words),
        *soak_replay.wrong(played(small), words=words),
    ):
        _print(console, f"  {line}")


def _print(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
