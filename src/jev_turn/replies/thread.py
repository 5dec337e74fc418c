"""What of a peer's thread the model is shown, and what of it is old enough to be summarised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar


class Block(Protocol):
    """One turn of the thread, word for word."""

    @property
    def user(self) -> str:
        """What the person said."""

    @property
    def answer(self) -> str:
        """What was answered."""


B = TypeVar("B", bound=Block)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of a thread is shown; values are in the policy under ``memory``.

    Attributes:
        retention_tokens: Tokens of it that are shown word for word, >= 0.
        retention_blocks_min: Blocks that are shown whatever they cost, >= 1.
        compress_at_tokens: A longer thread is summarised up to what is retained, > 0.
    """

    retention_tokens: int
    retention_blocks_min: int
    compress_at_tokens: int


def estimated_tokens(text: str) -> int:
    """Estimate tokens: one per Chinese or Japanese character, else one per four letters."""
    wide = sum("\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" for char in text)
    return wide + -(-(len(text) - wide) // 4)


def retained(blocks: Sequence[B], budget: Budget) -> Sequence[B]:
    """Return the newest blocks that fit, and never fewer than the minimum.

    One huge block must not leave the model without the last exchange.
    """
    kept, spent = 0, 0
    for block in reversed(blocks):
        spent += _cost(block)
        if kept >= budget.retention_blocks_min and spent > budget.retention_tokens:
            break
        kept += 1
    return blocks[len(blocks) - kept :]


def outgrown(blocks: Sequence[B], budget: Budget) -> Sequence[B]:
    """Return the blocks to be summarised: all that are not retained, once there is too much."""
    if sum(map(_cost, blocks)) <= budget.compress_at_tokens:
        return blocks[:0]
    return blocks[: len(blocks) - len(retained(blocks, budget))]


def message(summaries: Sequence[str], blocks: Sequence[Block]) -> str:
    """Return what the model is told about earlier calls; "" when there were none."""
    parts = ["What you and this person said to each other in earlier calls."]
    if summaries:
        parts.append("In short: " + " ".join(summaries))
    parts += [f"They said: {block.user}\nYou said: {block.answer}" for block in blocks]
    return "\n\n".join(parts) if len(parts) > 1 else ""


def summary_request(summaries: Sequence[str], blocks: Sequence[Block]) -> str:
    """Return the request that turns blocks, and what was summarised before them, into one text."""
    earlier = [f"Summary so far: {text}" for text in summaries]
    turns = [f"Person: {block.user}\nAssistant: {block.answer}" for block in blocks]
    return "\n\n".join(
        [
            "Summarise this conversation in at most 150 words for the assistant's own use: facts "
            "about the person, what they wanted, what was promised and what is still open. Write "
            "plain sentences and nothing else.",
            *earlier,
            *turns,
        ]
    )


def _cost(block: Block) -> int:
    return estimated_tokens(block.user) + estimated_tokens(block.answer)
