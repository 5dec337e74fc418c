"""The options of ``jev-turn calls``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jev_turn.calls.command import calls_export, calls_forget, calls_list, calls_show

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(help="List, show, export and forget kept calls.", no_args_is_help=True)

PlaceOption = Annotated[
    str | None,
    typer.Option(
        "--place",
        metavar="DIR|URL",
        help="A folder or a postgresql:// URL. Without it: DATABASE_URL, else the user's state.",
    ),
]
PeerOption = Annotated[str | None, typer.Option("--peer", help="Everything of this peer instead.")]


@app.command("list")
def list_command(place: PlaceOption = None) -> None:
    """List every call, the last used first, without words."""
    calls_list(place, _console())


@app.command("show")
def show_command(
    call: str,
    place: PlaceOption = None,
    words: Annotated[bool, typer.Option("--words", help="Show what was said.")] = False,
) -> None:
    """Show one call's turns, waiting cuts and dropped texts."""
    calls_show(place, call, _console(), words=words)


@app.command("export")
def export_command(
    call: Annotated[str | None, typer.Argument()] = None,
    place: PlaceOption = None,
    peer: PeerOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file, for its owner alone.")
    ] = None,
) -> None:
    """Write everything that is kept of a call or a peer as JSON, words included."""
    calls_export(place, call, peer, out)


@app.command("forget")
def forget_command(
    call: Annotated[str | None, typer.Argument()] = None,
    place: PlaceOption = None,
    peer: PeerOption = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="All calls whose time is over instead.")
    ] = False,
) -> None:
    """Delete a call or a peer for good, also from memory."""
    calls_forget(place, call, peer, _console(), expired=expired)


def _console() -> Console:
    from rich.console import Console

    return Console()
