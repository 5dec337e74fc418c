"""What a person says in ``jev-turn bench --latency``: its sound, its transcripts, their truth."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipecat.classifiers.base_classifier import (
    BaseClassifier,
    ClassifierQuestion,
    ClassifierResult,
    YesNoResult,
)

from jev_turn.bench.room import microphone
from jev_turn.turn.speculation import same_words

JUDGE_S = 0.15
FINAL_S = 0.4
"""An utterance's final comes so long after its last word, s."""

_INTERIM_S = 0.15
_QUESTIONS = ("what is an index", "how long does it take", "where do I find it", "who wrote this")
_GOES_ON = ("call me on Monday", "after the second lesson")
_EVERY = 5
"""Each turn of so many goes on behind what sounds like its end."""

_WORD_S, _PAUSE_S, _GAP_S, _BEGINS_S = 0.3, 0.45, 3.6, 1.0


@dataclass(frozen=True, slots=True)
class Utterance:
    """A stretch of speech.

    Attributes:
        at: When it begins, s.
        text: Its words.
        turn: Number of its turn.
    """

    at: float
    text: str
    turn: int

    @property
    def until(self) -> float:
        """When it ends, s."""
        return self.at + _WORD_S * len(self.text.split())

    def transcripts(self) -> Iterator[tuple[float, str, bool]]:
        """Yield (seconds, text, final) as a streaming recogniser gives them."""
        words = self.text.split()
        for said in range(1, len(words) + 1):
            yield self.at + _WORD_S * said + _INTERIM_S, " ".join(words[:said]), False
        yield self.until + FINAL_S, self.text.capitalize() + ".", True


def talk(turns: int) -> list[Utterance]:
    """Return the utterances of so many turns, in order."""
    said, at = list[Utterance](), _BEGINS_S
    for turn in range(turns):
        goes_on = turn % _EVERY == _EVERY - 1
        for text in _GOES_ON if goes_on else (_QUESTIONS[turn % len(_QUESTIONS)],):
            said.append(Utterance(at, text, turn))
            at = said[-1].until + _PAUSE_S
        at += _GAP_S
    return said


def sound(said: Sequence[Utterance]) -> Iterator[bytes]:
    """Yield the microphone's chunks: a room, and a loud voice in it for as long as words last."""
    lasts_ms = round((said[-1].until + _GAP_S) * 1000)
    return microphone(lasts_ms, lambda at: any(one.at <= at < one.until for one in said))


class Listener(BaseClassifier):
    """Answers after 150 ms that whole utterances are whole, the first half of a turn included."""

    @property
    def model(self) -> str:
        """No model."""
        return "whole-utterances"

    async def _ask(
        self, state: Any, questions: Mapping[str, ClassifierQuestion], images: Sequence[Any] = ()
    ) -> tuple[dict[str, ClassifierResult], None]:
        await asyncio.sleep(JUDGE_S)
        heard = state["current_user_transcript"]
        whole = any(same_words(heard, text) for text in (*_QUESTIONS, *_WHOLE))
        sure = {
            "turn_complete": 0.95 if whole else 0.1,
            "enough_to_answer": 0.95 if whole else 0.1,
            "holding_floor": 0.05,
        }
        return {name: YesNoResult(probability=sure.get(name, 0.95)) for name in questions}, None


_WHOLE = (_GOES_ON[0], " ".join(_GOES_ON))
