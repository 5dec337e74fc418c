"""Random calls: a short run is clean, and a host that loses, doubles or hangs is seen."""

from __future__ import annotations

import asyncio
import io
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from jev_turn import cli
from jev_turn.play.clock import run
from jev_turn.play.soak import Totals, played, scripts, soak
from jev_turn.play.soak_command import soak_command
from jev_turn.play.soak_outcome import unanswered
from jev_turn.play.soak_script import Script, Step, said
from jev_turn.play.soak_shrink import shrunk
from jev_turn.play.soak_writer import write
from jev_turn.play.witness import Account
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.record.oracle import Final

LINE = re.compile(
    r"\d+ turns: \d+ lost, \d+ doubled, \d+ stuck, \d+ replies, \d+ interruptions, "
    r"\d+ backchannels, \d+ discards, \d+ judge failures"
)
QUESTION = Script(
    0,
    0,
    (
        Step(0, 0, "judge", "ideal"),
        Step(1_000, 1, "sound", lasts_ms=900),
        Step(1_600, 1, "heard", "what is"),
        Step(2_200, 1, "heard", "What is it?", final=True),
    ),
    ends_ms=20_000,
)


def printed(*args: Any, **options: Any) -> tuple[int, list[str]]:
    """Run the command; return its exit status and its lines."""
    out = io.StringIO()
    status = soak_command(*args, console=Console(file=out, width=120), **options)
    return status, out.getvalue().splitlines()


@pytest.mark.bots
def test_a_short_run_loses_doubles_and_hangs_nothing() -> None:
    """Exit status 0, and the summary is the last and only line."""
    status, lines = printed(8, 4)
    assert status == 0
    assert len(lines) == 1
    assert LINE.fullmatch(lines[0])
    assert lines[0].startswith("8 turns: 0 lost, 0 doubled, 0 stuck, ")


@pytest.mark.bots
def test_the_same_call_goes_the_same_way() -> None:
    """A failure can be played again: nothing depends on real time or on other calls."""
    script = write(1, 2, 2)
    assert write(1, 2, 2) == script
    assert played(script).records == played(script).records


def test_a_run_has_exactly_as_many_turns_as_were_asked_for() -> None:
    """The last call is as short as it must be."""
    found = list(scripts(40, 1))
    assert sum(script.turns for script in found) == 40
    assert [script.call for script in found] == list(range(len(found)))


def test_no_call_begins_when_the_time_is_up() -> None:
    """The run ends by itself, and says how far it came."""
    assert soak(1_000, 1, minutes=0) == Totals()
    status, lines = printed(1_000, 1, minutes=0)
    assert status == 0
    assert lines[-2:] == ["the time was up after 0 of 1000 turns", Totals().line()]


def test_a_host_that_drops_a_final_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that were recognised and came out nowhere are lost."""
    monkeypatch.setattr(JevJudge, "_end", lambda self, effect: self._words.take(effect.segments))
    outcome = played(QUESTION)
    assert outcome.oracle.lost == ("What is it?",)
    assert "lost" in outcome.failures


def test_a_host_that_doubles_a_final_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that came out twice and were said once are doubled."""
    commit = JevJudge._commit

    async def twice(self: JevJudge) -> None:
        owed = list(self._owed)
        await commit(self)
        self._owed = owed
        await commit(self)

    monkeypatch.setattr(JevJudge, "_commit", twice)
    assert "doubled" in played(QUESTION).failures


def test_a_turn_that_never_ends_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that are still open when nothing happens any more are stuck."""
    monkeypatch.setattr(JevJudge, "arm", lambda self, deadline, tick: None)
    stuck = played(QUESTION).stuck
    assert any(line.startswith("words are open") for line in stuck)
    assert "the aggregator's turn is open" in stuck


def test_a_worker_that_never_ends_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that holds the EndFrame back for more than a minute is found out."""

    async def drain(_: JevJudge) -> None:
        await asyncio.sleep(90)

    monkeypatch.setattr(JevJudge, "drain", drain)
    assert "the worker does not end" in played(QUESTION).stuck


def test_a_call_that_breaks_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception ends one call and not the run."""
    broken = replace(QUESTION, sets=("turn.nonsense=1",))
    assert "nonsense" in played(broken).stuck[0]


def test_a_message_needs_a_run_unless_something_withdraws_it() -> None:
    """The model answers messages one after the other, perhaps much later."""
    account = Account(turns=[(1_000, "one"), (2_000, "two"), (9_000, "three")], interrupts=[3_000])
    assert unanswered(account, [1_000], 20_000) == ["no run of the model for the turn at 9000 ms"]
    assert unanswered(account, [5_000, 9_000], 20_000) == []
    assert unanswered(account, [1_000], 9_000) == []


def test_time_that_stands_still_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that never waits would otherwise hang the run for good."""
    monkeypatch.setattr("jev_turn.play.clock.STANDSTILL", 100)

    async def spin() -> None:
        for _ in range(1_000):
            await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="stands still"):
        run(spin())


def test_a_wait_for_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """So would a wait that no timer and no thread can end."""
    monkeypatch.setattr("jev_turn.play.clock.FOREVER_S", 0.01)

    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="nothing left to wait for"):
        run(wait())


def test_a_segment_without_a_final_was_said_as_its_last_interim_has_it() -> None:
    """Its words must come out like any others."""
    heard = [(1, Step(1, 1, "heard", "a")), (2, Step(2, 1, "heard", "a b"))]
    assert said(heard) == [Final("a b", 2, ("a", "a b"))]


def test_a_failing_call_is_made_small() -> None:
    """Turns and troubles without which it fails too are left out."""
    script = replace(write(1, 3, 12), cut_off=False, ends_ms=200_000)
    bad = next(step for step in script.steps if step.turn == 7)
    small = shrunk(script, lambda tried: bad in tried.steps, seconds=5)
    assert {step.turn for step in small.steps if step.turn} == {7}
    assert small.ends_ms < script.ends_ms


def test_a_failure_is_shown_without_words_unless_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command that plays it again, what is wrong, and the steps that are left of it."""
    monkeypatch.setattr(JevJudge, "_end", lambda self, effect: self._words.take(effect.segments))
    monkeypatch.setattr("jev_turn.play.soak_command.SHRINK_S", 0.0)
    monkeypatch.setattr("jev_turn.play.soak.write", lambda seed, call, turns: QUESTION)
    for words, text in ((False, "3 words"), (True, "'What is it?'")):
        status, lines = printed(1, 0, words=words)
        assert status == 1
        assert lines[0] == "failed: jev-turn soak --seed 0 --call 0 --turns 1"
        assert lines[1] == f"  lost: {text}"
        assert any(text in line for line in lines if "final of segment 0" in line)
        assert LINE.fullmatch(lines[-1])


def test_one_call_is_shown_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """``--call`` prints what happened when, decisions included, and the summary."""
    monkeypatch.setattr("jev_turn.play.soak_command.write", lambda seed, call, turns: QUESTION)
    status, lines = printed(1, 0, call=0)
    assert status == 0
    assert any("EndTurn why=complete" in line for line in lines)
    assert not any("what is" in line.lower() for line in lines)
    assert lines[-1].startswith("1 turns: 0 lost, 0 doubled, 0 stuck, 1 replies, 0 interruptions")


@pytest.mark.parametrize("mode", ["duplex", "finish-turn"])
def test_a_call_that_no_run_has_is_refused(mode: str) -> None:
    """Calls count from 0; one before the first would be made up, and look like a call of the run."""
    done = CliRunner().invoke(cli.app, ["soak", "--mode", mode, "--call", "-1"])
    assert done.exit_code == 2
    assert "Invalid value for '--call'" in done.output
