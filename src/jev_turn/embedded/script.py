"""What the scripted model answers: a table of patterns over what the person has just said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_DIGITS = dict(
    zip("zero one two three four five six seven eight nine".split(), "0123456789", strict=True)
)
_NOT_A_WORD = re.compile(r"[^\w\s]")
_SPOKEN_ZERO = re.compile(r"(?<=\d )oh\b")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s+(?=\d)")
_QUESTION = re.compile(r"[^.!?]+\?")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a script.

    Attributes:
        pattern: Regular expression, found anywhere in the normalised words.
        reply: What is answered, whole.
    """

    pattern: str
    reply: str


def answer(words: str, script: Sequence[Line], fallback: str) -> str:
    """Return the reply of the first line whose pattern is in ``words``.

    Of several questions each gets its reply, in the order in which they were asked, and none twice.

    Args:
        words: What the person said, as the recogniser wrote it.
        script: The lines, first match wins.
        fallback: The reply when none matches.
    """
    questions = _QUESTION.findall(words)
    replies = [_first(part, script) for part in (questions if len(questions) > 1 else [words])]
    # The rest of the words may match where no question does.
    return " ".join(dict.fromkeys(filter(None, replies))) or _first(words, script) or fallback


def _first(words: str, script: Sequence[Line]) -> str:
    said = normalised(words)
    return next((line.reply for line in script if re.search(line.pattern, said)), "")


def normalised(words: str) -> str:
    """Lower case, no punctuation, single spaces, digits for digit words, no space between them."""
    text = _NOT_A_WORD.sub("", words.casefold().replace("-", " "))
    text = " ".join(_DIGITS.get(word, word) for word in text.split())
    return _BETWEEN_DIGITS.sub("", _SPOKEN_ZERO.sub("0", text))


def last_said(messages: Sequence[Any]) -> str:
    """Return the person's words since the agent last spoke, joined by spaces.

    Args:
        messages: A context's messages, oldest first, as ``LLMContext.get_messages`` gives them.
    """
    said: list[str] = []
    for message in reversed(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            break
        if role == "user":
            said.append(_text(message.get("content")))
    return " ".join(reversed(said)).strip()


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return " ".join(part["text"] for part in parts if part.get("type") == "text")


GREETING = "Hello, this is the harbour museum. How can I help you?"
FALLBACK = "I see. What else would you like to know about the museum?"

RECEPTION = (
    Line(
        r"\d{7,}",
        "Thank you, I have written that down. Somebody will call you back this afternoon.",
    ),
    Line(
        r"\d{3,6}",
        "I think part of the number is missing. Could you tell me all of it once more?",
    ),
    Line(
        r"\b(call me|call you back|ring me|telephone|phone|reach me)\b",
        "Of course. What is your telephone number?",
    ),
    Line(
        r"\b(tell me|explain|history|story|describe|how did)\b",
        "Gladly. The museum stands in an old rope works, which was built in eighteen seventy "
        "four beside the western dock. For sixty years more than two hundred people twisted "
        "hemp there, in a hall so long that the workers rode bicycles from one end to the other. "
        "After the last rope had left the works, a group of retired sailors bought the empty "
        "building, repaired the roof with their own hands, and filled it with their ships. "
        "Today you can walk through a fishing boat, a tug, and the cabin of an ice breaker.",
    ),
    Line(
        r"\b(open|opening|close|hours|what time|when)\b",
        "We open at nine in the morning and close at six. On Mondays the doors stay shut.",
    ),
    Line(
        r"\b(how much|cost|price|prices|ticket|tickets|pay)\b",
        "Adults pay eight euros, and children come in free.",
    ),
    Line(
        r"\b(book|table|reserve|reservation|tour|visit)\b",
        "With pleasure. For which day, and for how many of you?",
    ),
    Line(
        r"\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|people|persons)\b",
        "That is possible. What number can we call you on?",
    ),
    Line(
        r"\b(where|address|get there|parking|park|bus|train|tram)\b",
        "You find us at the western dock, two minutes from the tram stop.",
    ),
    Line(
        r"\b(eat|food|drink|coffee|lunch|restaurant)\b",
        "There is a small kitchen on the ground floor, with soup and coffee all day.",
    ),
    # The recogniser writes "wait" in either way.
    Line(r"^(?:(?:please|no|oh|okay|ok|wait|weight|stop|hold on|hang on) ?)+$", "Sure. Go ahead."),
    Line(r"\b(thanks|thank you|bye|goodbye)\b", "You are welcome. Have a good day."),
    Line(r"^(?:hello|hi|hey|good (?:morning|afternoon|evening))\b", GREETING),
)
"""The reception of a small museum: answers, asks back for a number, and tells a long story."""
