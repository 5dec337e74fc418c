"""The ear: words come in, are asked about once a second, and become cuts or are dropped.

A verdict counts for the words that it was asked about, and for no others. A look at words that
have not changed repeats the verdict, costs nothing, and is a strike; a judge that fails is neither
strike nor pass.
"""

from __future__ import annotations

from jev_turn.replies import timing
from jev_turn.replies.config import ReplyConfig
from jev_turn.replies.context import (
    Ask,
    Buffer,
    Context,
    Dropped,
    Ear,
    Judgement,
    Marked,
    Piece,
    replace,
)
from jev_turn.replies.effects import (
    AskEar,
    Cut,
    CutWhy,
    Discard,
    Effect,
    KeepCut,
    Mark,
    Note,
    Rejoin,
    Unmark,
)
from jev_turn.replies.events import EarFailed, EarJudged, HeardFor
from jev_turn.replies.ledger import split
from jev_turn.replies.speech_rate import too_fast
from jev_turn.turn.words import tokens

_ASKS_KEPT = 16

Out = list[Effect]


def heard(ctx: Context, event: HeardFor, config: ReplyConfig, out: Out) -> Context:
    """Take in one version of a segment."""
    before = ctx.buffer
    ctx = _given_up_interim(ctx, event, out)
    removed, text = _behind_mark(ctx, event, config)
    ctx, text = _plausible(ctx, event, text, config, out)
    piece = Piece(event.segment, text) if tokens(text) else None
    finals = ctx.buffer.finals
    if event.final:
        ctx = _closed(ctx, event, removed, out)
        buffer = Buffer((*finals, piece) if piece else finals)
    else:
        buffer = Buffer(finals, piece, Piece(event.segment, event.text))
    ctx = _rejoined(replace(ctx, buffer=buffer), event, removed, config, out)
    if tokens(ctx.buffer.text) == tokens(before.text):
        return ctx
    return _grown(ctx, config)


def _given_up_interim(ctx: Context, event: HeardFor, out: Out) -> Context:
    """The next segment begins although the final of the last one never came."""
    old, withheld = ctx.buffer.interim, ctx.withheld
    if old and old.segment != event.segment:
        ctx = replace(ctx, buffer=Buffer(ctx.buffer.pieces))
    if withheld and withheld.segment != event.segment:
        out.append(Discard("rate", withheld.text))
        ctx = replace(ctx, withheld=None)
    return ctx


def _behind_mark(ctx: Context, event: HeardFor, config: ReplyConfig) -> tuple[Discard | None, str]:
    """Cut off what repeats the taken words of this very segment."""
    if ctx.mark is None or ctx.mark.segment != event.segment:
        return None, event.text
    parts = split(ctx.mark.text, event.text, coverage=config.watermark_coverage)
    if not tokens(parts.removed):
        return None, parts.rest
    return Discard("watermark", parts.removed, (("coverage", parts.coverage),)), parts.rest


def _plausible(
    ctx: Context, event: HeardFor, text: str, config: ReplyConfig, out: Out
) -> tuple[Context, str]:
    """Keep back words that nobody can have spoken so fast; a final's are dropped."""
    found = too_fast(event.text, event.duration_ms, config) if tokens(text) else None
    if found is None:
        return replace(ctx, withheld=None), text
    if event.final:
        numbers = (("units_per_s", found), ("duration_ms", float(event.duration_ms or 0)))
        out.append(Discard("rate", text, numbers))
        return replace(ctx, withheld=None), ""
    if ctx.withheld is None:
        out.append(Note("too_fast", f"{found:.2f} units/s"))
    return replace(ctx, withheld=Piece(event.segment, text)), ""


def _closed(ctx: Context, event: HeardFor, removed: Discard | None, out: Out) -> Context:
    """A final voids its segment's mark."""
    if ctx.mark is None or ctx.mark.segment != event.segment:
        return ctx
    out += [removed, Unmark(event.segment)] if removed else [Unmark(event.segment)]
    return replace(ctx, mark=None)


def _rejoined(
    ctx: Context, event: HeardFor, removed: Discard | None, config: ReplyConfig, out: Out
) -> Context:
    """Put words that were dropped shortly before in front of new ones.

    Another version of the dropped words themselves is no new word.
    """
    dropped = ctx.dropped
    if dropped is None or not ctx.buffer.text:
        return ctx
    ctx = replace(ctx, dropped=None)
    if ctx.at - dropped.at > config.rejoin_ms or not config.rejoin_ms:
        return ctx
    if event.segment == dropped.open_segment and removed is None:
        return ctx
    out.append(Rejoin(dropped.text))
    first = Piece(dropped.segment, dropped.text)
    buffer = replace(ctx.buffer, finals=(first, *ctx.buffer.finals))
    return replace(ctx, buffer=buffer)


def _grown(ctx: Context, config: ReplyConfig) -> Context:
    mic = ctx.mic
    soft = ctx.at - mic.quiet_since > config.word_lag_ms
    ear = replace(ctx.ear, grown_at=ctx.at, sound_at=None, judged=None, strikes=0)
    if not ctx.buffer.text:
        ear = replace(ear, next_tick=None)
    elif ear.next_tick is None:
        ear = replace(ear, next_tick=ctx.at + config.tick_ms)
    return replace(ctx, ear=ear, mic=replace(mic, quiet_since=ctx.at) if soft else mic)


def look(ctx: Context, config: ReplyConfig, out: Out) -> Context:
    """Do what a tick is for: ask, or count a strike against words already judged."""
    ear = replace(ctx.ear, next_tick=ctx.at + config.tick_ms)
    ctx = replace(ctx, ear=ear)
    if ear.judged:
        return _struck(ctx, ear.judged, config, out)
    if timing.present_ask(ctx):
        return ctx
    ask = Ask(ear.next_ask, ctx.at, ctx.buffer.text)
    out.append(AskEar(ask.number, ask.text, timing.quiet_ms(ctx)))
    asks = (*ear.asks, ask)[-_ASKS_KEPT:]
    return replace(ctx, ear=replace(ear, asks=asks, next_ask=ask.number + 1))


def judged(ctx: Context, event: EarJudged, config: ReplyConfig, out: Out) -> Context:
    """Act on a verdict about the words as they are; any other comes too late."""
    ctx, ask = _answered(ctx, event.ask, out)
    if ask is None:
        return ctx
    if ctx.ear.away:
        out.append(Note("judge_back"))
        ctx = replace(ctx, ear=replace(ctx.ear, away=False))
    if ask.void or tokens(ask.text) != tokens(ctx.buffer.text):
        out.append(Note("late_verdict", str(ask.number)))
        return ctx
    if event.enough >= config.answer_threshold:
        return cut(ctx, event.enough, "enough", out)
    return _struck(ctx, Judgement(event.enough, event.holding), config, out)


def failed(ctx: Context, event: EarFailed, out: Out) -> Context:
    """No verdict: the next tick asks again, and quiet makes a cut meanwhile."""
    ctx, ask = _answered(ctx, event.ask, out)
    if ask is None:
        return ctx
    if event.error == "superseded":
        out.append(Note("superseded", str(ask.number)))
        return ctx
    return away(ctx, event.error, out)


def away(ctx: Context, error: str, out: Out) -> Context:
    """Note that no verdict can be had."""
    out.append(Note("degraded", error))
    return replace(ctx, ear=replace(ctx.ear, away=True))


def _answered(ctx: Context, number: int, out: Out) -> tuple[Context, Ask | None]:
    for ask in ctx.ear.asks:
        if ask.number == number:
            asks = tuple(other for other in ctx.ear.asks if other is not ask)
            return replace(ctx, ear=replace(ctx.ear, asks=asks)), ask
    out.append(Note("unknown_ask", str(number)))
    return ctx, None


def cut(ctx: Context, score: float, why: CutWhy, out: Out) -> Context:
    """All words of the buffer become a cut."""
    segment = ctx.buffer.pieces[-1].segment
    piece = Cut(ctx.next_cut, ctx.at, ctx.buffer.text, segment, score, why)
    out.append(KeepCut(piece))
    ctx = replace(ctx, pending=(*ctx.pending, piece), next_cut=piece.id + 1)
    return _emptied(ctx, out)


def _struck(ctx: Context, verdict: Judgement, config: ReplyConfig, out: Out) -> Context:
    """Count a look at words found insufficient; drop them when nothing speaks for them any more.

    What speaks for them: the person asks for time, can be heard, was heard after them a moment
    ago, or is not heard because the recogniser is away.
    """
    ear = replace(ctx.ear, judged=verdict, strikes=ctx.ear.strikes + 1)
    ctx = replace(ctx, ear=ear)
    still = ctx.at - max(ear.grown_at, ctx.mic.quiet_since)
    holding = verdict.holding >= config.holding_floor_min
    least = max(config.strikes_min_ms, config.holding_cap_ms if holding else 0)
    if ear.strikes < config.strikes or still < least:
        return ctx
    if ctx.mic.sounds or ctx.stt.deaf_from is not None:
        return ctx
    numbers = (("strikes", float(ear.strikes)), ("still_ms", float(still)))
    scores = (("enough_to_answer", verdict.enough), ("holding_floor", verdict.holding))
    text, interim = ctx.buffer.text, ctx.buffer.interim
    out.append(Discard("strikes", text, numbers + scores))
    dropped = Dropped(
        text, ctx.at, ctx.buffer.pieces[-1].segment, interim.segment if interim else None
    )
    return replace(_emptied(ctx, out), dropped=dropped)


def _emptied(ctx: Context, out: Out) -> Context:
    """The words are gone; those of an open segment will come again and are marked."""
    written, mark = ctx.buffer.written, ctx.mark
    if ctx.buffer.interim and written:
        if mark and mark.segment != written.segment:
            out.append(Unmark(mark.segment))
        mark = Marked(written.segment, written.text)
        out.append(Mark(mark.segment, mark.text))
    asks = tuple(replace(ask, void=True) for ask in ctx.ear.asks)
    ear = Ear(asks=asks, next_ask=ctx.ear.next_ask, away=ctx.ear.away, grown_at=ctx.ear.grown_at)
    return replace(ctx, buffer=Buffer(), mark=mark, ear=replace(ear, sound_at=ctx.ear.sound_at))
