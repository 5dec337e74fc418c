"""The turn machine's events of an ordinary call, in the proportions in which they come."""

from __future__ import annotations

import heapq
from itertools import count

from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context
from jev_turn.turn.effects import AskJudge, Effect, EndTurn, OpenTurn
from jev_turn.turn.machine import dispatch
from jev_turn.turn.verdict import Verdict

_SENTENCE = "well I wanted to ask you whether you could tell me what an index is for".split()
_WORD_MS = 300
_JUDGE_MS = 150
_EXCHANGE_MS = 16_000


def of_a_call(config: TurnConfig, exchanges: int = 4) -> list[ev.Event]:
    """Hold a call and return all that the machine was told.

    In each exchange a person says fifteen words with interims, pauses in their middle, is
    answered, and says "uh-huh" over the answer.

    Args:
        config: The machine's settings.
        exchanges: How many.

    Returns:
        The events in order; fed to a fresh machine they do the same again.
    """
    serial, told, ctx = count(), list[ev.Event](), Context()
    queue = [(event.at, next(serial), event) for n in range(exchanges) for event in _exchange(n)]
    heapq.heapify(queue)
    while queue:
        event: ev.Event = heapq.heappop(queue)[2]
        if ctx.deadline is not None and ctx.deadline < event.at:
            heapq.heappush(queue, (event.at, next(serial), event))
            event = ev.Tick(ctx.deadline)
        ctx, effects = dispatch(ctx, event, config)
        told.append(event)
        for answer in _answers(event.at, effects):
            heapq.heappush(queue, (answer.at, next(serial), answer))
    return told


def _exchange(number: int) -> list[ev.Event]:
    begin, segment = number * _EXCHANGE_MS, 3 * number + 1
    end = begin + len(_SENTENCE) * _WORD_MS + 1_000
    events: list[ev.Event] = [ev.Onset(begin + 110)]
    half = len(_SENTENCE) // 2
    for part, words in enumerate((_SENTENCE[:half], _SENTENCE[half:])):
        at = begin + part * (half * _WORD_MS + 1_000)
        for said in range(1, len(words) + 1):
            heard_at, text = at + said * _WORD_MS + 150, " ".join(words[:said])
            events.append(ev.Heard(heard_at, text, False, segment + part))
        spoken = at + len(words) * _WORD_MS
        events += [ev.Quieted(spoken + 200, 200), ev.Onset(spoken + 1_110)]
        events.append(ev.Heard(spoken + 300, " ".join(words), True, segment + part))
    events[-2] = ev.Quieted(end + 400, 400)
    states = [(end + 1_500, "thinking"), (end + 2_200, "speaking"), (end + 7_000, "listening")]
    events += [ev.Agent(at, state) for at, state in states]  # type: ignore[arg-type]
    events += [ev.Onset(end + 4_110), ev.Heard(end + 4_400, "uh-huh", False, segment + 2)]
    events += [ev.Quieted(end + 4_600, 200), ev.Heard(end + 4_700, "uh-huh", True, segment + 2)]
    return events


def _answers(at: int, effects: tuple[Effect, ...]) -> list[ev.Event]:
    """What the pipeline and the judge say to the machine's orders."""
    answers: list[ev.Event] = []
    for effect in effects:
        match effect:
            case OpenTurn():
                answers.append(ev.Opened(at))
            case EndTurn():
                answers.append(ev.Ended(at))
            case AskJudge():
                verdict = _verdict(effect.text, speaking=effect.bundle == "speaking")
                answers.append(ev.Judged(at + _JUDGE_MS, effect.ask, verdict))
    return answers


def _verdict(text: str, *, speaking: bool) -> Verdict:
    complete = 0.9 if text.endswith(_SENTENCE[-1]) else 0.2
    return Verdict(complete, 0.1, 0.95, 0.03 if speaking else None)
