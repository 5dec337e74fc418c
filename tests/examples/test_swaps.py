"""Each pair of examples: few lines apart, and one fails where the other does not, on real sound."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from pathlib import Path

import pytest
from loguru import logger
from support.swap_call import EXAMPLES, Held, hold, load

from jev_turn.demo.plan import After, Conversation, Cue, Fate, Step, Voice
from jev_turn.play.stage import Stage

NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
LINES_MAX = 10
OVERRULED = "leave user_turn_strategies unset"


def say(text: str, fate: Fate, after: After, ms: int) -> Step:
    """Return a line of the caller's."""
    return Step(Cue(after, ms), Voice(text), fate)


STORY = say("Could you explain where the museum comes from?", Fate.ANSWERED, "start", 1200)
NOD = Conversation("nod", "", (STORY, say("Uh-huh!", Fate.NODDED, "bot starts", 3000)))
STOP = Conversation("stop", "", (STORY, say("Wait, stop.", Fate.STOPS, "bot starts", 3000)))
PAUSE = Conversation(
    "pause",
    "",
    (
        say("We want to reserve a guided tour for", Fate.CONTINUED, "start", 1200),
        say("my whole chess club.", Fate.ANSWERED, "sound", 3500),
    ),
)
OVER = Conversation(
    "over", "", (STORY, say("And how much are the tickets?", Fate.QUEUED, "bot starts", 3000))
)


def goes_on(call: Held) -> bool:
    """The bot speaks on over a nod, and the nod is no turn."""
    nod = call.played[1]
    assert call.audible(nod.onset_ms), "the bot did not speak"
    spoke_on = all(call.audible(nod.end_ms + later) for later in range(0, 2000, 100))
    return spoke_on and len(call.account.turns) == 1


def stops(call: Held) -> bool:
    """The bot is silent within a second of the end of the words."""
    words = call.played[1]
    assert call.audible(words.onset_ms), "the bot did not speak"
    return not call.audible(words.end_ms + 1000)


def waits(call: Held) -> bool:
    """Nothing is answered before the caller has finished, and all of it is answered."""
    end = call.played[1].end_ms
    assert "chess" in call.said
    return not [run for run in call.account.runs if run < end]


def keeps(call: Held) -> bool:
    """What was said over the bot reaches the model, and stops nothing."""
    words = call.played[1]
    assert call.audible(words.onset_ms), "the bot did not speak"
    return "ticket" in call.said and call.audible(words.end_ms + 1000)


Case = tuple[str, Conversation, Callable[[Held], bool]]
CASES: list[Case] = [
    ("defaults", NOD, goes_on),
    ("defaults", PAUSE, waits),
    ("flux", NOD, goes_on),
    ("filter_incomplete", NOD, goes_on),
    ("min_words", STOP, stops),
    ("mute", OVER, keeps),
]


def test_every_pair_has_a_case() -> None:
    """An example that nothing is shown of would be a claim."""
    assert {name for name, _, _ in CASES} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_swap_takes_few_lines(name: str) -> None:
    """Added and removed lines together, blank ones included."""
    before, after = ((EXAMPLES / name / f"{one}.py").read_text() for one in ("before", "after"))
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [line for line in changes if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert 0 < len(changed) <= LINES_MAX, "\n".join(changed)


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports from."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_to_swap_knows_nothing_of_us(name: str) -> None:
    """The bot before is plain Pipecat with its vendors' services."""
    assert not [one for one in imports(EXAMPLES / name / "before.py") if "jev" in one]


class Built(Exception):
    """The services have been made."""


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize("name", NAMES)
async def test_the_vendors_services_take_what_they_are_given(
    name: str, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are bots as people have them; only the tests put other services in."""
    pytest.importorskip("deepgram", reason="the extra `deepgram` is not installed")

    def built(_: object) -> None:
        raise Built

    bot = load(name, which, monkeypatch)
    monkeypatch.setattr(bot, "Pipeline", built)
    with pytest.raises(Built):
        await bot.run_bot(Stage(iter(())), None)


@pytest.mark.bots
@pytest.mark.speech
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("name", "conversation", "holds"), CASES, ids=[f"{name}-{one.name}" for name, one, _ in CASES]
)
def test_the_bot_after_does_what_the_bot_before_does_not(
    name: str,
    conversation: Conversation,
    holds: Callable[[Held], bool],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The same sound, the same recogniser, model and voice."""
    monkeypatch.chdir(tmp_path)
    assert not holds(hold(name, "before", conversation, monkeypatch))
    warnings: list[str] = []
    sink = logger.add(warnings.append, level="WARNING", format="{message}")
    try:
        assert holds(hold(name, "after", conversation, monkeypatch))
    finally:
        logger.remove(sink)
    assert not [one for one in warnings if OVERRULED in one]
