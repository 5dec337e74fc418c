"""What a person sees in the terminal while the calls run, and after them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jev_turn.demo.call import Call
from jev_turn.demo.kept import Before
from jev_turn.demo.measure import Promise
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Conversation
from jev_turn.record import Record, wording
from jev_turn.record.live import Live
from jev_turn.record.table import closing_table

_WIDTH = 21
_LAST_WORDS = 5
_KEY = """\
A line says when in the call, what happened, the words, why, and in grey the judge's scores, from 0 to 1, beside
their thresholds. complete: the sentence is over; holding: the person asks for time; addressed: meant for the
bot; taking floor: it interrupts; without barge-in, enough: there is something to answer, and finished: no
more will follow."""
_VIRTUAL = """\
Time is virtual: nobody waits for it. What the recogniser computes counts as long as it takes here; what a
judge on this machine computes does not, and its time is not shown."""
_BUSY = """\
The recogniser's own computing counts in times: on a machine that is busy with other work they grow."""


class Screen:
    """The lines of a run.

    Args:
        console: Where they go.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live()
        self._spoken: list[str] = []
        self._written: list[str] = []
        self._muted_at = 0

    def opening(self, *, virtual: bool) -> None:
        """Say how to read what follows."""
        for text in (_KEY, *([_VIRTUAL] if virtual else [])):
            self._console.print(" ".join(text.split()), highlight=False)

    def heading(self, conversation: Conversation) -> None:
        """Begin a call."""
        self._live, self._spoken, self._written = Live(), [], []
        self._console.print()
        self._console.rule(f"[bold]{escape(conversation.name)}[/]", align="left")
        self._console.print(f"[italic]{escape(conversation.shows)}[/]", highlight=False)

    @property
    def width(self) -> int:
        """Of the terminal, characters."""
        return self._console.width

    def killed(self, before: Before) -> None:
        """Tell of a process that is dead, and that another takes its call up."""
        at_ms = max((record["t"] for record in before.records), default=0)
        what = f"by signal {abs(before.exit_code)}; another process takes the call up, and its clock begins at 0"
        self._line(at_ms, "bold red", "process killed", what)
        self._live, self._spoken, self._written = Live(), [], []

    def sound(self, played: Played) -> None:
        """Tell of a sound as it begins."""
        self._line(played.onset_ms, "blue", "microphone", played.step.sound.title)

    def written(self, text: str | None) -> None:
        """Take what the model has just written; ``None`` begins a reply."""
        self._written = [] if text is None else [*self._written, text]

    def record(self, record: Record) -> None:
        """Tell what a line of the call record means, if it is for people."""
        for line in self._live.feed(record):
            self._console.print(line, highlight=False, soft_wrap=True)
        if record["kind"] == "spoken":
            self._spoken.append(record["text"])
        elif record["kind"] == "bot":
            self._bot(record["t"], record["state"])
        elif record["kind"] == "mute":
            self._mute(record["t"], record["state"])

    def _bot(self, at_ms: int, state: str) -> None:
        if state == "start":
            self._spoken = []
            so_far = wording.printable("".join(self._written))
            self._line(at_ms, "magenta", "bot speaks", f"\u201c{so_far} \u2026")
        elif state == "stop" and self._spoken:
            last = wording.printable(" ".join(self._spoken[-_LAST_WORDS:]))
            self._line(at_ms, "magenta", "bot is silent", f"\u2026 {last}\u201d")
            self._spoken = []

    def _mute(self, at_ms: int, state: str) -> None:
        if state == "start":
            self._muted_at = at_ms
            self._line(at_ms, "dim", "microphone muted", "")
        else:
            lasted = f"muted for {(at_ms - self._muted_at) / 1000:.1f} s"
            self._line(at_ms, "dim", "microphone live", lasted)

    def _line(self, at_ms: int, style: str, who: str, what: str) -> None:
        self._console.print(
            f"[dim]{wording.clock(at_ms):>9}[/]  [{style}]{who:<{_WIDTH}}[/]  {escape(what)}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip

    def closing(self, calls: Sequence[Call], kept: Sequence[Promise], out: Path) -> None:
        """Close a run with its tables."""
        table = closing_table([c.records for c in calls], [c.oracle for c in calls], title="Calls")
        for one in (table, promise_table(kept)):
            one.box, one.padding = SIMPLE_HEAD, (0, 1, 0, 0)
            self._console.print()
            self._console.print(one)
        for promise in kept:
            for fault in promise.faults:
                what = f"[red]{escape(promise.what)}:[/] {escape(fault)}"
                self._console.print(what, highlight=False, soft_wrap=True)
        if any(promise.timed and not promise.kept for promise in kept):
            self._console.print(_BUSY, highlight=False)
        self._console.print(_result(kept), highlight=False)
        self._console.print(
            f"Records (.jsonl) and pictures, for a browser (.html): {escape(str(out))}/",
            highlight=False,
        )


def _result(kept: Sequence[Promise]) -> str:
    """Sum the promises up."""
    tested = [promise for promise in kept if promise.cases or promise.faults]
    left = len(kept) - len(tested)
    held = sum(promise.kept for promise in tested)
    return f"{held} of {len(tested)} promises kept" + (f", {left} not tested." if left else ".")


def promise_table(kept: Sequence[Promise]) -> Table:
    """Build the table of what was promised and what was measured."""
    table = Table(title="Promises", title_justify="left")
    for heading in ("promised", "measured", ""):
        table.add_column(heading)
    for one in kept:
        mark = "[green]kept[/]" if one.kept else "[bold red]broken[/]"
        mark = mark if one.cases or one.faults else "[dim]not tested[/]"
        table.add_row(escape(one.what), one.figure, mark)
    return table
