"""``jev-turn soak --mode finish-turn``: random calls, real kills, and one line at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from loguru import logger
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from jev_turn.play.ft_soak import Call, Run, Totals, soak

TURNS = 1_000
"""How many turns unless somebody says otherwise."""

SERVER = "JEV_TURN_TEST_DATABASE_URL"
"""Names the server where ``--store`` does not."""

_LOUD = ("pipecat", "jev_turn")
_SHOWN = 10


def finish_turn_soak(
    turns: int | None,
    seed: int,
    *,
    kill: bool = False,
    store: str | None = None,
    minutes: float = 10.0,
    call: int | None = None,
    console: Console | None = None,
) -> int:
    """Hold random finish-turn calls and print what went wrong; the summary is the last line.

    Args:
        turns: How many turns must have ended; ``None`` is 1,000.
        seed: The same seed gives the same calls; a kill comes when it comes.
        kill: Hold the calls from processes that are killed.
        store: A folder, or a ``postgresql://`` URL; ``$JEV_TURN_TEST_DATABASE_URL`` or a folder of
            the run's own by default.
        minutes: No call begins after this time.
        call: Hold this call alone.
        console: Where to print.

    Returns:
        0, or 1 when something was lost, doubled or stuck; what the calls left is then kept.
    """
    console = console or Console()
    folder = Path(tempfile.mkdtemp(prefix="jev-turn-soak-"))
    place = store or os.environ.get(SERVER) or str(folder / "store")
    run = Run(turns or TURNS, seed, kill, place, folder, minutes, call)
    # Judge, model and voice fail on purpose, and Pipecat says so each time.
    for name in _LOUD:
        logger.disable(name)
    try:
        totals = _soak(run, console)
    finally:
        for name in _LOUD:
            logger.enable(name)
    if call is None and totals.turns < run.turns:
        _print(console, f"the time was up after {totals.turns} of {run.turns} turns")
    if totals.ok:
        shutil.rmtree(folder)
    else:
        _print(console, f"what these calls left is kept in {folder}")
    _print(console, totals.line())
    return 0 if totals.ok else 1


def _soak(run: Run, console: Console) -> Totals:
    columns = (TextColumn("soak"), BarColumn(), MofNCompleteColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("soak", total=run.turns)

        def tell(call: Call) -> None:
            progress.advance(task, call.found.turns)
            if not call.found.ok:
                _show(call, run, console)

        return soak(run, tell)


def _show(call: Call, run: Run, console: Console) -> None:
    again = f"jev-turn soak --mode finish-turn --seed {run.seed} --call {call.number}"
    _print(console, f"failed: {again}{' --kill' * run.kill}  ({call.log.name})")
    for name in ("lost", "doubled", "stuck"):
        found = getattr(call.found, name)
        for line in found[:_SHOWN]:
            _print(console, f"  {name}: {line}")
        if len(found) > _SHOWN:
            _print(console, f"  and {len(found) - _SHOWN} more {name}")


def _print(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
