"""Conversations as data: what can be played, and whose outcome can be told."""

from __future__ import annotations

import pytest

from jev_turn.demo.plan import SETTLE_MS, Conversation, Cue, Fate, Noise, Step, Voice
from jev_turn.demo.script import CONVERSATIONS
from jev_turn.errors import ConfigError

ASK = Step(Cue("start", 500), Voice("one"), Fate.ANSWERED)
THINK = Step(Cue("start", 500), Voice("one and"), Fate.CONTINUED)


def test_every_kind_of_sound_is_in_the_demo() -> None:
    """What is promised is put to the test: each fate, each noise, both voices."""
    steps = [step for one in CONVERSATIONS for step in one.steps]
    assert {step.fate for step in steps} == set(Fate) - {Fate.ANY}
    noises = {step.sound.name for step in steps if isinstance(step.sound, Noise)}
    assert noises == {"cough", "click", "door slam", "keyboard", "music"}
    assert {step.sound.who for step in steps if isinstance(step.sound, Voice)} == {
        "caller",
        "other",
    }


def test_noises_are_heard_while_the_bot_speaks_and_while_it_listens() -> None:
    """The gate has two ratios, so every noise comes twice."""
    (noises,) = (one for one in CONVERSATIONS if one.name == "noises")
    cues = [step.cue.after for step in noises.steps if isinstance(step.sound, Noise)]
    names = [step.sound.name for step in noises.steps if isinstance(step.sound, Noise)]
    assert cues.count("bot starts") == cues.count("bot stops") == 1
    assert all(names.count(name) == 2 for name in names)


def test_thinking_pauses_lie_between_the_cap_and_its_longer_form() -> None:
    """Pauses of 3 to 7 s: without a word for time under the cap of 5 s, with one over it."""
    (thinking,) = (one for one in CONVERSATIONS if one.name == "thinking")
    pauses = [step.cue.ms for step in thinking.steps if step.cue.after == "sound"]
    assert 3000 <= min(pauses) < 5000 < max(pauses) <= 7000


def test_names_are_unique_and_make_file_names() -> None:
    """A call's record and picture carry its name."""
    names = [one.name for one in CONVERSATIONS]
    assert len(set(names)) == len(names) and all(name.isalpha() for name in names)


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ((), "must follow the start"),
        ((Step(Cue("sound", 0), Voice("x"), Fate.ANSWERED),), "must follow the start"),
        ((ASK, Step(Cue("start", 900), Voice("x"), Fate.ANSWERED)), "lie over"),
        ((ASK, Step(Cue("bot stops", -1), Voice("x"), Fate.ANSWERED)), "lie over"),
        ((ASK, Step(Cue("sound", 2000), Voice("x"), Fate.ANSWERED)), "reply comes before"),
        ((THINK,), "never finished"),
        ((THINK, Step(Cue("bot starts", 0), Voice("x"), Fate.ANSWERED)), "nothing makes the bot"),
        ((THINK, Step(Cue("sound", 900), Noise("click"), Fate.UNOPENED)), "in words"),
        ((Step(Cue("start", 0), Noise("cough"), Fate.ANSWERED),), "a noise cannot be"),
        (
            (
                Step(Cue("start", 0), Noise("cough"), Fate.UNHEARD),
                Step(Cue("sound", SETTLE_MS - 1), Noise("click"), Fate.UNOPENED),
            ),
            "less than",
        ),
    ],
)
def test_an_unplayable_script_is_refused(steps: tuple[Step, ...], fault: str) -> None:
    """Sounds that overlap, or whose outcomes could not be told apart, are an error."""
    with pytest.raises(ConfigError, match=fault):
        Conversation("x", "", steps)


def test_the_shortest_time_to_settle_is_enough() -> None:
    """The limit itself is allowed."""
    steps = (
        Step(Cue("start", 0), Noise("cough"), Fate.UNHEARD),
        Step(Cue("sound", SETTLE_MS), Noise("click"), Fate.UNOPENED),
    )
    assert Conversation("x", "", steps).steps == steps
