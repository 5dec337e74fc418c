"""What a process of a soaked call saw from outside, in a file that outlives it."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from types import TracebackType
from typing import Any

Line = dict[str, Any]


class Log:
    """Appends lines, each of which is on the disk before anything else happens.

    Args:
        path: The file; it is made if need be.
        life: Number of the process, put into every line.
        dies_behind: Kill this process as soon as a line of that kind has been written for so many
            times; ``None`` lets it live.
    """

    def __init__(self, path: Path, life: int, dies_behind: tuple[str, int] | None = None) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._life = life
        self._dies_behind, self._left = dies_behind or ("", 0)

    def write(self, what: str, **fields: Any) -> None:
        """Write one line.

        Args:
            what: ``began`` (the call was taken up), ``speaks`` (an utterance begins), ``final``
                (the recogniser is about to hand one over), ``kept`` (the reply list has dealt
                with it), ``run`` (the model is run: words that it answers, and those that are
                news to it), ``heard`` (audio of that run's reply leaves the loudspeaker), ``idle``
                or ``busy`` (nothing, or still something, waits long after the last word).
            **fields: More about it.
        """
        line = {"what": what, "life": self._life, **fields}
        os.write(self._file, json.dumps(line).encode() + b"\n")
        os.fsync(self._file)
        self._left -= what == self._dies_behind
        if what == self._dies_behind and not self._left:
            os.kill(os.getpid(), signal.SIGKILL)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_log(path: Path) -> list[Line]:
    """Return the lines so far; one that was torn by a kill did not happen."""
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines()]
