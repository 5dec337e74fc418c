"""``jev-turn play``: every case of a file, a line each."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipecat.classifiers.base_classifier import BaseClassifier
from rich.console import Console

from jev_turn.errors import ConfigError
from jev_turn.play.call import Played, play
from jev_turn.play.case import Case, CaseFile, Mode, load
from jev_turn.play.clock import VirtualLoop, run
from jev_turn.play.expect import broken
from jev_turn.play.ft_call import play_finish_turn
from jev_turn.policy import Policy


@dataclass(frozen=True, slots=True)
class Options:
    """How to play.

    Attributes:
        judge: ``embedded``, ``typesafe`` or ``recorded:FILE``.
        lag_s: The recogniser's lag, s.
        latency_s: The judge's latency unless a case says otherwise, s; it adds to a real one.
        only: Part of the ids of the cases to play; empty plays all.
        as_json: Print one JSON object a case.
        policy: Every setting.
        mode: How turns are taken in the cases that do not say so.
    """

    judge: str
    lag_s: float
    latency_s: float
    only: str
    as_json: bool
    policy: Policy
    mode: Mode = "duplex"


def play_file(path: Path, options: Options, console: Console) -> int:
    """Play a file's cases and print what came of them.

    Returns:
        How many cases failed.

    Raises:
        CaseFileError: The file is wrong.
        ConfigError: There is no such case, or the judge is unknown or cannot be had.
    """
    cases = _chosen(load(path, options.mode), options.only)
    failed = 0
    for case in cases:
        played = run(_play(case, options))
        wrong = broken(played)
        failed += bool(wrong)
        if options.as_json:
            console.print_json(json.dumps(summary(played, wrong)))
        else:
            _print(console, played, wrong)
    if not options.as_json:
        console.print(f"{len(cases)} cases: {len(cases) - failed} passed, {failed} failed")
    return failed


def _chosen(file: CaseFile, only: str) -> list[Case]:
    """Return the cases that are to be played."""
    chosen = [case for case in file.cases if only in case.id]
    if not chosen:
        names = ", ".join(case.id for case in file.cases)
        raise ConfigError(f"--only: {only!r}: a part of one of {names} was expected")
    return chosen


async def _play(case: Case, options: Options) -> Played:
    classifier = judge_named(options.judge)
    player = play_finish_turn if case.mode == "finish-turn" else play
    loop = asyncio.get_running_loop()
    if options.judge == "typesafe" and isinstance(loop, VirtualLoop):
        with loop.real_io():
            return await player(case, classifier, options.policy, lag_s=options.lag_s)
    return await player(
        case,
        classifier,
        options.policy,
        lag_s=options.lag_s,
        judge_latency_s=options.latency_s,
    )


def judge_named(name: str) -> BaseClassifier:
    """Return the judge that ``--judge`` names.

    Raises:
        ConfigError: There is no such judge.
    """
    kind, _, rest = name.partition(":")
    if kind == "recorded" and rest:
        from jev_turn.judges.recorded import RecordedClassifier

        return RecordedClassifier(rest)
    if name == "embedded":
        from jev_turn.judges.embedded import EmbeddedClassifier

        return EmbeddedClassifier()
    if name == "typesafe":
        from jev_turn.judges.typesafe import TypeSafeClassifier

        return TypeSafeClassifier()
    raise ConfigError(f"--judge: {name!r}: embedded, typesafe or recorded:FILE was expected")


def summary(played: Played, wrong: list[str]) -> dict[str, Any]:
    """Return a case's result as plain data; times in ms since the start of the call."""
    account, facts = played.account, played.finish_turn
    ends = [r for r in played.records if r["kind"] == "effect" and r["name"] == "EndTurn"]
    return {
        "name": played.case.id,
        "ok": not wrong,
        "broken": wrong,
        "turns": [{"text": text, "ended_ms": at} for at, text in account.turns],
        "ended_why": [end["why"] for end in ends],
        "replies": played.replies,
        "interrupts": account.interrupts,
        "backchannels": [{"text": text, "at_ms": at} for at, text in account.backchannels],
        "words_lost": list(played.oracle.lost),
        "words_doubled": list(played.oracle.doubled),
        "judge_calls": played.judge_calls,
        "judge_failures": played.judge_failures,
    } | (facts.summary() if facts else {})


def _print(console: Console, played: Played, wrong: list[str]) -> None:
    mark = "[red]FAIL[/red]" if wrong else "[green]ok  [/green]"
    account = played.account
    ends = ", ".join(f"{at / 1000:.2f} s" for at, _ in account.turns) or "none"
    console.print(
        f"{mark} {played.case.id:<34} turns {ends}; replies {played.replies}; "
        f"{_details(played)}; asks {played.judge_calls}",
        highlight=False,
    )
    for line in wrong:
        console.print(f"     {line}", highlight=False, markup=False)


def _details(played: Played) -> str:
    if (facts := played.finish_turn) is not None:
        return str(facts)
    account = played.account
    return f"interrupts {len(account.interrupts)}; nods {len(account.backchannels)}"
