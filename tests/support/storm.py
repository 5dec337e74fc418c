"""A storm of events for the turn machine, read from bytes, and what must hold in it.

Three bytes make one event: what, after how long, and with which detail. Hypothesis finds bytes that
break a rule and shrinks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import AgentView, Context, Mic, Phase, Turn, Words
from jev_turn.turn.effects import (
    AskJudge,
    Backchannel,
    Claim,
    Commit,
    Discard,
    Effect,
    EndTurn,
    Interrupt,
    Note,
    OpenTurn,
    Retract,
    Segment,
    Speculate,
    Withdraw,
)
from jev_turn.turn.machine import dispatch
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import tokens

OPEN_WITH_WORDS = (Phase.OPEN_TEXT, Phase.JUDGING, Phase.WAITING, Phase.CONFIRMING)
_PAUSES = (0, 0, 1, 20, 90, 150, 151, 200, 280, 350, 700, 1000, 1500, 2500, 5000, 16000)
_WORDS = "yes uh-huh stop what is an index four 15 in it's a database please no".split()


@dataclass
class Watch:
    """The rules, kept by facts seen from outside and by nothing that the machine remembers."""

    config: TurnConfig
    loud: bool = False
    stalled: bool = False
    mic_seen: bool = False
    quiet_since: int = 0
    word_at: int = 0
    agent: str = "listening"
    stopped: bool = False
    opened: int = 0
    ended: int = 0
    is_open: bool = False
    confirmed: bool = False
    held: str | None = None
    kept: str | None = None
    tried: list[str] = field(default_factory=list)
    left: list[Segment] = field(default_factory=list)

    def see(self, event: ev.Event, at: int) -> None:
        """Take note of an event before the machine sees it."""
        match event:
            case ev.Onset():
                self.loud, self.stalled, self.mic_seen = True, False, True
            case ev.Quieted():
                self.loud, self.mic_seen, self.quiet_since = False, True, at - event.quiet_ms
            case ev.Stalled():
                self.stalled, self.quiet_since = event.stalled, at
            case ev.Opened():
                self.confirmed = True
            case ev.Agent() if event.state != self.agent:
                self.agent, self.stopped = event.state, False

    def check(self, effect: Effect, at: int) -> None:
        """Check one effect."""
        match effect:
            case OpenTurn():
                assert not self.is_open, "a second OpenTurn in one turn"
                self.is_open, self.confirmed, self.opened = True, False, self.opened + 1
            case Speculate() | Commit() | Withdraw():
                self._speculates(effect)
            case EndTurn():
                self._ends(effect, at)
            case Interrupt():
                thinks = self.agent == "thinking" and self.config.withdraw_while_thinking
                assert self.agent == "speaking" or thinks, "nothing to interrupt"
                assert not self.stopped, "interrupted twice"
                self.stopped = True
            case Backchannel() | Discard():
                assert tokens(effect.text)
                self.left += effect.segments
                self.is_open = self.is_open and self.config.empty_turn == "keep"
            case Retract():
                self.is_open = False
            case Note(kind="open_refused" | "no_answer") if not self.confirmed:
                self.is_open = False
            case Note(kind="ended_elsewhere") if self.confirmed:
                self.is_open = False
            case Note(kind="thinking_ceiling"):
                self.agent, self.stopped = "listening", False

    def _speculates(self, effect: Speculate | Commit | Withdraw) -> None:
        """One reply is held at a time, and none outlives what became of it."""
        if isinstance(effect, Speculate):
            assert self.config.speculate and self.held is None and self.is_open
            assert self.agent == "listening" or self.stopped, "begun while another is on its way"
            assert all(tokens(words) != tokens(effect.text) for words in self.tried), "tried before"
            self.held, self.tried = effect.text, [*self.tried, effect.text]
            assert len(self.tried) <= self.config.speculate_runs_max
            return
        assert self.held is not None, "nothing is held"
        self.kept = self.held if isinstance(effect, Commit) else None
        self.held = None

    def _ends(self, effect: EndTurn, at: int) -> None:
        config = self.config
        assert config.ends and self.is_open
        assert self.held is None, "a reply is still held"
        assert self.kept is None or tokens(self.kept) == tokens(effect.text), "other words"
        self.kept, self.tried = None, []
        assert tokens(effect.text), "an empty turn was ended"
        assert effect.text == " ".join(" ".join(s.text for s in effect.segments).split())
        since = self.quiet_since if self.mic_seen else self.word_at
        quiet = -1 if self.loud or self.stalled else at - since
        least = {
            "complete": config.confirm_min_ms,
            "timeout": config.cap_ms,
            "degraded": config.degraded_end_ms,
        }
        if effect.why == "still":
            assert at - self.word_at >= config.cap_ms
        else:
            assert quiet >= least[effect.why], f"ended after {quiet} ms of quiet"
        self.left += effect.segments
        self.ended += 1
        self.is_open = False
        assert self.ended <= self.opened
        if self.agent != "speaking" or self.stopped:
            self.agent, self.stopped = "thinking", False


class Storm:
    """Plays bytes as events, with a judge and a transport that do what they like.

    Args:
        config: The machine's settings.
        data: Three bytes per event.
        faithful: The recogniser only ever adds words, and closes a segment before new sound;
            nobody else ends turns, and nobody hangs up.
        acks: The transport confirms at once.
    """

    def __init__(
        self, config: TurnConfig, data: bytes, *, faithful: bool = False, acks: bool = True
    ) -> None:
        self.ctx = Context()
        self.now = 0
        self.config = config
        self.data = data
        self.faithful = faithful
        self.acks = acks
        self.watch = Watch(config)
        self.segment, self.text = 1, ""
        self.finals: dict[int, str] = {}
        self.asks: list[AskJudge] = []
        self.swallowed: set[int] = set()
        self.elsewhere: set[int] = set()
        self.asked = 0

    def play(self) -> None:
        """Play all bytes."""
        for i in range(0, len(self.data) - 2, 3):
            what, pause, detail = self.data[i : i + 3]
            self.wait(_PAUSES[pause % 16], late=detail % 8 == 7)
            for event in self._event(what, detail):
                self.send(event)

    def wait(self, ms: int, *, late: bool = False) -> None:
        """Let time pass; a late timer fires only after it."""
        until = self.now + ms
        while not late and self.ctx.deadline is not None and self.ctx.deadline <= until:
            self.now = max(self.now, self.ctx.deadline)
            self.send(ev.Tick(self.now))
        self.now = until

    def send(self, event: ev.Event) -> tuple[Effect, ...]:
        """Feed one event and check everything that must hold."""
        before, was = self.ctx, _parts(self.ctx)
        self.watch.see(event, max(event.at, before.at))
        self.ctx, effects = dispatch(before, event, self.config)
        assert _parts(before) == was, "the input was changed"
        assert (self.ctx, effects) == dispatch(before, event, self.config), "not a pure function"
        deadline = self.ctx.deadline
        assert deadline is None or deadline > self.ctx.at, "a deadline in the past"
        assert (self.ctx.turn.hold is not None) == (self.ctx.phase is Phase.HELD)
        if tokens(self.ctx.turn.text) not in ((), tokens(before.turn.text)):
            self.watch.word_at = self.ctx.at
        self._took(before, event, effects)
        for effect in effects:
            self.watch.check(effect, self.ctx.at)
        self._held_reply(event, effects)
        for effect in effects:
            self._translate(effect)
        return effects

    def _held_reply(self, event: ev.Event, effects: tuple[Effect, ...]) -> None:
        if isinstance(event, ev.SpeculationLost) and event.reason == "pipeline":
            self.watch.held = None
        if self.ctx.guess is not None:
            assert tokens(self.ctx.guess) == tokens(self.ctx.turn.text), "it answers other words"
        assert self.ctx.guess == self.watch.held
        if not self.ctx.turn.has_words and not any(isinstance(e, Speculate) for e in effects):
            self.watch.tried = list(self.ctx.turn.guessed)

    def _took(self, before: Context, event: ev.Event, effects: tuple[Effect, ...]) -> None:
        kinds = {effect.kind for effect in effects if isinstance(effect, Note)}
        if "late_final" in kinds and isinstance(event, ev.Heard):
            self.swallowed.add(event.segment)
        if "ended_elsewhere" in kinds:
            gone = {s.number for s in before.turn.finals}
            self.elsewhere |= gone - {s.number for s in self.ctx.turn.finals}
        held = before.phase is Phase.HELD and self.ctx.phase is not Phase.HELD
        if held and isinstance(event, ev.Tick):
            assert any(isinstance(e, Backchannel | Discard) for e in effects), "a hold timed out"

    def _translate(self, effect: Effect) -> None:
        if isinstance(effect, AskJudge):
            assert effect.ask == self.asked + 1 and tokens(effect.text)
            self.asked = effect.ask
            self.asks.append(effect)
        elif self.acks and isinstance(effect, OpenTurn):
            self.send(ev.Opened(self.now))
        elif self.acks and isinstance(effect, EndTurn):
            self.send(ev.Ended(self.now))

    # --- bytes to events ----------------------------------------------------------------------

    def _event(self, what: int, detail: int) -> Iterator[ev.Event]:
        at = self.now - (40 if detail % 16 == 15 else 0)
        kind = what % 32
        if kind < 10:
            yield from self._speech(kind, at, detail)
        elif kind < 16:
            yield from self._sound(kind, at, detail)
        elif kind < 24:
            yield from self._answer(kind, at, detail)
        elif kind < 27:
            yield ev.Agent(at, ("listening", "thinking", "speaking")[detail % 3])
        elif kind == 27 and detail % 2:
            yield ev.SpeculationLost(at, ("pipeline", "failed")[detail % 4 > 1])
        elif self.faithful:
            yield ev.Tick(at)
        elif kind < 30:
            yield from self._transport(at, detail)
        elif kind == 30 and detail % 8 == 0:
            yield ev.HungUp(at)
        else:
            yield ev.Tick(at)

    def _speech(self, kind: int, at: int, detail: int) -> Iterator[ev.Event]:
        word = _WORDS[detail % len(_WORDS)]
        if kind < 6 or (self.faithful and kind == 6):
            self.text = f"{self.text} {word}".strip()
        elif kind == 6:
            self.text = " ".join(self.text.split()[: detail % 4]) if detail % 2 else word
        if kind < 7:
            yield ev.Heard(at, self.text, False, self.segment)
            return
        text = self.text.capitalize() + "." if detail % 2 else self.text
        if not self.faithful and detail % 5 == 0:
            text = f"{word} {text}" if detail % 2 else ""
        yield from self._final(at, text)

    def _final(self, at: int, text: str) -> Iterator[ev.Event]:
        number = self.segment
        self.finals[number], self.segment, self.text = text, number + 1, ""
        yield ev.Heard(at, text, True, number)

    def _sound(self, kind: int, at: int, detail: int) -> Iterator[ev.Event]:
        if kind < 12:
            if self.faithful and self.text:
                yield from self._final(at, self.text)
            yield ev.Onset(at)
        elif kind < 15:
            yield ev.Quieted(at, detail % 400)
        else:
            yield ev.Stalled(at, detail % 2 == 0)

    def _answer(self, kind: int, at: int, detail: int) -> Iterator[ev.Event]:
        yield ev.Tick(self.now)
        if not self.asks or detail == 255:
            yield ev.Judged(at, detail + 1000, _verdict(detail))
            return
        ask = self.asks.pop(-1 if detail % 3 else 0)
        stale = ask.ask != self.asked or self.ctx.phase is not Phase.JUDGING
        if kind == 23:
            error = "superseded" if stale and detail % 2 else "timeout"
            answer: ev.Event = ev.JudgeFailed(at, ask.ask, error)
        else:
            answer = ev.Judged(at, ask.ask, _verdict(detail, kind))
        if not stale:
            yield answer
            return
        effects = self.send(answer)
        allowed = {Note, Withdraw}
        if isinstance(answer, ev.Judged):
            allowed |= {Interrupt, Claim, Speculate}
        interrupted = any(isinstance(effect, Interrupt) for effect in effects)
        kinds = {type(effect) for effect in effects} - ({AskJudge} if interrupted else set())
        assert kinds <= allowed, f"a stale answer did {kinds}"

    def _transport(self, at: int, detail: int) -> Iterator[ev.Event]:
        if detail % 8 == 0:
            yield ev.EndedElsewhere(at, "")
        elif not self.acks:
            events: tuple[Any, ...] = (ev.Opened(at), ev.OpenRefused(at, ""), ev.Ended(at))
            yield (*events, ev.EndRefused(at, ""))[detail % 4]


def _verdict(detail: int, kind: int = 16) -> Verdict:
    taking = (None, 0.1, 0.5, 0.9)[detail // 64]
    return Verdict(
        (0.0, 0.4, 0.6, 0.7, 0.95)[kind % 5],
        0.8 if detail % 11 == 0 else 0.1,
        0.2 if detail % 5 == 0 else 0.9,
        taking,
        (None, 0.3, 0.9)[detail % 3],
    )


def _parts(ctx: Context) -> tuple[Any, ...]:
    """The values of a context, two levels deep: all that could be changed."""
    parts = (ctx, ctx.turn, ctx.turn.words, ctx.mic, ctx.agent)
    return tuple(values(part) for values, part in zip(_VALUES, parts, strict=True))


_VALUES = [
    attrgetter(*(one.name for one in fields(part)))
    for part in (Context, Turn, Words, Mic, AgentView)
]
