"""What goes wrong around a turn: the judge, the model, the voice, mutes, stalls, interruptions."""

from __future__ import annotations

from random import Random

from jev_turn.play.soak_script import Kind, Step

ANSWERS = (
    *["ideal"] * 5, *["random"] * 3, *["flip"] * 2, "nod", "aside", "holding", "incomplete",
)  # fmt: skip
"""Manners in which the judge answers."""

JUDGE = (*ANSWERS, "error", "garbage", "never")

MODEL = (*["plain"] * 8, "long", "empty", "slow", "error", "breaks", "late")
VOICE = (*["plain"] * 8, "slow", "error", "raises", "silent")
FROM = ("worker", "model", "source", "commit", "commit")
"""Who interrupts; ``commit`` is in the middle of the next one."""

_SETS = (
    "turn.side_talk=keep",
    "turn.empty_turn=keep",
    "turn.side_talk_hold=false",
    "turn.semantic_barge_in=false",
    "turn.barge_in_requires_addressed=true",
    "turn.withdraw_while_thinking=false",
    "turn.side_talk_streak_max=2",
    "turn.debounce_ms=0",
)


_SPECULATES = 1 / 3


def beginning(rng: Random) -> list[Step]:
    """Return how judge, model and voice behave at first, and what the agent says by itself."""
    steps = [
        Step(0, 0, "judge", rng.choice(ANSWERS), lasts_ms=rng.choice((0, 50, 150, 400))),
        Step(0, 0, "model", "plain"),
        Step(0, 0, "voice", "plain"),
    ]
    if rng.random() < 0.5:
        greeting = f"Hello. {' '.join(['blah'] * rng.randint(2, 25))}."
        steps.append(Step(rng.randint(0, 500), 0, "say", greeting))
    return steps


def speculation(seed: int, call: int) -> tuple[str, ...]:
    """Return the settings of a call that begins replies early, which every third one does.

    They are drawn apart from all else, so that a call with a number goes as it always has.
    """
    rng = Random(f"{seed}/{call}/speculation")
    if rng.random() >= _SPECULATES:
        return ()
    return ("turn.speculate=true", f"turn.speculate_runs_max={rng.choice((1, 1, 3))}")


def settings(rng: Random) -> tuple[str, ...]:
    """Return settings that differ from the policy, for one call in three."""
    return tuple(rng.sample(_SETS, rng.choice((0, 0, 0, 0, 1, 2))))


def trouble(rng: Random, turn: int, began_ms: int, ended_ms: int, words: list[int]) -> list[Step]:
    """Return what happens around one turn.

    Args:
        rng: Decides.
        turn: Number of the turn.
        began_ms: When it began, ms.
        ended_ms: When its last words came, ms.
        words: When words came, ms: what happens in the same moment is the hardest.
    """

    def step(kind: Kind, text: str = "", lasts_ms: int = 0) -> Step:
        at_ms = rng.randint(began_ms, ended_ms + 3_000)
        if words and rng.random() < 0.25:
            at_ms = rng.choice(words) + rng.choice((-1, 0, 0, 1))
        return Step(max(at_ms, 0), turn, kind, text, lasts_ms=lasts_ms)

    steps = []
    if rng.random() < 0.5:
        steps.append(step("judge", rng.choice(JUDGE), rng.choice((0, 50, 150, 400, 900, 2_500))))
    if rng.random() < 0.5:
        steps.append(step("model", rng.choice(MODEL)))
    if rng.random() < 0.5:
        steps.append(step("voice", rng.choice(VOICE)))
    if rng.random() < 0.2:
        lasts_ms = rng.choice((1, 200, 1_500, 4_000, 4_000, 9_000))
        steps.append(step("mute", rng.choice(("", "", "commit")), lasts_ms))
    if rng.random() < 0.08:
        steps.append(step("interrupt", rng.choice(FROM)))
    if rng.random() < 0.06:
        steps.append(step("stall", lasts_ms=rng.choice((600, 2_000, 6_000))))
    if rng.random() < 0.06:
        steps.append(step("say", f"By the way. {' '.join(['blah'] * rng.randint(1, 12))}."))
    return steps
