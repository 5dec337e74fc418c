"""What was taken out of finish-turn, because a turn has one ending, must not come back by accident.

Putting an interruption back turns no test of behaviour red, since nothing triggers it yet; the next
reader wires the trigger up. So the source itself is read: nothing in these files that is called,
constructed, or handed over to be called has such a name. To receive a frame of that name is allowed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REPLIES = sorted((ROOT / "src" / "jev_turn" / "replies").rglob("*.py"))
PROCESSORS = [
    ROOT / "processors" / name
    for name in ("reply_list.py", "gate_sink.py", "mic_gate.py", "_runs.py", "_duration.py")
]
PLACES = {"replies": REPLIES} | {path.stem: [path] for path in PROCESSORS}

BANNED = {
    "interrupt": ["broadcast_interruption", "InterruptionFrame", "_interrupt_event"],
    "invalidat": ["invalidate", "invalidate_turn", "Invalidated"],
    "cancel_turn": ["cancel_turn", "_cancel_turn_task"],
    "retract": ["Retract", "retract", "_retracted"],
}
"""Parts of names, and names that would put them back."""

FORMS = [
    "{}()",
    "await self.{}()",
    "self.turns.{}(1, why='x')",
    "self.order(self.{})",
    "partial(self.push_frame, frame=self.{})",
    "self.{} = asyncio.Event()",
]


@cache
def read(place: str) -> dict[str, ast.Module]:
    """Parse a place's files once for all rules; skip what is still to be written."""
    paths = PLACES[place]
    if missing := [path.name for path in paths if not path.exists()]:
        pytest.skip(f"{', '.join(missing)}: does not exist yet")
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def found_in(place: str, part: str) -> list[str]:
    """Find a name in all files of a place."""
    return [f"{name}, {hit}" for name, tree in read(place).items() for hit in found(tree, part)]


def found(tree: ast.AST, part: str) -> list[str]:
    """Find what is called, constructed or handed over under a name with ``part`` in it."""
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node, names in used(tree)
        if any(part in name for name in names)
    ]


@cache
def used(tree: ast.AST) -> list[tuple[ast.Call | ast.Assign | ast.AnnAssign, list[str]]]:
    """Return every use of names in a tree, and the names in lower case."""
    return [
        (node, [_last(name).lower() for name in _names(node)])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call | ast.Assign | ast.AnnAssign)
    ]


def _names(node: ast.Call | ast.Assign | ast.AnnAssign) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=targets, value=ast.Call()):
            yield from targets
        case ast.AnnAssign(target=target, value=ast.Call()):
            yield target
        case ast.Call():
            yield node.func
            if _last(node.func) not in ("isinstance", "issubclass"):
                given = (*node.args, *(keyword.value for keyword in node.keywords))
                yield from (one for one in given if _may_be_called(one))


def _may_be_called(given: ast.expr) -> bool:
    """Tell a method or a class from a plain value."""
    return isinstance(given, ast.Attribute) or (
        isinstance(given, ast.Name) and given.id[:1].isupper()
    )


def _last(name: ast.expr) -> str:
    match name:
        case ast.Name(id=last) | ast.Attribute(attr=last):
            return last
    return ""


@pytest.mark.parametrize("place", PLACES)
def test_nothing_interrupts(place: str) -> None:
    """R06, R08: speech over the bot goes to the list and waits; it never cuts the reply off."""
    assert found_in(place, "interrupt") == []


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_invalidated(place: str) -> None:
    """R06, R08: new words do not make a running turn worthless; they are the next turn."""
    assert found_in(place, "invalidat") == []


@pytest.mark.parametrize("place", PLACES)
def test_no_turn_is_cancelled(place: str) -> None:
    """R06, R08: a cancelled turn has no ending, and its cuts would be answered again."""
    assert found_in(place, "cancel_turn") == []


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_retracted(place: str) -> None:
    """R06, R08: what was handed to the model stays handed over and is written down."""
    assert found_in(place, "retract") == []


@pytest.mark.parametrize("place", PLACES)
def test_each_name_is_seen_when_it_is_put_back(place: str) -> None:
    """A guard that has never been red guards nothing: each name, in each form, in each file."""
    codes = {
        part: [form.format(name) for form in FORMS for name in names]
        for part, names in BANNED.items()
    }
    lines = "\n    ".join(code for written in codes.values() for code in written)
    more = ast.parse(f"async def again(self):\n    {lines}").body
    for tree in read(place).values():
        again = ast.Module([*tree.body, *more], [])
        for part, written in codes.items():
            calls = sorted(code.removeprefix("await ") for code in written)
            assert sorted(hit.split(": ", 1)[1] for hit in found(again, part)) == calls


@pytest.mark.parametrize("code", FORMS)
def test_a_harmless_name_is_not_seen(code: str) -> None:
    """A guard that is red about everything gets switched off."""
    tree = ast.parse(f"async def again(self):\n    {code.format('answer')}")
    assert [hit for part in BANNED for hit in found(tree, part)] == []


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(frame, InterruptionFrame)",
        "from pipecat.frames.frames import InterruptionFrame",
        "frame.interruptible = False",
        "Strategies(enable_interruptions=False)",
        "match frame:\n    case InterruptionFrame(): pass",
        "self.log('an interruption came')",
    ],
)
def test_to_receive_an_interruption_is_allowed(code: str) -> None:
    """The application may still stop the bot; a guard against that would be switched off."""
    assert [hit for part in BANNED for hit in found(ast.parse(code), part)] == []
