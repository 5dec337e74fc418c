"""``jev-turn calls``."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from pathlib import Path

import pytest
from support.reply_store import cut, end, keep, start

from jev_turn import cli
from jev_turn.replies.effects import Discard, GapMarked, KeepCut
from jev_turn.replies.store import ReplyStore


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one call of a peer; its words are secret."""
    folder = tmp_path_factory.mktemp("calls")

    async def talk() -> None:
        async with await ReplyStore.open(folder, "call-1", peer="ann") as store:
            await store.apply([KeepCut(cut(1, "my secret")), start(1, 1)])
            await store.apply([end(1, "a secret answer"), *keep(2)])
            await store.apply([Discard("rate", "secret", (("per_s", 11.3),)), GapMarked(5, 90)])

    asyncio.run(talk())
    return folder


class Ran:
    """The command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str]:
        """Return the exit status and all that was printed."""
        self._monkeypatch.setattr(sys, "argv", ["jev-turn", "calls", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        printed = self._capsys.readouterr()
        return int(left.value.code or 0), printed.out + printed.err


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ran:
    """``jev-turn calls`` with arguments."""
    return Ran(monkeypatch, capsys)


def test_list_has_a_line_for_each_call_and_no_words(calls: Ran, kept: Path) -> None:
    """What a person needs to find a call, and to see how much there is of it."""
    status, told = calls("list", "--place", kept)
    assert (status, told.count("\n")) == (0, 1)
    assert told.startswith("call-1  20") and "turns 1, waiting 1, dropped 1" in told
    assert "peer 'ann'" in told and "secret" not in told


def test_show_counts_words_until_it_is_asked_for_them(calls: Ran, kept: Path) -> None:
    """Words only when asked for, as in a call's record."""
    _, told = calls("show", "call-1", "--place", kept)
    assert "turn 1  2 words -> 3 words  ok" in told and "dropped  1 word  rate (per_s 11.3)" in told
    assert "not heard  5 to 90 ms" in told and "secret" not in told
    _, told = calls("show", "call-1", "--words", "--place", kept)
    assert "turn 1  'cut 1' -> 'a secret answer'  ok" in told


def test_export_writes_a_new_file_for_its_owner_alone(
    calls: Ran, kept: Path, tmp_path: Path
) -> None:
    """It holds every word, and replaces nothing."""
    out = tmp_path / "call.json"
    assert calls("export", "call-1", "--place", kept, "--out", out) == (0, "")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert json.loads(out.read_text())["cuts"][0]["text"] == "my secret"
    status, told = calls("export", "call-1", "--place", kept, "--out", out)
    assert status == 2 and "exists" in told


def test_export_of_a_peer_prints_json(calls: Ran, kept: Path) -> None:
    """To be handed over or piped on."""
    _, told = calls("export", "--peer", "ann", "--place", kept)
    assert json.loads(told)["memory_blocks"][0]["answer"] == "a secret answer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nonsense"], "there is no call nonsense"),
        (["export"], "name a call, or a peer"),
        (["export", "call-1", "--peer", "ann"], "name a call, or a peer"),
        (["forget"], "name a call, a peer with --peer, or --expired"),
        (["forget", "call-1", "--expired"], "name a call"),
        (["forget", "nonsense"], "there is no call nonsense"),
        (["forget", "--peer", "bob"], "there is no peer bob"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(
    calls: Ran, kept: Path, arguments: list[str], message: str
) -> None:
    """Above all for what deletes."""
    status, told = calls(*arguments, "--place", kept)
    assert (status, told.count("\n")) == (2, 1)
    assert told.startswith("jev-turn: ") and message in told


def test_an_unknown_folder_does_not_come_into_being(calls: Ran, tmp_path: Path) -> None:
    """A mistyped one is an error."""
    status, told = calls("list", "--place", tmp_path / "cals")
    assert status == 2 and "no such database" in told and not (tmp_path / "cals").exists()


@pytest.mark.parametrize("whose", [["call-1"], ["--peer", "ann"], ["--expired"]])
def test_forget_says_how_many_calls_are_gone(calls: Ran, tmp_path: Path, whose: list[str]) -> None:
    """One call, all calls of a peer, or all whose time is over."""

    async def talk() -> None:
        async with await ReplyStore.open(tmp_path, "call-1", peer="ann", clock_ms=lambda: 1):
            pass

    asyncio.run(talk())
    assert calls("forget", *whose, "--place", tmp_path) == (0, "deleted 1 call\n")
    assert calls("list", "--place", tmp_path) == (0, "")
