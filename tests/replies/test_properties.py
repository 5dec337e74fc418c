"""Whatever happens in whatever order: words are conserved, and no turn overlaps another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reply_scenario import ListRunner, MouthRunner

from jev_turn.policy import load_policy
from jev_turn.replies import events as ev
from jev_turn.replies import machine, mouth
from jev_turn.replies.effects import (
    AskEar,
    AskMouth,
    Discard,
    EndTurnRecord,
    KeepCut,
    Open,
    Rejoin,
    RestoreCuts,
    StartTurn,
    TurnSpoke,
    Unspoken,
)

LIST, MOUTH = load_policy(env={}).replies(), load_policy(env={}).mouth()
WAITS = st.sampled_from([0, 0, 1, 90, 400, 1000, 2500, 9000])
ACTIONS = st.sampled_from(
    ["word", "word", "word", "final", "final", "signs", "onset", "quiet", "stalled", "back"]
    + ["enough", "enough", "not enough", "holding", "failed", "superseded", "late answer"]
    + ["listening", "thinking", "speaking", "spoke", "ended", "empty", "broken", "dropped"]
    + [
        "broken off",
        "announced",
        "held",
        "opened",
        "unspoken",
        "stt up",
        "stt down",
        "fast",
        "fast final",
    ]
)
STORIES = st.lists(st.tuples(WAITS, ACTIONS), max_size=60)


@dataclass
class Caller:
    """Feeds a list with what a recogniser, a judge and a bot might do; every word is unique."""

    run: ListRunner = field(default_factory=lambda: ListRunner(LIST))
    said: list[str] = field(default_factory=list)
    segment: list[str] = field(default_factory=list)
    asks: list[int] = field(default_factory=list)

    def play(self, story: list[tuple[int, str]]) -> None:
        """Play a story, following every deadline."""
        at = 0
        for wait, action in story:
            at += wait
            self.run.run_until(at)
            event = self.event(at, action)
            self.run.send(ev.Tick(at) if event is None else event)
        self.run.run_until(at + 1)

    def event(self, at: int, action: str) -> ev.Event | None:
        """Turn a word of the story into an event; ``None`` if it makes no sense here."""
        turn = self.run.turn
        match action:
            case "word" | "final" | "signs" | "fast" | "fast final":
                return self.hear(at, action)
            case "enough" | "not enough" | "holding" | "failed" | "superseded" | "late answer":
                return self.answer(at, action)
            case "listening" | "thinking" | "speaking":
                return ev.Agent(at, action)
            case "ended" | "empty":
                return ev.RunEnded(at, turn, "words" if action == "ended" else "", True)
            case "broken" | "broken off" | "dropped":
                return ev.RunEnded(at, turn, "so" * action.endswith("off"), False, action)
        return OTHER[action](at, turn)

    def hear(self, at: int, action: str) -> ev.Event:
        """Say a unique word more, unless only signs are put in."""
        if action != "signs" or not self.segment:
            word = f"{'abcdefghijklmnopqrstuvwxyz'[len(self.said) % 26]}{len(self.said)}x"
            self.said.append(word)
            self.segment.append(word)
        text = (
            ", ".join(self.segment).title() + "." if action == "signs" else " ".join(self.segment)
        )
        final = action in ("final", "fast final")
        duration = 10.0 if action.startswith("fast") else None
        number = self.run.segment
        self.segment = [] if final else self.segment
        return ev.HeardFor(at, text, final, number, duration)

    def answer(self, at: int, action: str) -> ev.Event | None:
        """Answer the newest question, or the oldest."""
        asks = [ask.number for ask in self.run.ctx.ear.asks]
        if not asks:
            return None
        ask = asks[0] if action == "late answer" else asks[-1]
        if action in ("failed", "superseded"):
            return ev.EarFailed(at, ask, action)
        enough = 0.2 if action in ("not enough", "holding") else 0.9
        return ev.EarJudged(at, ask, enough, 0.9 if action == "holding" else 0.0)


OTHER: dict[str, Callable[[int, int], ev.Event]] = {
    "onset": lambda at, _: ev.Onset(at),
    "quiet": lambda at, _: ev.Quieted(at, min(at, 200)),
    "stalled": lambda at, _: ev.Stalled(at, True),
    "back": lambda at, _: ev.Stalled(at, False),
    "announced": ev.AboutToSpeak,
    "spoke": ev.SpokeFirst,
    "held": ev.ReplyHeld,
    "opened": ev.ReplyOpened,
    "unspoken": lambda at, turn: ev.ReplyUnspoken(at, turn, "words"),
    "stt up": lambda at, _: ev.SttUp(at),
    "stt down": lambda at, _: ev.SttDown(at, "closed"),
}


def words(*texts: str) -> Counter[str]:
    """Count words without their signs."""
    return Counter("".join(c for c in w.lower() if c.isalnum()) for t in texts for w in t.split())


@given(STORIES)
@settings(max_examples=60)
def test_every_word_leaves_once(story: list[tuple[int, str]]) -> None:
    """Each word said is in one cut, in one trace, or still in the buffer; never in two, or none."""
    caller = Caller()
    caller.play(story)
    run = caller.run
    drops = run.all(Discard)
    gone = words(*(kept.cut.text for kept in run.all(KeepCut)))
    gone += words(*(drop.text for drop in drops if drop.kind != "watermark"))
    gone.subtract(words(*(back.text for back in run.all(Rejoin))))
    waits = words(run.ctx.buffer.text, run.ctx.withheld.text if run.ctx.withheld else "")
    assert min(gone.values(), default=0) >= 0
    assert +gone + waits == Counter(caller.said)
    repeated = words(*(drop.text for drop in drops if drop.kind == "watermark"))
    assert not repeated - Counter(caller.said)


@given(STORIES)
@settings(max_examples=40)
def test_turns_never_overlap_and_end_once(story: list[tuple[int, str]]) -> None:
    """Start, at most one first sound, one ending, and only then the next start."""
    caller = Caller()
    caller.play(story)
    open_turn, spoken = None, set[int]()
    for _, effect in caller.run.log:
        match effect:
            case StartTurn():
                assert open_turn is None
                assert not {cut.id for cut in effect.cuts} & spoken
                assert [cut.id for cut in effect.cuts] == sorted(cut.id for cut in effect.cuts)
                open_turn = effect
            case TurnSpoke():
                assert open_turn
                assert effect.turn == open_turn.turn
                spoken |= {cut.id for cut in open_turn.cuts}
            case EndTurnRecord() | RestoreCuts():
                assert open_turn
                assert effect.turn == open_turn.turn
                open_turn = None
    assert (open_turn is None) is (caller.run.ctx.flight is None)


@given(STORIES)
@settings(max_examples=40)
def test_every_cut_is_somewhere(story: list[tuple[int, str]]) -> None:
    """Each cut is answered by the last turn that took it, in flight, or waiting: never in two."""
    caller = Caller()
    caller.play(story)
    run = caller.run
    taken = {turn.turn: [cut.id for cut in turn.cuts] for turn in run.all(StartTurn)}
    ended = [cut for end in run.all(EndTurnRecord) for cut in taken[end.turn]]
    flying = [cut.id for cut in run.ctx.flight.cuts] if run.ctx.flight else []
    waiting = [cut.id for cut in run.ctx.pending]
    assert sorted(ended + flying + waiting) == [kept.cut.id for kept in run.all(KeepCut)]


@given(STORIES)
@settings(max_examples=40)
def test_the_list_always_moves_on(story: list[tuple[int, str]]) -> None:
    """A deadline in the past would wake the host for ever without any progress."""
    run = ListRunner(LIST)
    caller = Caller(run)
    at = 0
    for wait, action in story:
        at += wait
        while run.ctx.deadline is not None and run.ctx.deadline <= at:
            run.send(ev.Tick(run.ctx.deadline))
            assert run.ctx.deadline is None or run.ctx.deadline > run.ctx.at
        run.send(caller.event(at, action) or ev.Tick(at))
        assert run.ctx.deadline is None or run.ctx.deadline > run.ctx.at


@given(STORIES)
@settings(max_examples=25)
def test_the_list_is_a_function(story: list[tuple[int, str]]) -> None:
    """No event changes the state that it was given, and the same event does the same again."""
    caller = Caller()
    at = 0
    for wait, action in story:
        at += wait
        event = caller.event(at, action) or ev.Tick(at)
        before, shown = caller.run.ctx, repr(caller.run.ctx)
        caller.run.send(event)
        assert repr(before) == shown
        assert machine.dispatch(before, event, LIST)[0] == caller.run.ctx
        hash(caller.run.ctx)


@given(STORIES)
@settings(max_examples=25)
def test_a_call_that_ends_leaves_nothing_open(story: list[tuple[int, str]]) -> None:
    """After the hang-up no turn is in flight, no word in the buffer, and no timer armed."""
    caller = Caller()
    caller.play(story)
    run = caller.run
    run.send(ev.HungUp(run.ctx.at))
    assert (run.ctx.flight, run.ctx.buffer.text, run.ctx.deadline) == (None, "", None)
    assert len(run.all(StartTurn)) == len(run.all(EndTurnRecord)) + len(run.all(RestoreCuts))


@given(STORIES)
@settings(max_examples=25)
def test_the_ear_asks_once_a_second_at_most(story: list[tuple[int, str]]) -> None:
    """Within one stretch of words; after a cut the next words begin a second of their own."""
    caller = Caller()
    caller.play(story)
    assert all(b - a >= 1000 for a, b in pairwise(caller.run.times(AskEar)))
    assert all(ask.text for ask in caller.run.all(AskEar))


MOUTH_ACTIONS = st.sampled_from(
    ["onset", "quiet", "stalled", "back", "words", "words", "chunk", "chunk", "next", "yes", "no"]
    + ["failed", "leaving", "over", "dropped", "tick"]
)


@given(st.lists(st.tuples(WAITS, MOUTH_ACTIONS), max_size=50))
@settings(max_examples=40)
def test_the_mouth_always_comes_to_an_end(story: list[tuple[int, str]]) -> None:
    """It moves on, asks once a second at most, and holds no longer than its ceiling and a breath."""
    lips = MouthRunner(MOUTH)
    at, turn, held_at = 0, 1, None
    for wait, action in story:
        at += wait
        lips.run_until(at)
        turn += action == "next"
        before, shown = lips.ctx, repr(lips.ctx)
        event = mouth_event(lips, at, turn, action)
        lips.send(event)
        assert repr(before) == shown
        assert mouth.dispatch(before, event, MOUTH)[0] == lips.ctx
        hash(lips.ctx)
        held_at = lips.ctx.held_at if lips.ctx.phase == "holding" else None
        assert held_at is None or at - held_at <= MOUTH.ceiling_ms + MOUTH.ask_from_ms
        assert lips.ctx.deadline is None or lips.ctx.deadline > lips.ctx.at
        assert (lips.ctx.deadline is None) is (held_at is None)
    assert all(b - a >= MOUTH.ask_interval_ms for a, b in pairwise(lips.times(AskMouth)))
    for opened in lips.all(Open):
        assert opened.quiet_ms >= MOUTH.ask_from_ms or opened.why in ("still", "ceiling")


def mouth_event(lips: MouthRunner, at: int, turn: int, action: str) -> ev.MouthEvent:
    """Turn a word of the story into an event."""
    ask = lips.ctx.asked.number if lips.ctx.asked else 99
    match action:
        case "words":
            return ev.Words(at, f"words until {at}")
        case "chunk" | "next":
            return ev.FirstChunk(at, turn)
        case "yes" | "no":
            return ev.MouthJudged(at, ask, 0.9 if action == "yes" else 0.1)
        case "failed":
            return ev.MouthFailed(at, ask, "timeout")
    return lips.read(at, "quiet 0" if action == "quiet" else action)


@pytest.mark.parametrize("loud", [True, False])
@given(st.lists(st.tuples(st.sampled_from([0, 90, 400, 900]), MOUTH_ACTIONS), max_size=40))
@settings(max_examples=25)
def test_the_mouth_never_opens_over_a_person(loud: bool, story: list[tuple[int, str]]) -> None:
    """While there is sound and words keep coming, nothing but giving up ends a hold."""
    lips = MouthRunner(MOUTH)
    lips.send(ev.Onset(0))
    at = 0
    for wait, action in story:
        at += wait
        if action in ("quiet", "stalled", "back", "dropped"):
            action = "words"
        lips.do(at, f'words "until {at}"') if loud else None
        lips.send(mouth_event(lips, at, 1, action))
        lips.run_until(at)
    opened = [opened.why for opened in lips.all(Open)]
    assert opened == [] if loud else set(opened) <= {"still"}
    assert len(lips.all(Unspoken)) + len(opened) <= len(story)
