"""When something falls due in the reply list: pure functions of the state, which decide nothing."""

from __future__ import annotations

from jev_turn.replies.config import ReplyConfig
from jev_turn.replies.context import Ask, Context
from jev_turn.turn.words import tokens


def due(ctx: Context, at: int | None) -> bool:
    """Tell whether the time ``at`` (ms, ``None`` for never) has come."""
    return at is not None and ctx.at >= at


def deadline(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when the list wants its next ``Tick``, ms; ``None`` for never."""
    if ctx.over:
        return None
    return earliest(
        ctx.ear.next_tick,
        unanswered_at(ctx, config),
        degraded_at(ctx, config),
        thought_at(ctx, config),
        silent_at(ctx),
        stuck_at(ctx, config),
        deaf_at(ctx, config),
        ctx.stt.retry_at,
        drain_at(ctx, config),
    )


def quiet_since(ctx: Context) -> int | None:
    """Start of the person's quiet, ms; ``None`` while there is none or nobody can tell."""
    return None if ctx.mic.loud or ctx.mic.stalled else ctx.mic.quiet_since


def quiet_ms(ctx: Context) -> int:
    """Return the ms of quiet so far."""
    since = quiet_since(ctx)
    return 0 if since is None else max(0, ctx.at - since)


def calm_at(ctx: Context, quiet: int, config: ReplyConfig) -> int:
    """Return when the person counts as quiet for ``quiet`` ms.

    In a room that is never quiet, and without a microphone that says anything, the latest new word
    starts the clock; sound that begins after it gets the same time to become words.
    """
    since = quiet_since(ctx)
    if since is not None:
        return since + quiet
    return max(ctx.ear.grown_at, ctx.ear.sound_at or 0) + config.cap_ms


def present_ask(ctx: Context) -> Ask | None:
    """Return the question on its way that is about the words as they are."""
    text = tokens(ctx.buffer.text)
    return next((a for a in ctx.ear.asks if not a.void and tokens(a.text) == text), None)


def unanswered_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when the judge counts as away for want of an answer, ms."""
    ask = present_ask(ctx) if ctx.buffer.text and not ctx.ear.away else None
    return None if ask is None else ask.at + config.degraded_end_ms


def degraded_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when quiet makes a cut because the judge is away, ms."""
    if not ctx.buffer.text or not ctx.ear.away:
        return None
    return calm_at(ctx, config.degraded_end_ms, config)


def thought_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when an agent that thinks about nothing of ours counts as listening, ms."""
    thinks = ctx.agent.state == "thinking" and ctx.flight is None
    return ctx.agent.since + config.thinking_max_ms if thinks else None


def silent_at(ctx: Context) -> int | None:
    """Return when a reply with words has failed for want of audio, ms."""
    return ctx.flight.due_at if ctx.flight else None


def stuck_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when the turn in flight is given up, ms."""
    if ctx.flight is None or ctx.agent.state == "speaking":
        return None
    return ctx.flight.alive_at + config.run_max_ms


def deaf_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when nobody waits any longer for words from the present sound, ms."""
    if not ctx.mic.sounds or ctx.stt.given_up:
        return None
    return max(ctx.mic.loud_since, ctx.stt.said_at) + config.stt_silent_ms


def drain_at(ctx: Context, config: ReplyConfig) -> int | None:
    """Return when the list is handed to the model, ms.

    Words that nobody has judged yet may be its next cut: they are looked at first, within a tick.
    """
    if not ctx.pending or ctx.flight is not None or ctx.agent.state != "listening":
        return None
    if ctx.buffer.text and ctx.ear.judged is None and not ctx.ear.away:
        return None
    return ctx.at if ctx.stt.given_up else calm_at(ctx, config.drain_quiet_ms, config)


def earliest(*times: int | None) -> int | None:
    """Return the first of the times that are not ``None``."""
    return min([at for at in times if at is not None], default=None)
