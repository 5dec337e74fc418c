"""``jev-turn bench --cpu``: what is measured is an ordinary call, and a limit is a limit."""

from __future__ import annotations

from collections import Counter

import pytest
from typer.testing import CliRunner

from jev_turn import cli
from jev_turn.bench import cpu
from jev_turn.bench.cpu import Cost
from jev_turn.bench.events import of_a_call
from jev_turn.policy import load_policy
from jev_turn.turn.context import Context
from jev_turn.turn.machine import dispatch

CONFIG = load_policy().turn()


def test_the_events_are_those_of_a_call() -> None:
    """Each exchange ends one turn and finds one nod, and the machine does the same each time."""
    ctx, ordered = Context(), Counter[str]()
    for event in of_a_call(CONFIG, exchanges=3):
        ctx, effects = dispatch(ctx, event, CONFIG)
        ordered.update(type(effect).__name__ for effect in effects)
    assert (ordered["EndTurn"], ordered["Backchannel"], ordered["Interrupt"]) == (3, 3, 0)
    assert ordered["Discard"] == 0


@pytest.mark.parametrize(("value", "ok"), [(19.99, True), (20.0, False)])
def test_a_cost_must_stay_below_its_limit(value: float, ok: bool) -> None:
    """The limit itself is over."""
    assert Cost("dispatch", value, 20.0, "µs").ok is ok


@pytest.mark.parametrize(("values", "status"), [((1, 2, 0.5), 0), ((1, 2, 2.5), 1)])
def test_the_exit_status_is_1_when_a_cost_is_over(
    values: tuple[float, ...], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every cost is printed with its limit, whatever it is."""
    monkeypatch.setattr(cli, "quiet_logs", lambda verbose: None)
    names = ("dispatch_cost", "gate_cost", "processors_cost")
    for name, value in zip(names, values, strict=True):
        monkeypatch.setattr(cpu, name, lambda _, n=name, v=value: Cost(n, v, 2.25, "units"))
    result = CliRunner().invoke(cli.app, ["bench", "--cpu"])
    assert result.exit_code == status
    assert all(name in result.output for name in names)
    assert ("over" in result.output, result.output.count("2.25")) == (bool(status), 3)


def test_something_to_measure_must_be_named() -> None:
    """There may be other benches than that of the processor."""
    assert CliRunner().invoke(cli.app, ["bench"]).exit_code == 2
