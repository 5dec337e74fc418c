"""Exit codes of processes that several threads hold."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from jev_turn.play.ft_process import Child


def _code(_: int) -> int | None:
    child = Child(signal.raise_signal, signal.SIGKILL)
    child.wait()
    return child.code


@pytest.mark.kill
@pytest.mark.bots
def test_no_exit_code_is_lost_between_threads() -> None:
    """A thread that starts a process looks at everybody's, and took the code of another's."""
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(_code, range(200))) == {-signal.SIGKILL}
