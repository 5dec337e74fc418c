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
    return None if ctx.over else earliest(thinking, *_phase_times(ctx, config))


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
    ends = (timeout_at(ctx, config), still_at(ctx, config), degraded_end_at(ctx, config))
    match ctx.phase:
        case Phase.OPEN_TEXT:
            return (ask_at(ctx, config), *ends)
        case Phase.CONFIRMING:
            return (confirmed_at(ctx, config), *ends)
        case Phase.WAITING:
            return (recheck_at(ctx, config), *ends)
    return ends


def quiet_since(ctx: Context) -> int | None:
    """Start of the quiet that counts for this turn; ``None`` while there is no quiet."""
    if ctx.mic.loud or ctx.mic.stalled:
        return None
    return max(ctx.mic.quiet_since, ctx.turn.quiet_from)


def quiet(ctx: Context) -> int | None:
    """Return the ms of quiet that count for this turn; ``None`` while there is no quiet."""
    since = quiet_since(ctx)
    return None if since is None else max(0, ctx.at - since)


def cap(ctx: Context, config: TurnConfig) -> int:
    """Return the quiet (ms) that ends this turn whatever the judge says."""
    judged = ctx.turn.judged
    holding = judged is not None and judged.verdict.holding_floor >= config.holding_floor_min
    return config.holding_cap_ms if holding else config.cap_ms


def timeout_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when quiet ends this turn whatever the judge says; ``None`` while it is loud."""
    since = quiet_since(ctx)
    return None if since is None else max(since, ctx.turn.freed_at) + cap(ctx, config)


def still_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when this turn ends for want of new words; ``None`` while only quiet counts.

    In a room that has been loud since the latest word, that word starts the clock. Sound that
    begins after it gets the same time to become words, however often it stops and begins again.
    """
    turn = ctx.turn
    if turn.sound_at is None and quiet_since(ctx) is not None:
        return None
    return max(turn.sound_at or turn.word_at, turn.freed_at) + cap(ctx, config)


def ask_at(ctx: Context, config: TurnConfig) -> int:
    """Return when the debounce of the latest change is over, ms."""
    pause_ms = config.debounce_ms
    if ctx.agent.speaks:
        pause_ms = config.barge_in_debounce_ms
    elif config.speculate and ctx.turn.interim is not None:
        pause_ms = config.speculate_debounce_ms
    return ctx.turn.ask_from + pause_ms


def confirmed_at(ctx: Context, config: TurnConfig) -> int | None:
    """Return when quiet will have confirmed the turn; ``None`` while it is loud."""
    since, judged = quiet_since(ctx), ctx.turn.judged
    if since is None or judged is None:
        return None
    needed_ms = curves.whole_ms(curves.confirm(config, judged.verdict.turn_complete))
    if ctx.turn.interim is not None:
        needed_ms = max(needed_ms, config.interim_quiet_ms)
    return since + needed_ms


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
    hold, since = ctx.turn.hold, quiet_since(ctx)
    if hold == "backchannel" and ctx.turn.interim is None:
        return ctx.at
    if hold == "backchannel":
        quiet_ms = config.backchannel_after_ms
    elif hold == "side_talk" and config.side_talk == "discard":
        quiet_ms = config.side_talk_after_ms
    else:
        return None
    return earliest(None if since is None else since + quiet_ms, still_at(ctx, config))


def earliest(*times: int | None) -> int | None:
    """Return the first of the times that are not ``None``."""
    return min([at for at in times if at is not None], default=None)
