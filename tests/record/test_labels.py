"""Texts inside a picture."""

from __future__ import annotations

from jev_turn.record.labels import PLOT_WIDTH_PX, Label, inert, stagger, wrapped

# So many seconds that one letter is one second wide.
SECONDS = PLOT_WIDTH_PX / 6.6


def test_a_text_with_room_stands_whole() -> None:
    """The first row is used while it is free."""
    assert stagger([(0, "one"), (10, "two")], SECONDS, 2) == [
        Label(0, 0, 0, "one"),
        Label(1, 10, 0, "two"),
    ]


def test_a_text_that_would_cover_another_takes_the_next_row() -> None:
    """Eight letters from second 0 reach to second 9."""
    shown = stagger([(0, "longtext"), (8, "two"), (9, "three")], SECONDS, 2)
    assert [(label.row, label.text) for label in shown] == [
        (0, "longtext"),
        (1, "two"),
        (0, "three"),
    ]


def test_a_text_without_room_is_cut() -> None:
    """The text two further on, which takes the same row, limits it."""
    items = [(0.0, "a long sentence"), (1.0, "b"), (8.0, "c")]
    assert stagger(items, SECONDS, 2)[0].text == "a long\u2026"


def test_a_text_with_no_room_at_all_is_left_to_the_hover_text() -> None:
    """A letter and dots would say nothing."""
    shown = stagger([(0.0, "sentence"), (1.0, "other"), (1.5, "third")], SECONDS, 1)
    assert [label.index for label in shown] == [2]


def test_hover_texts_are_wrapped_and_inert() -> None:
    """A box as wide as the screen cannot be read; markup is text."""
    text = wrapped("<i>" + " word" * 20)
    assert "<br>" in text and text.startswith("&lt;i&gt;")


def test_control_characters_are_gone() -> None:
    """Formatting characters could turn the text around."""
    assert inert("a\u202eb\x00c\nd") == "a b c d"
