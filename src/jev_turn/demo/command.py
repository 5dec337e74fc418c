"""``jev-turn demo``: conversations through a whole bot, decision by decision."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from jev_turn.demo import recording
from jev_turn.demo.call import Call, Cast, Studio
from jev_turn.demo.clips import Clips, make, wanted
from jev_turn.demo.judge import choose
from jev_turn.demo.kept import Kept
from jev_turn.demo.plan import Conversation
from jev_turn.demo.promises import promises
from jev_turn.demo.report import report
from jev_turn.demo.restart import Victim, first_part
from jev_turn.demo.script import CONVERSATIONS
from jev_turn.demo.show import Screen
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.errors import ConfigError
from jev_turn.play.clock import run as run_in_virtual_time
from jev_turn.policy import Policy
from jev_turn.record import CallRecord, private
from jev_turn.record.picture import picture

Run = Callable[[Coroutine[Any, Any, Call]], Call]
"""Runs a call in real or in virtual time."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run the demo.

    Attributes:
        policy: Every setting.
        out: Folder for records and pictures.
        fast: Run in virtual time.
        wav: A recording, in place of the conversations.
        json_file: Takes one JSON object per call, a line each.
        only: A conversation's name; empty plays all.
        judge: See ``judge.choose``.
    """

    policy: Policy
    out: Path
    fast: bool = False
    wav: Path | None = None
    json_file: Path | None = None
    only: str = ""
    judge: str | None = None


def demo(options: Options, console: Console) -> bool:
    """Hold the calls and show them.

    Args:
        options: How.
        console: Where to.

    Returns:
        Whether every promise was kept.

    Raises:
        JevTurnError: A setting is wrong, or a part cannot be had.
    """
    conversations, clips = _chosen(options)
    choice = choose(options.judge)
    _folder("--out", options.out)
    if options.json_file is not None:
        _folder("--json", options.json_file.parent)
    console.print(choice.said, highlight=False)
    voice, screen = EmbeddedVoice(), Screen(console)
    clips = {**clips, **_made(conversations, voice, console)}
    cast = Cast(choice.make, options.policy, voice, clips)
    is_virtual = options.fast and not choice.over_network
    loop = run_in_virtual_time if is_virtual else asyncio.run
    screen.opening(virtual=is_virtual)
    calls = [_held(one, cast, options, loop, screen) for one in conversations]
    kept = promises(calls)
    screen.closing(calls, kept, options.out)
    if options.json_file is not None:
        lines = [json.dumps(report(call), ensure_ascii=False) for call in calls]
        _write(options.json_file, "\n".join([*lines, ""]))
    return all(promise.kept for promise in kept)


def _chosen(options: Options) -> tuple[Sequence[Conversation], Clips]:
    """Return what is to be played, and those of its sounds that need no making."""
    if options.wav is not None and options.only:
        raise ConfigError(f"--only: {options.only!r}: --wav plays the recording alone")
    if options.wav is not None:
        taken, sound, clip = recording.conversation(options.wav)
        return [taken], {sound: clip}
    chosen = [one for one in CONVERSATIONS if options.only in ("", one.name)]
    if not chosen:
        names = ", ".join(one.name for one in CONVERSATIONS)
        raise ConfigError(f"--only: {options.only!r}: one of {names} was expected")
    return chosen, {}


def _made(chosen: Sequence[Conversation], voice: EmbeddedVoice, console: Console) -> Clips:
    sounds = track(wanted(chosen), "Making speech and noises", console=console, transient=True)
    return {sound: make(sound, voice) for sound in sounds}


def _folder(option: str, path: Path) -> None:
    """Make sure before the calls that what comes of them can be written."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{option}: {path}: {error.strerror}") from error


def _held(
    conversation: Conversation, cast: Cast, options: Options, run: Run, screen: Screen
) -> Call:
    """Hold one call; of one that outlives a process, the first part in a process of its own."""
    screen.heading(conversation)
    path = options.out / f"{conversation.name}.jsonl"
    if conversation.killed is None:
        return run(_hold(conversation, cast, path, screen))
    with tempfile.TemporaryDirectory(prefix="jev-turn-demo-") as place:
        kept = Kept(Path(place), conversation.name)
        first = path.with_stem(f"{path.stem}-killed")
        before = first_part(
            Victim(
                conversation,
                options.judge,
                options.policy,
                run is run_in_virtual_time,
                first,
                kept,
                screen.width,
            )
        )
        _write(first.with_suffix(".html"), picture(before.records))
        screen.killed(before)
        return run(_hold(conversation, cast, path, screen, replace(kept, before=before)))


async def _hold(
    conversation: Conversation, cast: Cast, path: Path, screen: Screen, kept: Kept | None = None
) -> Call:
    with CallRecord(path, words=True, on_write=screen.record) as record:
        studio = Studio(conversation, cast, record, screen.sound, screen.written, kept=kept)
        call = await studio.hold()
    _write(path.with_suffix(".html"), picture(call.records))
    return call


def _write(path: Path, text: str) -> None:
    """Write a file that holds spoken words, for its owner only."""
    with private.create(path) as file:
        file.write(text.encode())
