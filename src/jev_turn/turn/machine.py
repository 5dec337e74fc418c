"""The turn machine: every transition of a conversation's turn-taking.

``dispatch(ctx, event, config) -> (ctx, effects)`` is pure: no clock, no I/O, no mutation. Time
comes in with events; the machine asks for a ``Tick`` by ``ctx.deadline`` and for nothing else.

    ARMED        nothing is open
    OPENING      the transport was asked to open a turn
    OPEN_EMPTY   open, no words yet
    OPEN_TEXT    words; waiting out the debounce before asking the judge
    JUDGING      asked; the latest ask is about the present words
    WAITING      judged incomplete, or the judge is away; quiet will make it ask again
    CONFIRMING   judged complete; waiting for enough quiet
    HELD         not for the agent, a nod, or undecided; only words or the agent wake it
    ENDING       the transport was asked to end the turn

Every event runs its own handler and then ``_advance``, which does whatever time has made due.
An early, late or missing ``Tick`` can therefore never end a turn too soon, only later.

Rules that hold everywhere:

* A turn is ended only with words, and only by a verdict confirmed by quiet or by a silence rule.
* An answer counts for the words it was asked about. About others it may interrupt, if those
  words begin the present ones, and does nothing else.
* The agent is stopped once per reply.
* Words leave a turn by ``EndTurn``, ``Backchannel`` or ``Discard`` and in no other way.
"""

from __future__ import annotations

from dataclasses import replace

from jev_turn.turn import curves, timing
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Ask, Context, Hold, Judgement, Late, Phase, Turn
from jev_turn.turn.effects import (
    AskJudge,
    Backchannel,
    Bundle,
    Claim,
    Discard,
    Effect,
    EndTurn,
    Interrupt,
    Note,
    OpenTurn,
    Retract,
    Segment,
    Why,
)
from jev_turn.turn.events import (
    Agent,
    Ended,
    EndedElsewhere,
    EndRefused,
    Event,
    Heard,
    HungUp,
    Judged,
    JudgeFailed,
    Onset,
    Opened,
    OpenRefused,
    Quieted,
    Stalled,
    Tick,
)
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import is_prefix, late_match, starts_with_phrase, tokens

_ASKS_KEPT = 16
_UNDECIDED_WORDS = (Phase.OPEN_TEXT, Phase.JUDGING)


def dispatch(ctx: Context, event: Event, config: TurnConfig) -> tuple[Context, tuple[Effect, ...]]:
    """Apply one event.

    Args:
        ctx: The state before it.
        event: What happened. Time never runs backwards: an older ``at`` counts as ``ctx.at``.
        config: Settings in force; they may differ from call to call.

    Returns:
        The state after it, with its ``deadline``, and the effects in the order to perform them.
    """
    out: list[Effect] = []
    if ctx.over:
        return ctx, (Note("after_hang_up", type(event).__name__),)
    now = max(ctx.at, event.at)
    ctx = _advance(_apply(replace(ctx, at=now), event, config, out), config, out)
    return replace(ctx, deadline=timing.deadline(ctx, config)), tuple(out)


def _apply(ctx: Context, event: Event, config: TurnConfig, out: list[Effect]) -> Context:
    match event:
        case Tick():
            return ctx
        case Heard():
            return _heard(ctx, event, config, out)
        case Onset():
            return _onset(ctx, out)
        case Quieted():
            since = ctx.at - event.quiet_ms
            return replace(
                ctx, mic=replace(ctx.mic, seen=True, loud=False, stalled=False, quiet_since=since)
            )
        case Stalled():
            return replace(ctx, mic=replace(ctx.mic, stalled=event.stalled, quiet_since=ctx.at))
        case Judged():
            return _judged(ctx, event, config, out)
        case JudgeFailed():
            return _judge_failed(ctx, event, config, out)
        case Agent():
            return _agent(ctx, event, config, out)
        case Opened():
            return _opened(ctx, out)
        case OpenRefused():
            out.append(Note("open_refused", event.reason))
            return replace(ctx, phase=Phase.ARMED) if ctx.phase is Phase.OPENING else ctx
        case Ended():
            return _ended(ctx, "", out)
        case EndRefused():
            return _ended(ctx, event.reason or "refused", out)
        case EndedElsewhere():
            return _ended_elsewhere(ctx, event, config, out)
        case HungUp():
            return _hung_up(ctx, out)


# --- sound and transport ---------------------------------------------------------------------


def _onset(ctx: Context, out: list[Effect]) -> Context:
    ctx = replace(
        ctx,
        mic=replace(ctx.mic, seen=True, loud=True, stalled=False),
        turn=replace(ctx.turn, sounded=True),
        late=replace(ctx.late, sounded=True) if ctx.late else None,
    )
    return _open(ctx, out) if ctx.phase is Phase.ARMED else ctx


def _open(ctx: Context, out: list[Effect]) -> Context:
    out.append(OpenTurn())
    return replace(ctx, phase=Phase.OPENING, turn=replace(ctx.turn, opened_at=ctx.at))


def _opened(ctx: Context, out: list[Effect]) -> Context:
    if ctx.phase is not Phase.OPENING:
        out.append(Note("opened_unasked"))
        return ctx
    ctx = replace(ctx, phase=Phase.OPEN_EMPTY)
    return replace(ctx, phase=Phase.OPEN_TEXT) if ctx.turn.has_words else ctx


def _ended(ctx: Context, refusal: str, out: list[Effect]) -> Context:
    if refusal:
        out.append(Note("end_refused", refusal))
    if ctx.phase is not Phase.ENDING:
        if not refusal:
            out.append(Note("ended_unasked"))
        return ctx
    ctx = replace(ctx, phase=Phase.ARMED)
    return _open(ctx, out) if ctx.turn.has_words or ctx.mic.loud else ctx


def _ended_elsewhere(
    ctx: Context, event: EndedElsewhere, config: TurnConfig, out: list[Effect]
) -> Context:
    """Whoever ends turns has their words; with ``ends`` off, finals reach it without us."""
    out.append(Note("ended_elsewhere", event.reason))
    return replace(_emptied(ctx, taken=config.ends), phase=Phase.ARMED)


def _hung_up(ctx: Context, out: list[Effect]) -> Context:
    if ctx.turn.has_words:
        out.append(Discard("hung_up", ctx.turn.text, (), ctx.turn.segments))
    return replace(_emptied(ctx, taken=False), phase=Phase.ARMED, over=True, asks=())


# --- words -----------------------------------------------------------------------------------


def _heard(ctx: Context, event: Heard, config: TurnConfig, out: list[Effect]) -> Context:
    ctx, text = _behind_taken_words(ctx, event, config, out)
    before = ctx.turn
    segment = Segment(event.segment, text, event.final) if tokens(text) else None
    if segment is None:
        turn = replace(before, interim=None)
    elif event.final:
        turn = replace(before, finals=(*before.finals, segment), interim=None)
    else:
        turn = replace(before, interim=segment)
    ctx = replace(ctx, turn=turn)
    if tokens(turn.text) != tokens(before.text):
        return _new_words(ctx, config, out)
    if segment and event.final and before.interim:
        return _same_words_final(ctx)
    return ctx


def _behind_taken_words(
    ctx: Context, event: Heard, config: TurnConfig, out: list[Effect]
) -> tuple[Context, str]:
    """Cut off what an earlier turn took from this very segment (S1-B03, ruling on late finals)."""
    late = ctx.late
    if late is None or late.segment.number != event.segment:
        return ctx, event.text
    if event.final:
        ctx = replace(ctx, late=None)
    share, rest = late_match(late.segment.text, event.text)
    taken, heard = tokens(late.segment.text), tokens(event.text)
    if late.sounded:
        longer = is_prefix(taken, heard) and heard != taken
        return ctx, rest if longer else event.text
    if share < config.late_overlap and not is_prefix(heard, taken):
        return ctx, event.text
    if event.final:
        out.append(Note("late_final", f"segment {event.segment}, overlap {share:.2f}"))
    return ctx, rest


def _new_words(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    turn = replace(ctx.turn, word_at=ctx.at, ask_from=ctx.at, failed_at=None)
    ctx = replace(ctx, turn=turn)
    if not turn.has_words:
        return _words_gone(ctx)
    if ctx.phase is Phase.ARMED:
        return _open(ctx, out)
    if ctx.phase in (Phase.OPENING, Phase.ENDING):
        return ctx
    return replace(ctx, phase=Phase.OPEN_TEXT, turn=replace(turn, hold=None))


def _words_gone(ctx: Context) -> Context:
    """The recogniser took its only interim back: the turn is open and empty again."""
    if ctx.phase in (Phase.ARMED, Phase.OPENING, Phase.ENDING):
        return ctx
    turn = replace(ctx.turn, opened_at=ctx.at, hold=None, claimed=False)
    return replace(ctx, phase=Phase.OPEN_EMPTY, turn=turn)


def _same_words_final(ctx: Context) -> Context:
    """A final that changes no word is asked about once more, except in a hold (S1-J04, D18)."""
    if ctx.phase not in (Phase.JUDGING, Phase.WAITING, Phase.CONFIRMING, Phase.OPEN_TEXT):
        return ctx
    return replace(ctx, phase=Phase.OPEN_TEXT, turn=replace(ctx.turn, ask_from=ctx.at))


# --- the judge -------------------------------------------------------------------------------


def _ask(ctx: Context, out: list[Effect]) -> Context:
    bundle: Bundle = "speaking" if ctx.agent.speaks else "listening"
    ask = Ask(ctx.next_ask, bundle, ctx.turn.text, timing.quiet(ctx) or 0)
    out.append(AskJudge(ask.number, ask.bundle, ask.text, ask.quiet_ms))
    return replace(
        ctx, phase=Phase.JUDGING, next_ask=ask.number + 1, asks=(*ctx.asks, ask)[-_ASKS_KEPT:]
    )


def _answered(ctx: Context, number: int) -> tuple[Context, Ask | None, bool]:
    """Take ask ``number`` off the list; tell whether it was about the present words."""
    ask = next((ask for ask in ctx.asks if ask.number == number), None)
    rest = tuple(ask for ask in ctx.asks if ask.number != number)
    fresh = ctx.phase is Phase.JUDGING and number == ctx.next_ask - 1
    return replace(ctx, asks=rest), ask, fresh


def _judged(ctx: Context, event: Judged, config: TurnConfig, out: list[Effect]) -> Context:
    ctx, ask, fresh = _answered(ctx, event.ask)
    if ctx.degraded:
        out.append(Note("judge_back"))
        ctx = replace(ctx, degraded=False)
    if ask is None:
        out.append(Note("unknown_ask", str(event.ask)))
        return ctx
    if fresh:
        return _decide(ctx, ask, event.verdict, config, out)
    begins = is_prefix(tokens(ask.text), tokens(ctx.turn.text))
    if ctx.agent.speaks and begins and _takes_floor(event.verdict, config):
        return _take_floor(ctx, out)
    out.append(Note("stale_verdict", str(event.ask)))
    return ctx


def _judge_failed(
    ctx: Context, event: JudgeFailed, config: TurnConfig, out: list[Effect]
) -> Context:
    ctx, ask, fresh = _answered(ctx, event.ask)
    if event.error == "superseded" or ask is None:
        out.append(Note("superseded" if ask else "unknown_ask", str(event.ask)))
        return ctx
    out.append(Note("degraded", event.error))
    ctx = replace(ctx, degraded=True)
    if not fresh:
        return ctx
    ctx = replace(ctx, turn=replace(ctx.turn, failed_at=ctx.at))
    if ctx.agent.speaks:
        if len(tokens(ctx.turn.text)) < config.degraded_words:
            return _held(ctx, "undecided")
        ctx = _take_floor(ctx, out)
    return replace(_accepted(ctx, config, out), phase=Phase.WAITING)


def _decide(
    ctx: Context, ask: Ask, verdict: Verdict, config: TurnConfig, out: list[Effect]
) -> Context:
    """Act on a verdict about the present words, in the order of S1-D."""
    bar = curves.bar(config, ask.quiet_ms, verdict.holding_floor)
    judged = Judgement(verdict, ctx.at, bar)
    ctx = replace(ctx, turn=replace(ctx.turn, judged=judged, failed_at=None))
    if ctx.agent.speaks:
        if verdict.taking_floor is None:
            return _ask(ctx, out)
        if not _takes_floor(verdict, config):
            return _held(ctx, "undecided" if ctx.turn.accepted_before else "backchannel")
        ctx = _take_floor(ctx, out)
    if _is_side_talk(ctx, verdict, config):
        return _held(ctx, "side_talk")
    ctx = _accepted(ctx, config, out)
    complete = verdict.turn_complete >= bar
    return replace(ctx, phase=Phase.CONFIRMING if complete else Phase.WAITING)


def _takes_floor(verdict: Verdict, config: TurnConfig) -> bool:
    if verdict.taking_floor is None or verdict.taking_floor < config.barge_in_threshold:
        return False
    addressed = verdict.addressed_to_agent >= config.addressee_threshold
    return addressed or not config.barge_in_requires_addressed


def _is_side_talk(ctx: Context, verdict: Verdict, config: TurnConfig) -> bool:
    if verdict.addressed_to_agent >= config.addressee_threshold:
        return False
    if not config.side_talk_hold or not config.ends:
        return False
    return not 0 < config.side_talk_streak_max <= ctx.streak


def _take_floor(ctx: Context, out: list[Effect]) -> Context:
    out.append(Interrupt())
    ctx = replace(ctx, agent=replace(ctx.agent, interrupted=True))
    return _claimed(ctx, out)


def _accepted(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    """The words are for the agent: they also withdraw a reply that nobody has heard yet."""
    if ctx.agent.thinks and config.withdraw_while_thinking:
        return _take_floor(ctx, out)
    return _claimed(ctx, out)


def _claimed(ctx: Context, out: list[Effect]) -> Context:
    if ctx.turn.claimed:
        return ctx
    out.append(Claim())
    return replace(ctx, turn=replace(ctx.turn, claimed=True))


def _held(ctx: Context, hold: Hold) -> Context:
    return replace(ctx, phase=Phase.HELD, turn=replace(ctx.turn, hold=hold, claimed=False))


# --- the agent -------------------------------------------------------------------------------


def _agent(ctx: Context, event: Agent, config: TurnConfig, out: list[Effect]) -> Context:
    if event.state == ctx.agent.state:
        return ctx
    spoke = ctx.agent.state == "speaking"
    agent = replace(ctx.agent, state=event.state, since=ctx.at, interrupted=False)
    ctx = replace(ctx, agent=agent)
    if event.state == "speaking" and ctx.turn.claimed:
        return replace(ctx, turn=replace(ctx.turn, accepted_before=True))
    if event.state == "speaking" and ctx.phase in _UNDECIDED_WORDS:
        return _undecided(ctx)
    if spoke and ctx.phase is Phase.HELD:
        young = ctx.at - ctx.turn.word_at < config.undecided_ms
        if ctx.turn.hold == "undecided" or (ctx.turn.hold == "backchannel" and young):
            return _undecided(ctx)
    if event.state == "thinking" and not config.ends and ctx.turn.claimed:
        end = EndedElsewhere(ctx.at, "the bot's own end of turn")
        return _ended_elsewhere(ctx, end, config, out)
    return ctx


def _undecided(ctx: Context) -> Context:
    """Ask again about the words as they are, since the agent's state decides what is asked."""
    turn = replace(ctx.turn, hold=None, ask_from=ctx.at)
    return replace(ctx, phase=Phase.OPEN_TEXT, turn=turn)


# --- what time makes due ---------------------------------------------------------------------


def _advance(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    if ctx.agent.state == "thinking" and timing.due(ctx, ctx.agent.since + config.thinking_max_ms):
        out.append(Note("thinking_ceiling"))
        ctx = _agent(ctx, Agent(ctx.at, "listening"), config, out)
    match ctx.phase:
        case Phase.OPENING | Phase.ENDING:
            return _advance_unanswered(ctx, config, out)
        case Phase.OPEN_EMPTY:
            return _advance_empty(ctx, config, out)
        case Phase.HELD:
            return _advance_held(ctx, config, out)
        case Phase.ARMED:
            return ctx
    if not config.ends and not ctx.agent.speaks:
        return _accepted(ctx, config, out)
    if ctx.phase is Phase.OPEN_TEXT:
        ctx = _advance_text(ctx, config, out)
    return _advance_end(ctx, config, out) if config.ends else ctx


def _advance_unanswered(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    if not timing.due(ctx, ctx.turn.opened_at + config.ending_max_ms):
        return ctx
    out.append(Note("no_answer", ctx.phase.value))
    if ctx.phase is Phase.ENDING:
        return _ended(ctx, "no answer", out)
    return replace(ctx, phase=Phase.ARMED)


def _advance_empty(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    if ctx.turn.false_open or not timing.due(ctx, ctx.turn.opened_at + config.empty_turn_ms):
        return ctx
    out.append(Note("false_open"))
    if config.empty_turn == "keep":
        return replace(ctx, turn=replace(ctx.turn, false_open=True))
    out.append(Retract())
    return replace(ctx, phase=Phase.ARMED)


def _advance_text(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    """Words in the open: claim them, let some interrupt by themselves, ask after the debounce."""
    if ctx.agent.state == "listening" or ctx.agent.interrupted:
        ctx = _claimed(ctx, out)
    elif ctx.agent.speaks and _interrupts_unjudged(ctx, config):
        ctx = _take_floor(ctx, out)
    return _ask(ctx, out) if timing.due(ctx, timing.ask_at(ctx, config)) else ctx


def _interrupts_unjudged(ctx: Context, config: TurnConfig) -> bool:
    if not config.semantic_barge_in:
        return True
    words = tokens(ctx.turn.text)
    return starts_with_phrase(words, config.stop_words, config.stop_words_within)


def _advance_end(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    if ctx.phase is Phase.CONFIRMING and timing.due(ctx, timing.confirmed_at(ctx, config)):
        return _end(ctx, "complete", out)
    why = _silence_rule(ctx, config)
    if why is None:
        recheck = ctx.phase is Phase.WAITING and timing.due(ctx, timing.recheck_at(ctx, config))
        return _ask(ctx, out) if recheck else ctx
    if ctx.agent.speaks:
        return _held(ctx, "undecided")
    if ctx.mic.seen and not ctx.turn.sounded:
        out.append(Note("unheard", why))
        return _held(ctx, "unheard")
    return _end(ctx, why, out)


def _silence_rule(ctx: Context, config: TurnConfig) -> Why | None:
    if timing.due(ctx, timing.degraded_end_at(ctx, config)):
        return "degraded"
    cap = timing.cap(ctx, config)
    since = timing.quiet_since(ctx)
    if ctx.phase is not Phase.CONFIRMING and since is not None and timing.due(ctx, since + cap):
        return "timeout"
    return "still" if timing.due(ctx, ctx.turn.word_at + cap) else None


def _end(ctx: Context, why: Why, out: list[Effect]) -> Context:
    out.append(EndTurn(ctx.turn.text, why, ctx.turn.segments))
    ctx = _emptied(ctx, taken=True)
    agent = replace(ctx.agent, state="thinking", since=ctx.at, interrupted=False)
    turn = replace(ctx.turn, opened_at=ctx.at)
    return replace(ctx, phase=Phase.ENDING, agent=agent, turn=turn, streak=0)


def _advance_held(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    at = timing.released_at(ctx, config)
    if not timing.due(ctx, at):
        return ctx
    turn = ctx.turn
    if turn.hold == "backchannel":
        out.append(Backchannel(turn.text, turn.segments))
    else:
        addressed = turn.judged.verdict.addressed_to_agent if turn.judged else 0.0
        numbers = (("addressed_to_agent", addressed), ("quiet_ms", float(timing.quiet(ctx) or 0)))
        out += [Discard("side_talk", turn.text, numbers, turn.segments), Retract()]
        ctx = replace(ctx, streak=ctx.streak + 1)
    ctx = _emptied(ctx, taken=True)
    if config.empty_turn == "retract":
        return replace(ctx, phase=Phase.ARMED)
    return replace(ctx, phase=Phase.OPEN_EMPTY, turn=replace(ctx.turn, false_open=True))


def _emptied(ctx: Context, *, taken: bool) -> Context:
    """Start with a fresh turn; ``taken`` words of an open segment await their late final."""
    interim = ctx.turn.interim
    late = Late(interim) if taken and interim else None
    return replace(
        ctx, turn=Turn(opened_at=ctx.at, sounded=ctx.mic.loud, word_at=ctx.at), late=late
    )
