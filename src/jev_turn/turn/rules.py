"""What a verdict or a word means in a given state: the questions that ``machine`` asks itself."""

from __future__ import annotations

from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context, Hold
from jev_turn.turn.verdict import Verdict
from jev_turn.turn.words import count, starts_with_phrase, tokens


def takes_floor(ctx: Context, verdict: Verdict, config: TurnConfig) -> bool:
    """Tell whether words over the agent's speech stop it."""
    if verdict.taking_floor is None or verdict.taking_floor < config.barge_in_threshold:
        return False
    return not config.barge_in_requires_addressed or addressed(ctx, verdict, config)


def addressed(ctx: Context, verdict: Verdict, config: TurnConfig) -> bool:
    """Tell whether words count as meant for the agent, which after a streak of asides they do."""
    if verdict.addressed_to_agent >= config.addressee_threshold or not config.side_talk_hold:
        return True
    return 0 < config.side_talk_streak_max <= ctx.streak


def hold_over_agent(ctx: Context, verdict: Verdict, config: TurnConfig) -> Hold:
    """Name the hold of words that leave the floor to the agent."""
    if config.ends and (verdict.taking_floor or 0.0) >= config.barge_in_threshold:
        return "side_talk"
    return "undecided" if ctx.turn.accepted_before else "backchannel"


def interrupts_unjudged(ctx: Context, config: TurnConfig) -> bool:
    """Tell whether the words of this overlap stop the agent without a verdict."""
    over = tokens(ctx.turn.text)[len(tokens(ctx.turn.before_agent)) :]
    if not config.semantic_barge_in:
        return bool(over)
    return starts_with_phrase(over, config.stop_words, config.stop_words_within)


def interrupts_degraded(ctx: Context, config: TurnConfig) -> bool:
    """Tell whether this overlap has enough words to stop the agent while the judge is away."""
    return count(ctx.turn.text) - count(ctx.turn.before_agent) >= config.degraded_words


def sound_is_recent(ctx: Context, config: TurnConfig) -> bool:
    """Tell whether words that come now can come from the latest sound."""
    return ctx.mic.loud or ctx.at - ctx.mic.quiet_since <= config.empty_turn_ms
