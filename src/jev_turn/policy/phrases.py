"""Phrases by language, as a recogniser writes them without capitals and punctuation."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

Phrases = Mapping[str, tuple[str, ...]]
"""Phrases by language tag; ``*`` stands for every language."""


def is_phrase(text: str) -> bool:
    """Tell whether a recogniser's words, lower case and without punctuation, can equal it."""
    spelled = all(c.isalnum() or c in " '" or unicodedata.category(c)[0] == "M" for c in text)
    return bool(text) and spelled and text == " ".join(text.lower().split())


def phrases_for(table: Phrases, language: str) -> tuple[str, ...]:
    """Return the phrases of a language.

    Args:
        table: Phrases by language tag.
        language: A tag such as ``en`` or ``en-GB``; the part before the dash serves too.

    Returns:
        The phrases; none if the table has neither the language nor ``*``.
    """
    tag = language.lower().replace("_", "-")
    for key in (tag, tag.split("-")[0], "*"):
        if key in table:
            return table[key]
    return ()
