"""Words that two reads agree on."""

from __future__ import annotations

import pytest

from jev_turn.embedded.agreement import agreed, is_news


@pytest.mark.parametrize(
    ("earlier", "later", "common"),
    [
        ("", "I would", ""),
        ("It's hard", "If I,", ""),
        ("If I,", "If I,", "If I"),
        ("I would like.", "I would like to book.", "I would like"),
        ("Wait.", "Waste, waste, waste", ""),
        ("wait stop", "Wait, stop.", "Wait, stop"),
        ("My number is 555.", "My number is 555-0142.", "My number is"),
        ("What? What?", "What is this?", "What"),
        ("Yes — well", "Yes, well then", "Yes, well"),
        ("\"'Can you", "'Can you tell", "Can you"),
        ("♪♪", "♪♪ ♪", ""),
    ],
)
def test_only_the_common_beginning_is_agreed(earlier: str, later: str, common: str) -> None:
    """Case and punctuation do not count; the last word has none, whatever the reads put there."""
    assert agreed(earlier, later) == common


@pytest.mark.parametrize(
    ("shown", "text", "news"),
    [
        ("", "", False),
        ("", "I", True),
        ("I would", "I would", False),
        ("I would", "i, would", False),
        ("I would like", "I would", False),
        ("I would", "I would like", True),
        ("I would", "I wood", True),
    ],
)
def test_what_has_been_shown_is_not_shown_again(shown: str, text: str, news: bool) -> None:
    """The same words or fewer of them say nothing new; other words do."""
    assert is_news(shown, text) is news
