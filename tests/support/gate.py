"""``make gate``: the rules of the pure layers, in a sandbox that nothing gets out of.

Every test of ``tests/turn`` and ``tests/replies`` that is no random one is marked ``gate``. While it
runs, no socket can be made, no process started, and nothing written outside pytest's own temporary
folder: an audit hook refuses it, whichever library tries.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent.parent
FOLDERS = (HERE / "turn", HERE / "replies")
RULES_MIN = 151
CPU_MAX_S = 1.0

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.setxattr", "os.symlink", "os.truncate", "os.utime", "sqlite3.connect",
}  # fmt: skip
_PROCESSES = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
_RENAMES = ("os.link", "os.rename", "os.symlink")


class OutsideTheSandbox(AssertionError):
    """A rule of the gate reached for the network, another process or somebody else's files."""


class Sandbox:
    """Refuses while it is closed; an audit hook cannot be removed, only left without effect."""

    def __init__(self) -> None:
        self.closed = False
        self.folders: tuple[Path, ...] = ()
        self._installed = False

    def close(self, *folders: Path) -> None:
        """Refuse everything but reading, and writing in ``folders``, which are absolute."""
        if not self._installed:
            sys.addaudithook(self._audit)
            self._installed = True
        self.folders = folders
        self.closed = True

    def open(self) -> None:
        """Refuse nothing any more."""
        self.closed = False

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.closed:
            return
        if event.startswith("socket.") or event in _PROCESSES:
            self._refuse(event, args)
        if event == "open" and len(args) > 2 and (args[2] or 0) & _WRITES:
            self._check(event, args[0])
        elif event in _CHANGES:
            self._check(event, args[0])
            if event in _RENAMES:
                self._check(event, args[1])

    def _check(self, event: str, path: object) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike) or str(path) in (":memory:", os.devnull):
            return
        place = Path(path).absolute()
        if not any(place.is_relative_to(folder) for folder in self.folders):
            self._refuse(event, (path,))

    def _refuse(self, event: str, args: tuple[Any, ...]) -> None:
        self.closed = False
        raise OutsideTheSandbox(f"{event}{args!r}")


class Count:
    """What ran, and what it cost."""

    def __init__(self) -> None:
        self.rules: set[str] = set()
        self.cases = 0
        self.cpu_s = 0.0

    def add(self, item: pytest.Item, cpu_s: float) -> None:
        """Count one case; the cases of a table are one rule, and each scenario is one."""
        name, _, case = item.nodeid.partition("[")
        self.rules.add(f"{name}[{case}" if name.endswith("::test_scenario") else name)
        self.cases += 1
        self.cpu_s += cpu_s

    def __str__(self) -> str:
        return f"{len(self.rules)} rules in {self.cases} cases, {self.cpu_s:.2f} s of test time"


SANDBOX, COUNT = Sandbox(), Count()


@pytest.fixture(scope="session")
def writable(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Pytest's temporary folder; scenario files may be rewritten on request."""
    rewrite = FOLDERS if os.environ.get("REWRITE_SCENARIOS") == "1" else ()
    return tuple(folder.resolve() for folder in (tmp_path_factory.getbasetemp(), *rewrite))


@pytest.fixture
def sandbox(writable: tuple[Path, ...]) -> Iterator[Sandbox]:
    """Nothing gets out of the folders in which a rule may write."""
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    SANDBOX.close(*writable)
    yield SANDBOX
    SANDBOX.open()
    sys.dont_write_bytecode = bytecode


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the rules of the gate and put each one in the sandbox."""
    for item in items:
        random = hasattr(getattr(item, "obj", None), "hypothesis")
        if not random and any(item.path.is_relative_to(folder) for folder in FOLDERS):
            item.add_marker("gate")
            getattr(item, "fixturenames", []).insert(0, "sandbox")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Measure what a rule costs by the processor's clock, which other programs do not disturb."""
    began = time.process_time()
    try:
        return (yield)
    finally:
        if item.get_closest_marker("gate"):
            COUNT.add(item, time.process_time() - began)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config, exitstatus: int) -> None:
    """Say what the gate held."""
    if config.option.markexpr == "gate":
        terminalreporter.write_line(f"gate: {COUNT}; no socket, no process, no file left behind")
        if problem := _problem():
            terminalreporter.write_line(f"gate: {problem}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A gate that shrinks or drags has failed."""
    whole = session.config.option.markexpr == "gate" and not session.config.option.keyword
    if whole and not session.exitstatus and _problem():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _problem() -> str:
    if len(COUNT.rules) < RULES_MIN:
        return f"there must be {RULES_MIN} rules"
    return f"more than {CPU_MAX_S} s" if COUNT.cpu_s > CPU_MAX_S else ""
