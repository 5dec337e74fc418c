"""The reply list: what is said becomes cuts, and one drain makes one turn of all that wait.

``dispatch(ctx, event, config) -> (ctx, effects)`` is pure: no clock, no I/O, no mutation. Time
comes in with events; the list asks for a ``Tick`` by ``ctx.deadline`` and for nothing else.

    words -> buffer -> cut -> pending -> in flight -> ended
               |                ^            |
               +-> dropped      +- restored -+  once, and only if nobody has heard the reply

Rules that hold everywhere:

* Every word leaves the buffer once: in a cut, or in a ``Discard`` that says why.
* One turn is in flight at most, and it has one ending: ``EndTurnRecord`` or ``RestoreCuts``.
* Nothing stops a turn that has begun but the application itself.
* Cuts that come while a turn is in flight or the agent is busy wait, and are eaten together.
* Whatever is waited for has a ceiling.
"""

from __future__ import annotations

from jev_turn.replies import ear, stt, timing
from jev_turn.replies import events as ev
from jev_turn.replies.config import ReplyConfig
from jev_turn.replies.context import Agent, Buffer, Context, Flight, replace
from jev_turn.replies.effects import (
    Cut,
    Discard,
    Effect,
    EndTurnRecord,
    KeepWords,
    Note,
    RestoreCuts,
    StartTurn,
    TurnSpoke,
)
from jev_turn.turn.words import tokens

Out = list[Effect]


def dispatch(
    ctx: Context, event: ev.Event, config: ReplyConfig
) -> tuple[Context, tuple[Effect, ...]]:
    """Apply one event.

    Args:
        ctx: The state before it.
        event: What happened. Time never runs backwards: an older ``at`` counts as ``ctx.at``.
        config: Settings in force; they may differ from call to call.

    Returns:
        The state after it, with its ``deadline``, and the effects in the order to perform them.
        Those in ``effects.STORED`` must be stored together before any other is performed.
    """
    out: Out = []
    if ctx.over:
        return replace(ctx, deadline=None), (Note("after_hang_up", type(event).__name__),)
    before = ctx.buffer.finals
    ctx = _apply(replace(ctx, at=max(ctx.at, event.at)), event, config, out)
    if not ctx.over:
        ctx = _advance(ctx, config, out)
    if ctx.buffer.finals != before:
        out.append(KeepWords(tuple((piece.segment, piece.text) for piece in ctx.buffer.finals)))
    return replace(ctx, deadline=timing.deadline(ctx, config)), tuple(out)


def _apply(ctx: Context, event: ev.Event, config: ReplyConfig, out: Out) -> Context:
    match event:
        case ev.Tick():
            return ctx
        case ev.HeardFor():
            return ear.heard(stt.hears(ctx, out), event, config, out)
        case ev.EarJudged():
            return ear.judged(ctx, event, config, out)
        case ev.EarFailed():
            return ear.failed(ctx, event, out)
        case ev.Onset() | ev.Quieted() | ev.Stalled():
            return _sound(ctx, event)
        case ev.Agent():
            return _agent(ctx, event)
        case ev.SttUp():
            return stt.up(ctx, out)
        case ev.SttDown():
            return stt.down(ctx, event.error, config, out)
        case ev.HungUp():
            return _hung_up(ctx, out)
        case _:
            return _of_turn(ctx, event, config, out)


# --- sound and agent -------------------------------------------------------------------------


def _sound(ctx: Context, event: ev.Onset | ev.Quieted | ev.Stalled) -> Context:
    mic = ctx.mic
    match event:
        case ev.Onset():
            since = mic.loud_since if mic.sounds else ctx.at
            mic = replace(mic, loud=True, stalled=False, loud_since=since)
            first = ctx.ear.sound_at is None and not ctx.mic.loud
            ctx = replace(ctx, ear=replace(ctx.ear, sound_at=ctx.at)) if first else ctx
        case ev.Quieted():
            mic = replace(mic, loud=False, quiet_since=ctx.at - event.quiet_ms)
        case ev.Stalled():
            mic = replace(mic, stalled=event.stalled, quiet_since=ctx.at, loud_since=ctx.at)
    return replace(ctx, mic=mic)


def _agent(ctx: Context, event: ev.Agent) -> Context:
    if event.state == ctx.agent.state:
        return ctx
    flight = replace(ctx.flight, alive_at=ctx.at) if ctx.flight else None
    return replace(ctx, agent=Agent(event.state, ctx.at), flight=flight)


# --- the turn in flight ----------------------------------------------------------------------


def _start(ctx: Context, out: Out) -> Context:
    cuts, restored = ctx.pending, ctx.restored
    fresh = tuple(cut for cut in cuts if cut.id not in restored)
    out.append(StartTurn(ctx.next_turn, cuts, _joined(cuts), _joined(fresh)))
    retry = bool(restored) or any(cut.id in ctx.forgiven for cut in cuts)
    flight = Flight(ctx.next_turn, cuts, ctx.at, retry=retry)
    return replace(ctx, pending=(), restored=frozenset(), flight=flight, next_turn=flight.turn + 1)


def _joined(cuts: tuple[Cut, ...]) -> str:
    """Join texts by single spaces: a line break would make the model answer each by itself."""
    return " ".join(" ".join(cut.text for cut in cuts).split())


def _of_turn(ctx: Context, event: ev.OfTurn, config: ReplyConfig, out: Out) -> Context:
    flight = ctx.flight
    if flight is None or flight.turn != event.turn:
        out.append(Note("unknown_turn", f"{type(event).__name__} {event.turn}"))
        return ctx
    flight = replace(flight, alive_at=ctx.at)
    match event:
        case ev.RunEnded():
            return _run_ended(replace(ctx, flight=flight), event, config, out)
        case ev.AboutToSpeak():
            return _announced(ctx, flight, config, out)
        case ev.SpokeFirst():
            return _spoke(ctx, flight, out)
        case ev.ReplyHeld():
            return replace(ctx, flight=replace(flight, held=True, due_at=None))
        case ev.ReplyOpened():
            waits = flight.answer is not None and not flight.heard
            due_at = ctx.at + config.silent_ms if waits else None
            return replace(ctx, flight=replace(flight, held=False, due_at=due_at))
        case ev.ReplyUnspoken():
            return _ended(ctx, event.answer, out, error="unspoken")


def _run_ended(ctx: Context, event: ev.RunEnded, config: ReplyConfig, out: Out) -> Context:
    flight = ctx.flight
    assert flight is not None
    if not event.ok and event.error == ev.DROPPED:
        return _ended(ctx, event.answer, out, error=ev.DROPPED)
    if flight.answer is not None:
        out.append(Note("run_ended_again", str(event.turn)))
        return ctx
    error = "" if event.ok else event.error or "failed"
    if error and not flight.spoke and not flight.retry and not tokens(event.answer):
        return _restored(ctx, flight, error, out)
    if flight.heard or not tokens(event.answer):
        return _ended(ctx, event.answer, out, error=error)
    # Of a run that broke off, too, the voice says what there is.
    due_at = None if flight.held else ctx.at + config.silent_ms
    return replace(ctx, flight=replace(flight, answer=event.answer, error=error, due_at=due_at))


def _restored(ctx: Context, flight: Flight, error: str, out: Out) -> Context:
    out.append(RestoreCuts(flight.turn, error))
    ids = frozenset(cut.id for cut in flight.cuts)
    return replace(ctx, flight=None, pending=(*flight.cuts, *ctx.pending), restored=ids)


def _announced(ctx: Context, flight: Flight, config: ReplyConfig, out: Out) -> Context:
    """The audio is still to leave: a crash before it does must not find a success."""
    if flight.spoke:
        return ctx
    if ctx.agent.state == "speaking":
        # It follows other speech, and nobody can tell when that is over.
        return _spoke(ctx, flight, out)
    out.append(TurnSpoke(flight.turn))
    due_at = None if flight.answer is None else ctx.at + config.silent_ms
    return replace(ctx, flight=replace(flight, spoke=True, held=False, due_at=due_at))


def _spoke(ctx: Context, flight: Flight, out: Out) -> Context:
    if flight.heard:
        return ctx
    if not flight.spoke:
        out.append(TurnSpoke(flight.turn))
    heard = replace(flight, spoke=True, heard=True, held=False, due_at=None)
    ctx = replace(ctx, flight=heard)
    return ctx if flight.answer is None else _ended(ctx, flight.answer, out, error=flight.error)


def _silent(ctx: Context, out: Out) -> Context:
    assert ctx.flight is not None
    return _ended(ctx, "", out, error=ctx.flight.error or "silent")


def _ended(ctx: Context, answer: str, out: Out, *, error: str = "") -> Context:
    flight = ctx.flight
    assert flight is not None
    out.append(EndTurnRecord(flight.turn, answer or flight.answer or "", not error, error))
    return replace(ctx, flight=None)


def _hung_up(ctx: Context, out: Out) -> Context:
    """The call is over: what nobody will answer any more is said so."""
    withheld = ctx.withheld.text if ctx.withheld else ""
    if text := f"{ctx.buffer.text} {withheld}".strip():
        out.append(Discard("hung_up", text))
    if ctx.pending:
        out.append(Note("unanswered", str(len(ctx.pending))))
    if ctx.flight:
        ctx = _ended(ctx, "", out, error="hung_up")
    return replace(ctx, buffer=Buffer(), withheld=None, over=True)


# --- what time makes due ---------------------------------------------------------------------


def _advance(ctx: Context, config: ReplyConfig, out: Out) -> Context:
    ctx = stt.advance(ctx, config, out)
    if timing.due(ctx, timing.unanswered_at(ctx, config)):
        ctx = ear.away(ctx, "no answer", out)
    if timing.due(ctx, timing.degraded_at(ctx, config)):
        ctx = ear.cut(ctx, 0.0, "degraded", out)
    if timing.due(ctx, ctx.ear.next_tick):
        ctx = ear.look(ctx, config, out)
    if timing.due(ctx, timing.silent_at(ctx)):
        ctx = _silent(ctx, out)
    if timing.due(ctx, timing.stuck_at(ctx, config)):
        ctx = _ended(ctx, "", out, error="stuck")
    if timing.due(ctx, timing.thought_at(ctx, config)):
        out.append(Note("thinking_ceiling"))
        ctx = replace(ctx, agent=Agent("listening", ctx.at))
    return _start(ctx, out) if timing.due(ctx, timing.drain_at(ctx, config)) else ctx
