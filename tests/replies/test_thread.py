"""What of a peer's thread is shown and what is summarised."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from jev_turn.replies.thread import (
    Budget,
    estimated_tokens,
    message,
    outgrown,
    retained,
    summary_request,
)


@dataclass(frozen=True)
class Block:
    user: str
    answer: str = ""


BUDGET = Budget(retention_tokens=10, retention_blocks_min=2, compress_at_tokens=20)
SMALL = Block("a" * 16)  # 4 tokens
HUGE = Block("a" * 400)  # 100 tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("你好吗", 3)])
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    """A thread in Chinese must not be taken for a quarter of its cost."""
    assert estimated_tokens(text) == tokens


def test_the_newest_blocks_that_fit_are_shown() -> None:
    """A long thread must not push the bot's own instructions out of the model's window."""
    blocks = [SMALL] * 5
    assert len(retained(blocks, Budget(12, 1, 20))) == 3
    assert len(retained(blocks, Budget(11, 1, 20))) == 2


def test_one_huge_block_never_leaves_nothing() -> None:
    """A monologue must not make the bot forget the last exchange."""
    assert retained([SMALL, SMALL, HUGE], BUDGET) == [SMALL, HUGE]


def test_a_short_thread_is_not_summarised() -> None:
    """Twenty tokens are the limit: at it nothing is done, over it the old part goes."""
    assert outgrown([SMALL] * 5, BUDGET) == []
    assert len(outgrown([SMALL] * 6, BUDGET)) == 4


def test_what_is_summarised_and_what_is_shown_is_the_whole_thread() -> None:
    """No block may fall between the two."""
    blocks = [Block(f"{n}" * 12) for n in range(9)]
    assert [*outgrown(blocks, BUDGET), *retained(blocks, BUDGET)] == blocks


def test_somebody_new_has_no_message() -> None:
    """A model that is told of earlier calls that never were makes them up."""
    assert message([], []) == ""


def test_summaries_stand_before_words() -> None:
    """The model reads the thread in the order in which it happened."""
    text = message(["Likes tea."], [Block("hello", "hi")])
    assert text.index("Likes tea.") < text.index("They said: hello\nYou said: hi")


def test_an_earlier_summary_is_part_of_the_next() -> None:
    """What was summarised once must not be forgotten by the second summary."""
    request = summary_request(["Likes tea."], [Block("hello", "hi")])
    assert "Summary so far: Likes tea." in request
    assert "Person: hello\nAssistant: hi" in request
