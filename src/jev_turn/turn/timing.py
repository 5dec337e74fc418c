"""When something falls due: pure functions of the state; ``machine`` decides what it means."""

from __future__ import annotations

from jev_turn.turn import curves
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context, Phase


def due(ctx: Context, at: int | None) -> bool:
    """Tell whether the time ``at`` (ms, ``None`` for never) has come."""
    return at is not None and ctx.at >= at


def deadline(ctx: Context, config: TurnConfig) -> int | None:
    """Return when the machine wants its next ``Tick``, ms; ``None`` for never."""
    thinking = ctx.agent.since + config.thinking_max_ms if ctx.agent.state == "thinking" else None
    times = (thinking, *_phase_times(ctx, config))
    return min((at for at in times if at is not None), default=None)


def _phase_times(ctx: Context, config: TurnConfig) -> tuple[int | None, ...]:
    turn = ctx.turn
    match ctx.phase:
        case Phase.OPENING | Phase.ENDING:
            return (turn.opened_at + config.ending_max_ms,)
        case Phase.OPEN_EMPTY:
            return () if turn.false_open else (turn.opened_at + config.empty_turn_ms,)
        case Phase.HELD:
            return (released_at(ctx, config),)
        case Phase.ARMED:
            return ()
    if not config.ends:
        asks = ctx.phase is Phase.OPEN_TEXT and ctx.agent.speaks
        return (ask_at(ctx, config),) if asks else ()
    limit, since = cap(ctx, config), quiet_since(ctx)
    caps = (turn.word_at + limit, since + limit if since is not None else None)
    match ctx.phase:
        case Phase.OPEN_TEXT:
            return (ask_at(ctx, config), *caps)
        case Phase.CONFIRMING:
            return (confirmed_at(ctx, config), caps[0])
        case Phase.WAITING:
            return (recheck_at(ctx, config), degraded_end_at(ctx, config), *caps)
    return (degraded_end_at(ctx, config), *caps)


def quiet_since(ctx: Context) -> int | None:
    """Start of the quiet that counts for this turn; without any sound, its latest word."""
    if ctx.mic.loud or ctx.mic.stalled:
        return None
    return ctx.mic.quiet_since if ctx.turn.sounded else max(ctx.mic.quiet_since, ctx.turn.word_at)


def quiet(ctx: Context) -> int | None:
    """Return the ms of quiet that count for this turn; ``None`` while there is no quiet."""
    since = quiet_since(ctx)
    return None if since is None else max(0, ctx.at - since)


def cap(ctx: Context, config: TurnConfig) -> int:
    """Return the quiet (ms) that ends this turn whatever the judge says."""
    judged = ctx.turn.judged
    holding = judged is not None and judged.verdict.holding_floor >= config.holding_floor_min
    return config.holding_cap_ms if holding else config.cap_ms


def ask_at(ctx: Context, config: TurnConfig) -> int:
    """Return when the debounce of the latest change is over, ms."""
    over = ctx.agent.speaks
    return ctx.turn.ask_from + (config.barge_in_debounce_ms if over else config.debounce_ms)


def confirmed_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when quiet will have confirmed the turn; ``None`` while it is loud."""
    since, judged = quiet_since(ctx), ctx.turn.judged
    if since is None or judged is None:
        return None
    return since + curves.whole_ms(curves.confirm(config, judged.verdict.turn_complete))


def recheck_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when to ask again about the same words; ``None`` while it is loud."""
    if ctx.turn.failed_at is not None:
        return ctx.turn.failed_at + config.recheck_min_ms
    since, judged = quiet_since(ctx), ctx.turn.judged
    if since is None or judged is None:
        return None
    pause = curves.wait(config, judged.verdict.turn_complete, judged.bar)
    return max(since, judged.at) + curves.whole_ms(pause)


def degraded_end_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when quiet ends a turn that the judge failed on; ``None`` for never."""
    since = quiet_since(ctx)
    unheard = ctx.mic.seen and not ctx.turn.sounded
    if ctx.turn.failed_at is None or since is None or unheard:
        return None
    return since + config.degraded_end_ms


def released_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when held words leave the turn, ms; ``None`` for never."""
    turn, since = ctx.turn, quiet_since(ctx)
    still = turn.word_at + cap(ctx, config)
    if turn.hold == "backchannel":
        if turn.interim is None:
            return ctx.at
        return min(still, since + config.backchannel_after_ms) if since is not None else still
    if turn.hold == "side_talk" and config.side_talk == "discard":
        return min(still, since + config.side_talk_after_ms) if since is not None else still
    return None
