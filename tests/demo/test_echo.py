"""The echo in a room without echo cancellation."""

from __future__ import annotations

import numpy as np

from jev_turn.demo.echo import Echo


def test_the_microphone_hears_it_later_and_quieter() -> None:
    """80 ms later by default, wherever chunks end."""
    echo = Echo(gain=0.5, delay_ms=10)
    echo.zero = 100.0
    echo.play(100.02, np.full(320, 1000, np.int16).tobytes())
    heard = np.concatenate([echo(start, 160) for start in range(0, 960, 160)])
    assert np.flatnonzero(heard).tolist() == list(range(480, 800))
    assert set(heard[480:800]) == {500}


def test_two_sounds_that_overlap_are_added() -> None:
    """A reply may begin before the last one's end has been heard."""
    echo = Echo(gain=1.0, delay_ms=0)
    for _ in range(2):
        echo.play(0.0, np.full(160, 100, np.int16).tobytes())
    assert set(echo(0, 160)) == {200}
