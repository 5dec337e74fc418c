"""Who may import whom."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "jev_turn"


class Layer(NamedTuple):
    """What one layer may import besides itself and the standard library."""

    ours: set[str]
    theirs: set[str]


BASE = {"errors", "turn", "replies", "dsp", "policy"}
MIDDLE = BASE | {"judges", "record"}
CONFIGS = ("turn.config", "replies.config", "dsp.config", "judges.config")
PIPECAT = {"pipecat", "loguru", "numpy"}

TABLE = {
    "__init__": Layer(set(), set()),
    "errors": Layer(set(), set()),
    "turn": Layer({"errors"}, set()),
    "replies": Layer({"errors", "turn.words", "turn.verdict", "turn.events"}, {"sqlalchemy"}),
    "dsp": Layer({"errors"}, {"numpy"}),
    # Settings are filled in wherever their names, units and ranges stand.
    "policy": Layer({"errors", *CONFIGS}, {"pydantic"}),
    "judges": Layer(BASE, PIPECAT | {"httpx2", "onnxruntime", "pydantic", "typesafe_sdk"}),
    "record": Layer(BASE, {"numpy", "plotly", "rich"}),
    "processors": Layer(MIDDLE, PIPECAT),
    "calls": Layer({"errors", "replies"}, {"rich", "typer"}),
    "assembly": Layer(MIDDLE | {"processors"}, PIPECAT),
    "setup_check": Layer({"errors", "processors"}, PIPECAT),
    "services": Layer({"errors", "assembly", "embedded"}, PIPECAT),
    "template": Layer({"errors"}, set()),
    "env_file": Layer(set(), {"dotenv"}),
    "streams": Layer(set(), set()),
    "local_audio": Layer({"errors"}, PIPECAT | {"pyaudio"}),
    "transports": Layer({"policy"}, PIPECAT),
    "page": Layer({"env_file", "errors", "policy", "services"}, {"fastapi", "loguru", "pipecat"}),
    "server": Layer(
        {"errors", "policy", "judges.meter", "page", "services"},
        {"aiortc", "fastapi", "loguru", "pipecat", "pydantic", "starlette", "uvicorn"},
    ),
    "embedded": Layer(
        {"errors", "policy"},
        PIPECAT | {"faster_whisper", "hibari", "moonshine_voice", "onnxruntime", "soxr"},
    ),
}
ON_TOP = {"cli", "calls", "demo", "play", "bench"}
"""Free to import every layer of the table."""

IMPURE = {"asyncio", "logging", "random", "time"}
NOT_PURE = "replies.store"
"""The database: the only part of the machines' layers that does anything."""


def _modules() -> Iterator[tuple[str, Path]]:
    for top in (PACKAGE, PACKAGE / "processors"):
        for path in sorted(top.rglob("*.py")):
            yield ".".join(path.relative_to(PACKAGE).with_suffix("").parts), path


MODULES = dict(_modules())


def _is_pure(module: str) -> bool:
    return _is_in(module, {"turn", "replies"}) and not _is_in(module, {NOT_PURE})


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement at any depth; expressions hold no imports, and are most of a tree."""
    for block in ("body", "handlers", "orelse", "finalbody", "cases"):
        inside = getattr(node, block, [])
        for one in inside if isinstance(inside, list) else ():
            yield one
            yield from _statements(one)


@functools.cache
def _imports(path: Path) -> list[tuple[str, int]]:
    """Every imported name, dotted, with its line; lazy and typing-only imports count too."""
    found = []
    for node in _statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            stem = "." * node.level + (node.module or "")
            found += [(f"{stem}.{alias.name}", node.lineno) for alias in node.names]
    return found


def _is_in(name: str, allowed: set[str]) -> bool:
    return any(name == one or name.startswith(one + ".") for one in allowed)


def _may_import(layer: str, name: str) -> bool:
    first, _, rest = name.partition(".")
    if first == "jev_turn":
        own = _is_in(rest, {layer})
        return own or (_is_in(rest, TABLE[layer].ours) if layer in TABLE else True)
    if layer not in TABLE or first in TABLE[layer].theirs:
        return True
    return first in sys.stdlib_module_names


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    """Each module belongs to a layer, and imports what the table gives that layer."""
    layer = module.split(".")[0]
    assert layer in TABLE or layer in ON_TOP, f"{module} has no layer: add it to the table"
    wrong = [
        f"{MODULES[module].name}:{line} imports {name}"
        for name, line in _imports(MODULES[module])
        if not _may_import(layer, name)
    ]
    assert not wrong


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_absolute_and_under_one_name(module: str) -> None:
    """A frame class that is imported as `processors.frames` too is a second, unequal class."""
    names = [name for name, _ in _imports(MODULES[module])]
    assert not [name for name in names if name.split(".")[0] in ("", "processors", "questions")]


@pytest.mark.parametrize("module", [name for name in MODULES if _is_pure(name)])
def test_the_machines_have_no_clock_and_no_chance(module: str) -> None:
    """A machine is a function of its arguments: no time, loop, dice, log or database."""
    names = {name for name, _ in _imports(MODULES[module])}
    assert not {name.split(".")[0] for name in names} & (IMPURE | {"sqlalchemy"})
    assert not [name for name in names if _is_in(name, {f"jev_turn.{NOT_PURE}"})]


@pytest.mark.parametrize(
    "module", [name for name in MODULES if name.startswith("processors.") and "__" not in name]
)
def test_processors_do_not_import_each_other(module: str) -> None:
    """A processor imports the host (private modules) and the frames, and no other processor.

    The strategies are no processor: they show a ``JevJudge`` what their aggregator sees.
    """
    inside = "jev_turn.processors."
    ours = {name[len(inside) :] for name, _ in _imports(MODULES[module]) if inside in name}
    if module == "processors.user_turn_strategies":
        ours.discard("jev_judge.JevJudge")
    assert not [name for name in ours if not (name.startswith("_") or name.startswith("frames."))]


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("jev_turn", ["pipecat", "numpy", "asyncio", "importlib.metadata"]),
        ("jev_turn.turn", ["pipecat", "numpy", "asyncio"]),
        ("jev_turn.replies.machine", ["pipecat", "numpy", "asyncio", "sqlalchemy"]),
        ("jev_turn.dsp", ["pipecat"]),
        ("jev_turn.policy", ["pipecat", "numpy"]),
        ("jev_turn.record", ["pipecat", "plotly"]),
    ],
)
def test_a_light_module_loads_nothing_heavy(module: str, absent: list[str]) -> None:
    """What a process really loads, whatever the source seems to say."""
    code = f"import sys, {module}; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT / "tests"
    ).stdout.split()
    assert not set(absent) & set(loaded)


def test_the_package_knows_its_version_when_asked() -> None:
    """`jev_turn.__version__` is the installed distribution's, and other names do not exist."""
    import jev_turn

    assert jev_turn.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="nonsense"):
        jev_turn.nonsense  # noqa: B018
