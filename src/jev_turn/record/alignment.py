"""Matches what was said, word by word and in order, with the places where words came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

from jev_turn.record.heard import Message, Utterance, Words

# An error is looked for within so many words before the point where the account breaks off, and
# so many ways of explaining it are followed at once.
_WINDOW = 40
_BEAM = 100
# Left over words end where a word follows that is found within so many on the other side.
_NEAR = 6
# Endless repetition of one word has more orders than can be tried.
_LIMIT = 200_000

# Utterance, next word in it (-1: untouched, a stand-in may come), next word of every place.
_Positions = tuple[int, ...]
_State = tuple[int, int, _Positions]


@dataclass(frozen=True, slots=True)
class _Skip:
    """Words that are left over on one side."""

    text: str
    lost: bool
    words: int


# The state before, and what was left over on the way from it.
_Step = tuple[_State, _Skip | None]


class Alignment:
    """The search for an account that leaves nothing over, and else for a small rest.

    Words that match are followed to the end first, everywhere they lead. Only where no such way
    reaches the goal are words left over: one run of words per round.

    Args:
        utterances: What was said, in order.
        places: Where words came out; each place's messages in order.
    """

    def __init__(
        self, utterances: Sequence[Utterance], places: Sequence[Sequence[Message]]
    ) -> None:
        self._said = [utterance for utterance in utterances if utterance.words]
        self._out = [tuple(w for message in place for w in message.words) for place in places]
        self._message = [[message for message in place for _ in message.words] for place in places]
        self._ends = [_message_ends(place) for place in places]
        self._before = list(accumulate((len(u.words) for u in self._said), initial=0))
        self._goal: _State = (len(self._said), -1, tuple(map(len, self._out)))
        self._came: dict[_State, _Step | None] = {}

    def leftovers(self) -> tuple[list[str], list[str]]:
        """Return the texts that were lost and those that came out without having been said."""
        frontier: list[tuple[_State, _Step | None]] = [((0, -1, (0,) * len(self._out)), None)]
        while True:
            # Behind the deepest state of all there is always something new.
            reached = self._follow(frontier) or list(self._came)
            if self._goal in self._came:
                return self._report()
            reached.sort(key=self._depth, reverse=True)
            deepest = self._depth(reached[0])
            near = (s for s in reached[:_BEAM] if self._depth(s) >= deepest - _WINDOW)
            skips = [
                (after, (state, skip))
                for state in near
                for after, skip in chain(self._lost(state), self._doubled(state))
            ]
            frontier = [*sorted(skips, key=lambda item: item[1][1].words)]

    def _follow(self, frontier: Sequence[tuple[_State, _Step | None]]) -> list[_State]:
        """Follow matching words from each state; return the states that are new."""
        reached: list[_State] = []
        for first in frontier:
            stack = [first]
            while stack and len(reached) < _LIMIT:
                state, step = stack.pop()
                if state in self._came:
                    continue
                self._came[state] = step
                reached.append(state)
                if state == self._goal:
                    return reached
                stack.extend((after, (state, None)) for after in self._matches(state))
        return reached

    def _matches(self, state: _State) -> Iterator[_State]:
        """Yield where matching words lead, the likeliest last."""
        index, word, at = state
        if index == len(self._said):
            return
        utterance = self._said[index]
        if word < 0:
            for words, rests in utterance.stand_ins:
                for place in self._places_with(words, at):
                    moved = _moved(at, place, len(words))
                    yield from (self._state(index, rest, moved) for rest in rests)
            yield index, 0, at
        else:
            for place in self._places_with(utterance.words[word : word + 1], at):
                yield self._state(index, word + 1, _moved(at, place, 1))

    def _lost(self, state: _State) -> Iterator[tuple[_State, _Skip]]:
        """Yield which words said next may be left over: a run up to one that matches again."""
        index, word, at = state[0], max(state[1], 0), state[2]
        if index == len(self._said):
            return
        utterance = self._said[index]
        near = {
            w for out, next_ in zip(self._out, at, strict=True) for w in out[next_ : next_ + _NEAR]
        }
        for end in _stops(utterance.words, word, len(utterance.words), near):
            text = _shown(utterance, word, end)
            yield self._state(index, end, at), _Skip(text, True, end - word)

    def _doubled(self, state: _State) -> Iterator[tuple[_State, _Skip]]:
        """Yield which words that came out next may be left over, place by place."""
        index, word, at = state
        wanted: set[str] = set()
        if index < len(self._said):
            utterance = self._said[index]
            wanted = set(utterance.words[max(word, 0) :][:_NEAR])
            wanted.update(words[0] for words, _ in utterance.stand_ins)
        for place, (out, next_) in enumerate(zip(self._out, at, strict=True)):
            if next_ == len(out):
                continue
            first, last = self._ends[place][next_]
            for end in _stops(out, next_, last, wanted):
                text = _shown(self._message[place][next_], next_ - first, end - first)
                yield (index, word, _moved(at, place, end - next_)), _Skip(text, False, end - next_)

    def _places_with(self, words: Words, at: _Positions) -> list[int]:
        """Return the places whose next words are ``words``, the likeliest last."""
        size = len(words)
        return [
            place
            for place in reversed(range(len(at)))
            if self._out[place][at[place] : at[place] + size] == words
        ]

    def _state(self, index: int, word: int, at: _Positions) -> _State:
        done = word == len(self._said[index].words)
        return (index + 1, -1, at) if done else (index, word, at)

    def _depth(self, state: _State) -> int:
        return self._before[state[0]] + max(state[1], 0) + sum(state[2])

    def _report(self) -> tuple[list[str], list[str]]:
        skips: list[_Skip] = []
        step = self._came[self._goal]
        while step is not None:
            state, skip = step
            skips.extend([skip] if skip else [])
            step = self._came[state]
        skips.reverse()
        return [s.text for s in skips if s.lost], [s.text for s in skips if not s.lost]


def _message_ends(place: Sequence[Message]) -> list[tuple[int, int]]:
    """Return, for each word of a place, where its message begins and ends."""
    bounds = list(accumulate((len(message.words) for message in place), initial=0))
    return [(first, last) for first, last in pairwise(bounds) for _ in range(first, last)]


def _moved(at: _Positions, place: int, words: int) -> _Positions:
    return (*at[:place], at[place] + words, *at[place + 1 :])


def _stops(words: Words, start: int, end: int, wanted: set[str]) -> Iterator[int]:
    """Yield where a run that begins at ``start`` may stop: at its end, or before a match."""
    yield from (at for at in range(start + 1, end) if words[at] in wanted)
    yield end


def _shown(source: Utterance | Message, start: int, end: int) -> str:
    """Show left over words as written when they are all of their text."""
    whole = end - start == len(source.words)
    return source.text if whole else " ".join(source.words[start:end])
