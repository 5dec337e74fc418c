"""A recogniser that has gone deaf raises no error by itself: sound without any text betrays it."""

from __future__ import annotations

from jev_turn.replies import ear, timing
from jev_turn.replies.config import ReplyConfig
from jev_turn.replies.context import Context, Stt, replace
from jev_turn.replies.effects import Effect, GapMarked, Note, ReconnectStt

Out = list[Effect]


def hears(ctx: Context, out: Out) -> Context:
    """The recogniser has said something."""
    ctx = _gap_closed(ctx, out)
    return replace(ctx, stt=Stt(said_at=ctx.at))


def up(ctx: Context, out: Out) -> Context:
    """It has connected anew; attempts count on until it says something."""
    ctx = _gap_closed(ctx, out)
    return replace(ctx, stt=Stt(said_at=ctx.at, attempt=ctx.stt.attempt))


def down(ctx: Context, error: str, config: ReplyConfig, out: Out) -> Context:
    """It has lost its connection, or could not get one."""
    out.append(Note("stt_down", error))
    if ctx.stt.state == "waiting":
        return ctx
    return _retry(ctx, ctx.at, config)


def advance(ctx: Context, config: ReplyConfig, out: Out) -> Context:
    """Do what time has made due: give up waiting for words, ask to connect, ask again."""
    at = timing.deaf_at(ctx, config)
    if at is not None and ctx.at >= at:
        since = at - config.stt_silent_ms
        out.append(Note("stt_silent", f"{ctx.at - since} ms of sound without a word"))
        ctx = replace(ctx, stt=replace(ctx.stt, given_up=True))
        if ctx.buffer.text:
            ctx = ear.cut(ctx, 0.0, "degraded", out)
        if not ctx.stt.state:
            ctx = _retry(ctx, since, config)
    if not timing.due(ctx, ctx.stt.retry_at):
        return ctx
    if ctx.stt.state == "waiting":
        return _asked(ctx, config, out)
    return down(ctx, "no answer", config, out)


def _retry(ctx: Context, since: int, config: ReplyConfig) -> Context:
    """Arm the next attempt; the wait before each is twice the one before."""
    before = ctx.stt
    wait = min(config.stt_retry_min_ms * 2**before.attempt, config.stt_retry_max_ms)
    deaf_from = since if before.deaf_from is None else before.deaf_from
    stt = replace(before, deaf_from=deaf_from, retry_at=ctx.at + wait, state="waiting")
    return replace(ctx, stt=stt)


def _asked(ctx: Context, config: ReplyConfig, out: Out) -> Context:
    attempt = ctx.stt.attempt + 1
    out.append(ReconnectStt(attempt))
    again = ctx.at + config.stt_silent_ms
    return replace(ctx, stt=replace(ctx.stt, attempt=attempt, retry_at=again, state="asked"))


def _gap_closed(ctx: Context, out: Out) -> Context:
    """What the words in the buffer had no chance to become counts for nothing against them."""
    if ctx.stt.deaf_from is None:
        return ctx
    out.append(GapMarked(ctx.stt.deaf_from, ctx.at))
    return replace(ctx, ear=replace(ctx.ear, grown_at=ctx.at, strikes=0))
