"""When a reply is begun before the end of the turn, and how long it stands: pure questions."""

from __future__ import annotations

from jev_turn.turn import timing
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context, Phase
from jev_turn.turn.effects import WithdrawWhy
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import tokens

_OPEN = (Phase.OPEN_TEXT, Phase.JUDGING, Phase.WAITING, Phase.CONFIRMING)


def worthwhile(ctx: Context, verdict: Verdict, config: TurnConfig) -> bool:
    """Tell whether to begin the reply to words that have been accepted just now.

    Nothing is begun while another reply is on its way, nor twice for the same words, nor where the
    turn ends in this moment anyway.
    """
    tried = ctx.turn.guessed
    if not (config.speculate and config.ends) or len(tried) >= config.speculate_runs_max:
        return False
    enough = verdict.enough_to_answer
    return (
        ctx.guess is None
        and enough is not None
        and enough >= config.speculate_enough_min
        and verdict.turn_complete >= config.speculate_complete_min
        and verdict.holding_floor < config.holding_floor_min
        and _agent_waits(ctx)
        and not _ends_now(ctx, config)
        and all(not same_words(words, ctx.turn.text) for words in tried)
    )


def survives(ctx: Context, asked: str) -> bool:
    """Tell whether a late answer is still about the words, which a final has spelled otherwise."""
    return ctx.phase in _OPEN and ctx.turn.claimed and same_words(asked, ctx.turn.text)


def undone_by(ctx: Context, guess: str) -> WithdrawWhy | None:
    """Say why a held reply to the words ``guess`` no longer stands; ``None`` while it does."""
    if ctx.phase is Phase.HELD:
        return "held"
    if ctx.phase not in _OPEN:
        return "words" if ctx.phase is Phase.OPEN_EMPTY else "turn_gone"
    if not same_words(guess, ctx.turn.text):
        return "words"
    return None if _agent_waits(ctx) else "agent"


def same_words(one: str, other: str) -> bool:
    """Tell whether two texts differ in case, punctuation and the spelling of digits at most."""
    return tokens(one) == tokens(other)


def _ends_now(ctx: Context, config: TurnConfig) -> bool:
    return ctx.phase is Phase.CONFIRMING and timing.due(ctx, timing.confirmed_at(ctx, config))


def _agent_waits(ctx: Context) -> bool:
    return ctx.agent.state == "listening" or ctx.agent.interrupted
