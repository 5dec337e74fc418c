"""What the demo promises, and whether its calls kept it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jev_turn.demo.call import Call
from jev_turn.demo.cases import Case, never, of
from jev_turn.demo.measure import Promise, counted, times
from jev_turn.demo.outcome import Outcome, cut_ins, outcomes, thoughts
from jev_turn.demo.plan import Fate, Voice
from jev_turn.demo.promises_finish_turn import without_barge_in
from jev_turn.record.heard import words


def promises(calls: Sequence[Call]) -> list[Promise]:
    """Hold calls to what was promised.

    Args:
        calls: The calls of a run; a recording has no labels and is put to fewer tests.

    Returns:
        One promise per line of the closing table.
    """
    cases = [Case(call.conversation.name, one) for call in calls for one in outcomes(call)]
    return [
        *_gate(cases),
        *_noises(cases),
        *_over_the_bot(cases),
        *_thinking(calls),
        never(
            "Words for somebody else get no reply, stop nothing",
            "line",
            of(cases, Fate.UNANSWERED),
            _taken_up,
        ),
        never(
            "A question gets a reply, and only one",
            "question",
            of(cases, Fate.ANSWERED),
            _not_answered,
        ),
        *without_barge_in(calls, cases),
        _words("No word is lost", calls, lambda call: call.oracle.lost),
        _words("No word is taken twice", calls, lambda call: call.oracle.doubled),
    ]


def _gate(cases: Sequence[Case]) -> list[Promise]:
    opened = [
        (str(case), opening)
        for case in cases
        for opening in case.outcome.openings
        if not opening.held_back
    ]
    voices = [case for case in cases if isinstance(case.outcome.played.step.sound, Voice)]
    return [
        times(
            "From the first loud 10 ms the gate needs little sound to open",
            "opening",
            [(name, x.heard_ms) for name, x in opened],
            {"p50": 120, "max": 150},
        ),
        # By the clock, half of all openings take 120 ms and what the pipeline needs, because of
        # how 20 ms chunks lie over the sound: the other 5 ms are the pipeline's.
        times(
            "The gate opens soon after the first loud 10 ms",
            "opening",
            [(name, x.opened_after_ms) for name, x in opened],
            {"p50": 125, "max": 150},
        ),
        times(
            "The gate opens soon after the labelled onset of a voice",
            "voice",
            [(name, x.from_label_ms) for name, x in opened],
            {"p50": 130, "p90": 180},
        ),
        never("Every voice opens the gate", "voice", voices, lambda one: not one.openings),
    ]


def _noises(cases: Sequence[Case]) -> list[Promise]:
    noises = of(cases, Fate.UNOPENED) + of(cases, Fate.UNHEARD)
    return [
        never(
            "A click never opens the gate",
            "click",
            of(cases, Fate.UNOPENED),
            lambda one: bool(one.openings),
        ),
        never(
            "A noise makes no words, ends no turn, stops nothing",
            "noise",
            noises,
            _came_to_something,
        ),
    ]


def _over_the_bot(cases: Sequence[Case]) -> list[Promise]:
    stops = of(cases, Fate.STOPS)
    return [
        never(
            "A nod neither stops the bot nor makes a turn", "nod", of(cases, Fate.NODDED), _taken_up
        ),
        never("\u201cStop\u201d stops the bot", "stop", stops, lambda one: _stopped(one) is None),
        times(
            "The bot is silent soon after the end of \u201cstop\u201d",
            "stop",
            [(str(case), _stopped(case.outcome)) for case in stops],
            {"p50": 500, "max": 700},
        ),
    ]


def _thinking(calls: Sequence[Call]) -> list[Promise]:
    cuts, split, pauses, groups = [], [], 0, 0
    for call in calls:
        found = outcomes(call)
        for group in thoughts(found):
            if len(group) == 1:
                continue
            groups, pauses = groups + 1, pauses + len(group) - 1
            case = str(Case(call.conversation.name, group[0]))
            cuts += [case] * cut_ins(group)
            turns = sum(len(one.ended) for one in group)
            split += [f"{case}: {turns} turns"] if turns != 1 else []
    return [
        counted("A pause in mid-thought does not end the turn", "pause", pauses, cuts),
        counted("A thought, or a number in groups, is one turn", "thought", groups, split),
    ]


def _came_to_something(one: Outcome) -> bool:
    return bool(one.words) or _taken_up(one)


def _taken_up(one: Outcome) -> bool:
    return bool(one.ended or one.interruptions)


def _not_answered(one: Outcome) -> bool:
    return len(one.ended) != 1 or len(one.replies) != 1


def _stopped(one: Outcome) -> int | None:
    """Tell how long after the sound's end the bot fell silent; ``None`` if nothing stopped it."""
    stops = [stop for stop in one.interruptions if stop.spoke]
    return stops[0].silent_ms - one.played.end_ms if stops else None


def _words(what: str, calls: Sequence[Call], texts: Callable[[Call], Sequence[str]]) -> Promise:
    faults = [f"{call.conversation.name}: {text!r}" for call in calls for text in texts(call)]
    lost = sum(len(words(text)) for call in calls for text in texts(call))
    said = sum(len(words(final.text)) for call in calls for final in call.account.finals)
    return counted(what, "word", said, faults, times=lost)
