"""The state table: from each phase, each event that matters, to which phase, with which orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context, Phase
from jev_turn.turn.effects import Effect
from jev_turn.turn.machine import dispatch
from jev_turn.turn.verdict import Verdict

DONE, DOUBT = Verdict(0.95, 0.0, 0.9), Verdict(0.3, 0.0, 0.9)
ASIDE, NOD, BARGE = Verdict(0.9, 0.0, 0.1), Verdict(0.9, 0.0, 0.9, 0.1), Verdict(0.3, 0.0, 0.9, 0.9)

# Each way leads to a phase; the last event is stamped 1000 or earlier, and it has been loud.
ONSET, OPENED = ev.Onset(0), ev.Opened(10)
TEXT = (ONSET, OPENED, ev.Heard(800, "what is an index", False, 1))
ASKED = (*TEXT, ev.Tick(950))
WAYS: dict[str, tuple[ev.Event, ...]] = {
    "armed": (),
    "opening": (ONSET,),
    "opening, words": (ONSET, ev.Heard(5, "what", False, 1)),
    "open_empty": (ONSET, OPENED),
    "open_text": TEXT,
    "judging": ASKED,
    "judging, quiet": (*ASKED, ev.Quieted(1000, 800)),
    "waiting": (*ASKED, ev.Judged(1000, 1, DOUBT)),
    "confirming": (*ASKED, ev.Judged(1000, 1, DONE)),
    "held": (*ASKED, ev.Judged(1000, 1, ASIDE)),
    "ending": (*ASKED, ev.Quieted(1000, 800), ev.Judged(1000, 1, DONE)),
    "over the agent": (
        ev.Agent(0, "speaking"),
        ONSET,
        OPENED,
        ev.Heard(900, "what is an index", False, 1),
    ),
}
MORE = ev.Heard(1001, "what is an index in a database", False, 1)

ROWS: list[tuple[str, str, list[ev.Event], str, str]] = [
    ("F01", "armed", [ev.Onset(1)], "opening", "OpenTurn"),
    ("F02", "opening", [ev.Opened(10)], "open_empty", ""),
    ("F02", "opening, words", [ev.Opened(10)], "open_text", "Claim"),
    ("F03", "opening", [ev.OpenRefused(10, "")], "armed", "Note"),
    ("F04", "open_empty", [ev.Tick(3999)], "open_empty", ""),
    ("F04", "open_empty", [ev.Tick(4000)], "armed", "Note Retract"),
    ("F05", "opening", [ev.Heard(5, "what", False, 1)], "opening", ""),
    ("F05", "open_empty", [ev.Heard(50, "what", False, 1)], "open_text", "Claim"),
    ("F06", "open_text", [ev.Tick(949)], "open_text", ""),
    ("F06", "open_text", [ev.Tick(950)], "judging", "AskJudge"),
    ("F07", "judging", [MORE], "open_text", ""),
    ("F07", "waiting", [MORE], "open_text", ""),
    ("F07", "confirming", [MORE], "open_text", ""),
    ("F07", "held", [MORE], "open_text", "Claim"),
    ("F08", "over the agent", [ev.Judged(1000, 1, BARGE)], "waiting", "Interrupt Claim"),
    ("F09", "over the agent", [ev.Judged(1000, 1, NOD)], "held", ""),
    ("F09", "judging", [ev.Judged(1000, 1, ASIDE)], "held", ""),
    ("F10", "judging, quiet", [ev.Judged(1000, 1, DONE)], "ending", "EndTurn"),
    ("F11", "judging", [ev.Judged(1000, 1, DONE)], "confirming", ""),
    ("F12", "judging, quiet", [ev.Judged(5200, 1, DOUBT)], "ending", "EndTurn"),
    ("F13", "judging", [ev.Judged(1000, 1, DOUBT)], "waiting", ""),
    ("F14", "confirming", [ev.Quieted(1100, 100), ev.Tick(1423)], "ending", "EndTurn"),
    ("F15", "confirming", [ev.Quieted(1100, 100), ev.Tick(1422)], "confirming", ""),
    ("F15", "confirming", [ev.Tick(3000)], "confirming", ""),
    ("F16", "waiting", [ev.Quieted(1100, 100), ev.Tick(2750)], "judging", "AskJudge"),
    ("F17", "waiting", [ev.Quieted(1100, 100), ev.Tick(2749)], "waiting", ""),
    ("F17", "waiting", [ev.Tick(3000)], "waiting", ""),
    ("F18", "ending", [ev.Ended(1100)], "armed", ""),
    ("F19", "ending", [ev.EndRefused(1100, "")], "armed", "Note"),
    ("F19", "ending", [ev.Tick(3999)], "ending", ""),
    ("F19", "ending", [ev.Tick(4000)], "armed", "Note"),
    ("F20", "ending", [ev.Onset(1100), ev.Ended(1200)], "opening", "OpenTurn"),
    ("F20", "ending", [ev.Heard(1100, "yes", True, 2), ev.Ended(1200)], "opening", "OpenTurn"),
    ("F20", "ending", [ev.Heard(1100, "What is an index?", True, 1)], "ending", "Note"),
    ("F21", "open_empty", [ev.EndedElsewhere(20, "")], "armed", "Note"),
    ("F21", "open_text", [ev.EndedElsewhere(900, "")], "armed", "Note"),
    ("F21", "judging", [ev.EndedElsewhere(1001, "")], "armed", "Note"),
    ("F21", "waiting", [ev.EndedElsewhere(1001, "")], "armed", "Note"),
    ("F21", "confirming", [ev.EndedElsewhere(1001, "")], "armed", "Note"),
    ("F21", "held", [ev.EndedElsewhere(1001, "")], "armed", "Note"),
    ("F21", "ending", [ev.EndedElsewhere(1001, "")], "armed", "Note"),
    ("F22", "waiting", [ev.Judged(1001, 1, DONE)], "waiting", "Note"),
    ("F22", "judging", [MORE, ev.Judged(1002, 1, DONE)], "open_text", "Note"),
]
ROWS += [("F23", way, [ev.HungUp(1001)], "armed", "Discard") for way in WAYS if way not in (
    "armed", "opening", "open_empty", "ending",
)]  # fmt: skip
ROWS += [("F23", way, [ev.HungUp(1001)], "armed", "") for way in (
    "armed", "opening", "open_empty", "ending",
)]  # fmt: skip


def lead(way: str, config: TurnConfig) -> Context:
    """Take a way and return where it leads."""
    ctx = Context()
    for event in WAYS[way]:
        ctx, _ = dispatch(ctx, event, config)
    return ctx


@pytest.mark.parametrize("way", WAYS)
def test_each_way_leads_to_its_phase(config: TurnConfig, way: str) -> None:
    """The rows below start where they say."""
    phase = "judging" if way == "over the agent" else way.split(",")[0]
    assert lead(way, config).phase == phase


@pytest.mark.parametrize(
    ("row", "way", "events", "phase", "orders"),
    ROWS,
    ids=[f"{row}-{way}-{type(events[-1]).__name__}-{i}" for i, (row, way, events, *_) in enumerate(ROWS)],
)  # fmt: skip
def test_a_row_of_the_state_table(
    config: TurnConfig, row: str, way: str, events: list[ev.Event], phase: str, orders: str
) -> None:
    """From this phase the last event leads to that phase and orders exactly this."""
    ctx = lead(way, config)
    effects: tuple[Effect, ...] = ()
    for event in events:
        ctx, effects = dispatch(ctx, event, config)
    assert (ctx.phase, " ".join(type(effect).__name__ for effect in effects)) == (phase, orders)


def test_every_phase_is_in_the_table() -> None:
    """Nine phases, none forgotten."""
    assert {phase.value for phase in Phase} == {
        way.split(",")[0] for way in WAYS if way != "over the agent"
    }


def test_a_false_opening_stays_open_where_it_cannot_be_closed(config: TurnConfig) -> None:
    """Agora's column of the row: marked, silent, still open (S1-B06)."""
    config = replace(config, empty_turn="keep")
    ctx, effects = dispatch(lead("open_empty", config), ev.Tick(4000), config)
    assert (ctx.phase, ctx.turn.false_open, ctx.deadline) == (Phase.OPEN_EMPTY, True, None)
    assert [type(effect).__name__ for effect in effects] == ["Note"]
