"""How a question must not be worded: what a judge is known to read badly."""

from __future__ import annotations

import re
from collections.abc import Iterator

STATE_FIELDS = frozenset(
    {
        "setting",
        "transcript_notes",
        "timing_notes",
        "conversation_history",
        "assistant_last_message",
        "assistant_state",
        "assistant_current_speech",
        "transcript_trajectory",
        "asr_final",
        "stable_word_ratio",
        "turn_elapsed_ms",
        "silence_since_last_word_ms",
        "current_user_transcript",
    }
)
"""The fields of the state that a question is asked about."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|unless|cannot)\b|n't\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.?!;:])\s+")
_FIELD = re.compile(r"`([^`]*)`")
_FLAGS = {
    "counting": re.compile(
        r"\b(?:how many|how much|how often|number of|count(?:s|ed|ing)?|"
        r"(?:at least|at most|more than|fewer than|less than) (?:\d+|one|two|three|four|five)|"
        r"twice|\w+ times)\b|\b\d+\b",
        re.IGNORECASE,
    ),
    "timing": re.compile(
        r"\b(?:how long|how soon|(?:milli)?seconds?|ms|minutes?|silen(?:t|tly|ce)|quiet(?:ly)?|"
        r"paus(?:e|es|ed|ing)|duration|elapsed|recently|too (?:early|late|soon))\b",
        re.IGNORECASE,
    ),
}


def wording_problems(text: str) -> Iterator[str]:
    """Find what a judge would read badly in one text of a question.

    Args:
        text: The question itself, or one of its criteria.

    Yields:
        One message per problem.
    """
    fields = set(_FIELD.findall(text))
    for name in sorted(fields - STATE_FIELDS):
        yield f"`{name}` is no field of the state"
    prose = _FIELD.sub("", text)
    for name in sorted(name for name in STATE_FIELDS if "_" in name and name in prose):
        yield f"{name} must stand in backticks"
    for kind, pattern in _FLAGS.items():
        if match := pattern.search(prose):
            yield f"{kind} ({match[0]!r}) belongs in code"
    for sentence in _SENTENCE.split(prose):
        if len(found := _NEGATION.findall(sentence)) > 1:
            yield f"double negation ({', '.join(found)}) in {sentence!r}"


def question_problems(text: str) -> Iterator[str]:
    """Find what is wrong with the text that asks: it asks one thing, about a named field.

    Args:
        text: The question itself.

    Yields:
        One message per problem.
    """
    if text.count("?") != 1:
        yield f"asks {text.count('?')} things; expected one question mark"
    if not _FIELD.search(text):
        yield "names no field of the state in backticks"
    yield from wording_problems(text)
