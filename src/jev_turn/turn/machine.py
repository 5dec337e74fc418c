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
  words begin the present ones, or begin a held reply, if a final has only spelled them otherwise,
  and does nothing else.
* The agent is stopped once per reply.
* A reply may be begun before the end and held. It stands only while the words, the turn and the
  agent are as they were when it was begun; ``Commit`` lets it out, ``Withdraw`` throws it away.
* Words leave a turn by ``EndTurn``, ``Backchannel`` or ``Discard``, unless the recogniser takes
  them back or somebody else ends the turn (``EndedElsewhere``).
"""

from __future__ import annotations

from jev_turn.turn import curves, rules, speculation, timing
from jev_turn.turn import events as ev
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import (
    AgentView,
    Ask,
    Context,
    Hold,
    Judgement,
    Late,
    Phase,
    Turn,
    Words,
    replace,
)
from jev_turn.turn.effects import (
    AskJudge,
    Backchannel,
    Bundle,
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
    Why,
    Withdraw,
)
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import behind_taken, is_prefix, tokens

_ASKS_KEPT = 16
_NOT_OPEN = (Phase.ARMED, Phase.OPENING, Phase.ENDING)
_UNDECIDED_WORDS = (Phase.OPEN_TEXT, Phase.JUDGING)


def dispatch(
    ctx: Context, event: ev.Event, config: TurnConfig
) -> tuple[Context, tuple[Effect, ...]]:
    """Apply one event.

    Args:
        ctx: The state before it.
        event: What happened. Time never runs backwards: an older ``at`` counts as ``ctx.at``.
        config: Settings in force; they may differ from call to call.

    Returns:
        The state after it, with its ``deadline``, and the effects in the order to perform them.
    """
    out: list[Effect] = []
    ctx = replace(ctx, at=max(ctx.at, event.at))
    if ctx.over:
        return ctx, (Note("after_hang_up", type(event).__name__),)
    ctx = _reviewed(_apply(ctx, event, config, out), out)
    if not ctx.over:
        ctx = _reviewed(_advance(ctx, config, out), out)
    return replace(ctx, deadline=timing.deadline(ctx, config)), tuple(out)


def _apply(ctx: Context, event: ev.Event, config: TurnConfig, out: list[Effect]) -> Context:
    match event:
        case ev.Tick():
            return ctx
        case ev.Heard():
            return _heard(ctx, event, config, out)
        case ev.Onset():
            return _onset(ctx, out)
        case ev.Quieted():
            since = ctx.at - event.quiet_ms
            return replace(ctx, mic=replace(ctx.mic, seen=True, loud=False, quiet_since=since))
        case ev.Stalled():
            return replace(ctx, mic=replace(ctx.mic, stalled=event.stalled, quiet_since=ctx.at))
        case ev.Judged():
            return _judged(ctx, event, config, out)
        case ev.JudgeFailed():
            return _judge_failed(ctx, event, config, out)
        case ev.Agent():
            return _agent(ctx, event, config, out)
        case ev.SpeculationLost():
            return _lost(ctx, event, out)
        case _:
            return _transport(ctx, event, config, out)


def _transport(
    ctx: Context,
    event: ev.Opened | ev.OpenRefused | ev.Ended | ev.EndRefused | ev.EndedElsewhere | ev.HungUp,
    config: TurnConfig,
    out: list[Effect],
) -> Context:
    match event:
        case ev.Opened():
            return _opened(ctx, out)
        case ev.OpenRefused():
            ctx = _noted(ctx, "open_refused", out, event.reason)
            return replace(ctx, phase=Phase.ARMED) if ctx.phase is Phase.OPENING else ctx
        case ev.Ended():
            return _ended(ctx, out)
        case ev.EndRefused():
            return _ended(_noted(ctx, "end_refused", out, event.reason), out)
        case ev.EndedElsewhere():
            return _ended_elsewhere(ctx, event.reason, config, out)
        case ev.HungUp():
            return _hung_up(ctx, out)


# --- sound and transport ---------------------------------------------------------------------


def _onset(ctx: Context, out: list[Effect]) -> Context:
    first = ctx.turn.sound_at is None and not ctx.mic.loud
    ctx = replace(
        ctx,
        mic=replace(ctx.mic, seen=True, loud=True, stalled=False),
        turn=replace(ctx.turn, sounded=True, sound_at=ctx.at if first else ctx.turn.sound_at),
        late=replace(ctx.late, sounded=True) if ctx.late else None,
    )
    return _open(ctx, out) if ctx.phase is Phase.ARMED else ctx


def _open(ctx: Context, out: list[Effect]) -> Context:
    out.append(OpenTurn())
    return replace(ctx, phase=Phase.OPENING, turn=replace(ctx.turn, opened_at=ctx.at))


def _opened(ctx: Context, out: list[Effect]) -> Context:
    if ctx.phase is not Phase.OPENING:
        return _noted(ctx, "opened_unasked", out)
    ctx = replace(ctx, phase=Phase.OPEN_EMPTY)
    return replace(ctx, phase=Phase.OPEN_TEXT) if ctx.turn.has_words else ctx


def _ended(ctx: Context, out: list[Effect]) -> Context:
    """The transport is free again: sound and words that came meanwhile open the next turn."""
    if ctx.phase is not Phase.ENDING:
        return _noted(ctx, "ended_unasked", out)
    ctx = replace(ctx, phase=Phase.ARMED)
    sound = ctx.mic.loud or ctx.turn.sound_at is not None
    return _open(ctx, out) if sound or ctx.turn.has_words else ctx


def _ended_elsewhere(ctx: Context, reason: str, config: TurnConfig, out: list[Effect]) -> Context:
    """Whoever ends turns has their words; with ``ends`` off, finals reach it without us."""
    out.append(Note("ended_elsewhere", reason))
    if ctx.phase is Phase.ENDING:
        return _ended(ctx, out)
    if ctx.phase in _NOT_OPEN:
        return ctx
    return replace(_emptied(ctx, taken=config.ends), phase=Phase.ARMED)


def _hung_up(ctx: Context, out: list[Effect]) -> Context:
    if ctx.turn.has_words:
        out.append(Discard("hung_up", ctx.turn.text, (), ctx.turn.words.segments))
    return replace(_emptied(ctx), phase=Phase.ARMED, over=True, asks=())


# --- words -----------------------------------------------------------------------------------


def _heard(ctx: Context, event: ev.Heard, config: TurnConfig, out: list[Effect]) -> Context:
    ctx, text = _behind_taken_words(ctx, event, config, out)
    before = ctx.turn.words
    segment = Segment(event.segment, text, event.final) if tokens(text) else None
    if segment and event.final:
        words = Words((*before.finals, segment))
    else:
        words = Words(before.finals, segment, event.text)
    if tokens(words.text) != tokens(before.text):
        return _new_words(ctx, words, config, out)
    ctx = replace(ctx, turn=replace(ctx.turn, words=words))
    return _same_words_final(ctx) if segment and event.final and before.interim else ctx


def _behind_taken_words(
    ctx: Context, event: ev.Heard, config: TurnConfig, out: list[Effect]
) -> tuple[Context, str]:
    """Cut off what an earlier turn took from this very segment (S1-B03, ruling on late finals)."""
    late = ctx.late
    if late is None or late.number != event.segment:
        return ctx, event.text
    rest = behind_taken(late.text, event.text, overlap=config.late_overlap, sounded=late.sounded)
    if event.final:
        ctx = replace(ctx, late=None)
    if rest is None:
        return ctx, event.text
    if event.final:
        out.append(Note("late_final", f"segment {event.segment}"))
    return ctx, rest


def _new_words(ctx: Context, words: Words, config: TurnConfig, out: list[Effect]) -> Context:
    before, now, phase = ctx.turn, ctx.at, ctx.phase
    heard = before.sounded and rules.sound_is_recent(ctx, config)
    turn = replace(
        before,
        words=words,
        word_at=now,
        ask_from=now,
        sounded=heard or (before.sounded and before.has_words),
        sound_at=None,
        quiet_from=before.quiet_from if heard else now,
        failed_at=None,
        hold=None,
    )
    if phase in _NOT_OPEN:
        ctx = replace(ctx, turn=turn)
        return _open(ctx, out) if phase is Phase.ARMED and turn.has_words else ctx
    if turn.has_words:
        return replace(ctx, phase=Phase.OPEN_TEXT, turn=turn)
    return replace(ctx, phase=Phase.OPEN_EMPTY, turn=replace(turn, opened_at=now, claimed=False))


def _same_words_final(ctx: Context) -> Context:
    """A final that changes no word is asked about once more, except in a hold (S1-J04, D18)."""
    if ctx.phase not in (Phase.JUDGING, Phase.WAITING, Phase.CONFIRMING, Phase.OPEN_TEXT):
        return ctx
    return replace(ctx, phase=Phase.OPEN_TEXT, turn=replace(ctx.turn, ask_from=ctx.at))


# --- the judge -------------------------------------------------------------------------------


def _ask(ctx: Context, out: list[Effect]) -> Context:
    bundle: Bundle = "speaking" if ctx.agent.speaks else "listening"
    ask = Ask(ctx.at, ctx.next_ask, bundle, ctx.turn.text, timing.quiet(ctx) or 0)
    out.append(AskJudge(ask.number, ask.bundle, ask.text, ask.quiet_ms))
    return replace(
        ctx, phase=Phase.JUDGING, next_ask=ask.number + 1, asks=(*ctx.asks, ask)[-_ASKS_KEPT:]
    )


def _answered(ctx: Context, number: int, out: list[Effect]) -> tuple[Context, Ask | None, bool]:
    """Take ask ``number`` off the list; tell whether it was about the present words."""
    for ask in ctx.asks:
        if ask.number == number:
            ctx = replace(ctx, asks=tuple(other for other in ctx.asks if other is not ask))
            return ctx, ask, ctx.phase is Phase.JUDGING and number == ctx.next_ask - 1
    return _noted(ctx, "unknown_ask", out, str(number)), None, False


def _judged(ctx: Context, event: ev.Judged, config: TurnConfig, out: list[Effect]) -> Context:
    ctx, ask, fresh = _answered(ctx, event.ask, out)
    if ask is None:
        return ctx
    if ctx.degraded:
        ctx = _noted(replace(ctx, degraded=False), "judge_back", out)
    if not fresh:
        return _stale(ctx, ask, event.verdict, config, out)
    unread = ask.bundle == "speaking" and event.verdict.taking_floor is None
    if ctx.agent.speaks and unread:
        return _failed(ctx, "unreadable", config, out)
    return _decide(ctx, ask, event.verdict, config, out)


def _stale(
    ctx: Context, ask: Ask, verdict: Verdict, config: TurnConfig, out: list[Effect]
) -> Context:
    """A verdict about other words may stop this very speech of the agent's (S1-D17)."""
    begins = is_prefix(tokens(ask.text), tokens(ctx.turn.text))
    over = ctx.agent.speaks and ask.at >= ctx.agent.since
    if not (over and begins and rules.takes_floor(ctx, verdict, config)):
        if speculation.survives(ctx, ask.text) and rules.addressed(ctx, verdict, config):
            ctx = _speculate(ctx, verdict, config, out)
        return _noted(ctx, "stale_verdict", out, str(ask.number))
    ctx = _take_floor(ctx, out)
    return _undecided(ctx) if ctx.phase is Phase.HELD else ctx


def _judge_failed(
    ctx: Context, event: ev.JudgeFailed, config: TurnConfig, out: list[Effect]
) -> Context:
    ctx, ask, fresh = _answered(ctx, event.ask, out)
    if ask is None:
        return ctx
    if event.error == "superseded":
        return _noted(ctx, "superseded", out, str(event.ask))
    if fresh:
        return _failed(ctx, event.error, config, out)
    return _noted(replace(ctx, degraded=True), "degraded", out, event.error)


def _failed(ctx: Context, error: str, config: TurnConfig, out: list[Effect]) -> Context:
    """No verdict on the present words: quiet and the number of words decide."""
    out.append(Note("degraded", error))
    ctx = replace(ctx, degraded=True, turn=replace(ctx.turn, failed_at=ctx.at))
    if ctx.agent.speaks:
        if not rules.interrupts_degraded(ctx, config):
            return _held(ctx, "undecided")
        ctx = _take_floor(ctx, out)
    return replace(_accepted(ctx, config, out), phase=Phase.WAITING)


def _decide(
    ctx: Context, ask: Ask, verdict: Verdict, config: TurnConfig, out: list[Effect]
) -> Context:
    """Act on a verdict about the present words, in the order of S1-D."""
    bar = curves.bar(config, ask.quiet_ms, verdict.holding_floor)
    complete = verdict.turn_complete >= bar
    turn = replace(ctx.turn, judged=Judgement(verdict, ctx.at, bar), failed_at=None)
    ctx = replace(ctx, turn=turn, phase=Phase.CONFIRMING if complete else Phase.WAITING)
    if ctx.agent.speaks:
        if ask.bundle == "listening":
            return _ask(ctx, out)
        if not rules.takes_floor(ctx, verdict, config):
            return _held(ctx, rules.hold_over_agent(ctx, verdict, config))
        ctx = _take_floor(ctx, out)
    if config.ends and not rules.addressed(ctx, verdict, config):
        return _held(ctx, "side_talk")
    return _speculate(_accepted(ctx, config, out), verdict, config, out)


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


# --- speculation -----------------------------------------------------------------------------


def _speculate(ctx: Context, verdict: Verdict, config: TurnConfig, out: list[Effect]) -> Context:
    if not speculation.worthwhile(ctx, verdict, config):
        return ctx
    text = ctx.turn.text
    out.append(Speculate(text))
    return replace(ctx, guess=text, turn=replace(ctx.turn, guessed=(*ctx.turn.guessed, text)))


def _reviewed(ctx: Context, out: list[Effect]) -> Context:
    why = speculation.undone_by(ctx, ctx.guess) if ctx.guess is not None else None
    if why is None:
        return ctx
    out.append(Withdraw(why))
    return replace(ctx, guess=None)


def _lost(ctx: Context, event: ev.SpeculationLost, out: list[Effect]) -> Context:
    """Answer the turn anew at its end; a reply that is gone already needs no second withdrawal."""
    if ctx.guess is None:
        return _noted(ctx, "nothing_to_lose", out, event.reason)
    if event.reason != "pipeline":
        out.append(Withdraw("lost"))
    return replace(_noted(ctx, "speculation_lost", out, event.reason), guess=None)


# --- the agent -------------------------------------------------------------------------------


def _agent(ctx: Context, event: ev.Agent, config: TurnConfig, out: list[Effect]) -> Context:
    if event.state == ctx.agent.state:
        return ctx
    spoke = ctx.agent.state == "speaking"
    agent = replace(ctx.agent, state=event.state, since=ctx.at, interrupted=False)
    ctx = replace(ctx, agent=agent)
    if event.state == "speaking":
        ctx = replace(ctx, turn=replace(ctx.turn, before_agent=ctx.turn.text))
    if event.state == "speaking" and ctx.turn.claimed:
        return replace(ctx, turn=replace(ctx.turn, accepted_before=True))
    if event.state == "speaking" and ctx.phase in _UNDECIDED_WORDS:
        return _undecided(ctx)
    if spoke and ctx.phase is Phase.HELD:
        young = ctx.at - ctx.turn.word_at < config.undecided_ms
        if ctx.turn.hold == "undecided" or (ctx.turn.hold == "backchannel" and young):
            return _undecided(ctx)
    if event.state == "thinking" and not config.ends and ctx.turn.claimed:
        return _ended_elsewhere(ctx, "the bot's own end of turn", config, out)
    return ctx


def _undecided(ctx: Context) -> Context:
    """Ask again about the words as they are, since the agent's state decides what is asked."""
    turn = replace(ctx.turn, hold=None, freed_at=ctx.at, ask_from=ctx.at, failed_at=None)
    return replace(ctx, phase=Phase.OPEN_TEXT, turn=turn)


# --- what time makes due ---------------------------------------------------------------------


def _advance(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    if ctx.agent.state == "thinking" and timing.due(ctx, ctx.agent.since + config.thinking_max_ms):
        out.append(Note("thinking_ceiling"))
        ctx = _agent(ctx, ev.Agent(ctx.at, "listening"), config, out)
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
    return _ended(ctx, out) if ctx.phase is Phase.ENDING else replace(ctx, phase=Phase.ARMED)


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
    elif ctx.agent.speaks and rules.interrupts_unjudged(ctx, config):
        ctx = _take_floor(ctx, out)
    return _ask(ctx, out) if timing.due(ctx, timing.ask_at(ctx, config)) else ctx


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
    if timing.due(ctx, timing.timeout_at(ctx, config)):
        return "timeout"
    return "still" if timing.due(ctx, timing.still_at(ctx, config)) else None


def _end(ctx: Context, why: Why, out: list[Effect]) -> Context:
    if ctx.guess is not None:
        out.append(Commit())
    out.append(EndTurn(ctx.turn.text, why, ctx.turn.words.segments))
    agent = ctx.agent if ctx.agent.speaks else AgentView("thinking", ctx.at)
    return replace(_emptied(ctx), phase=Phase.ENDING, agent=agent, streak=0, guess=None)


def _advance_held(ctx: Context, config: TurnConfig, out: list[Effect]) -> Context:
    at = timing.released_at(ctx, config)
    if not timing.due(ctx, at):
        return ctx
    turn = ctx.turn
    if turn.hold == "backchannel":
        out.append(Backchannel(turn.text, turn.words.segments))
    else:
        addressed = turn.judged.verdict.addressed_to_agent if turn.judged else 0.0
        numbers = (("addressed_to_agent", addressed), ("quiet_ms", float(timing.quiet(ctx) or 0)))
        out.append(Discard("side_talk", turn.text, numbers, turn.words.segments))
        if config.empty_turn == "retract":
            out.append(Retract())
        ctx = replace(ctx, streak=ctx.streak + 1)
    ctx = _emptied(ctx)
    if config.empty_turn == "retract":
        return replace(ctx, phase=Phase.ARMED)
    return replace(ctx, phase=Phase.OPEN_EMPTY, turn=replace(ctx.turn, false_open=True))


def _emptied(ctx: Context, *, taken: bool = True) -> Context:
    """Start with a fresh turn; ``taken`` words of an open segment await their late final.

    That final may hold further words of the sound that this turn was made of.
    """
    old, late = ctx.turn, ctx.late
    if old.interim:
        late = Late(old.interim.number, old.words.written) if taken else None
    sounded = ctx.mic.loud or (old.sounded and old.interim is not None)
    fresh = Turn(opened_at=ctx.at, sounded=sounded, word_at=ctx.at)
    return replace(ctx, turn=fresh, late=late)


def _noted(ctx: Context, kind: str, out: list[Effect], detail: str = "") -> Context:
    out.append(Note(kind, detail))
    return ctx
