"""Commands whose standard streams are closed, full, left, or of a small alphabet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = f"{sys.executable} -m jev_turn.cli"


def shell(line: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell; its status is that of the command in front of a pipe."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("arguments", ["--help", "lint", "demo --help"])
def test_a_reader_who_has_seen_enough_ends_a_command_quietly(arguments: str) -> None:
    """As SIGPIPE ends other programs: status 141, which no failed check has."""
    done = shell(f"{COMMAND} {arguments} | true")
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("arguments", ["--help", "lint", "demo --help"])
def test_output_that_cannot_be_written_is_one_line(arguments: str) -> None:
    """A full disk is named, and the status is no success."""
    done = shell(f"{COMMAND} {arguments} > /dev/full")
    told = "jev-turn: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_stops_no_command(closed: str) -> None:
    """What would be logged or told goes nowhere."""
    done = shell(f"{COMMAND} soak --turns 1 {closed}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_stream_leaves_its_number_to_nothing(tmp_path: Path) -> None:
    """Nor do child processes have a file of ours in its place."""
    code = (
        "import os, subprocess, sys; from jev_turn.streams import standard_streams;"
        "standard_streams(); file = open(sys.argv[1], 'w'); assert file.fileno() > 2;"
        "assert subprocess.run(['sh', '-c', ': <&0 >&1']).returncode == 0; file.write('kept')"
    )
    path = tmp_path / "file"
    done = shell(f'{sys.executable} -c "{code}" {path} <&- >&-')
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_text() == "kept"


def test_an_alphabet_that_lacks_a_character_shows_a_mark(tmp_path: Path) -> None:
    """Where output is sent to a file Windows may still write one of the old code pages."""
    code = (
        "from jev_turn.streams import standard_streams; standard_streams();"
        "print('a\\u2192b\\ud800')"
    )
    done = shell(f'{sys.executable} -c "{code}"', PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stdout) == (0, "a?b?\n")
