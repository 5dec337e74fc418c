"""What was said since the last reply: the words that the list keeps, and no others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.reply_scenario import ListRunner

from jev_turn.replies.effects import Discard, Rejoin
from jev_turn.replies.said import Said, followed, restarted, words

INVENTED = "thank you very much for watching this"


class Follower:
    """A list and who follows it."""

    def __init__(self, run: ListRunner) -> None:
        self.run, self.said, self._seen = run, Said(), 0
        self.coverage = run.config.watermark_coverage

    def do(self, at: int, line: str = "tick") -> str:
        """Feed the list one line, follow each of its steps, and return the words."""
        self.run.do(at, line)
        effects = [effect for _, effect in self.run.log[self._seen :]]
        self._seen = len(self.run.log)
        buffer = self.run.ctx.buffer
        self.said = followed(self.said, buffer, effects, coverage=self.coverage)
        return words(self.said, buffer, coverage=self.coverage)

    def restart(self) -> None:
        """A reply leaves."""
        self.said = restarted(self.run.ctx.buffer)


@pytest.fixture
def follower(run: ListRunner) -> Follower:
    """Somebody who follows a fresh list."""
    return Follower(run)


def cut(follower: Follower, at: int, text: str, ask: int = 1) -> str:
    """Say a final that becomes a cut a tick later."""
    follower.do(at, f'final "{text}"')
    follower.do(at + 1000)
    return follower.do(at + 1000, f"ear ask={ask} enough=0.9")


def test_cuts_and_what_is_in_no_cut_yet_are_one_text(follower: Follower) -> None:
    """E05: the mouth's judge looks at the whole turn, and the ear's at its end."""
    assert cut(follower, 0, "what is an index") == "what is an index"
    assert follower.do(1500, 'heard "and a"') == "what is an index and a"


def test_an_invented_sentence_is_not_said(follower: Follower) -> None:
    """X10: asked about it, the judge would wait for the rest of what nobody is saying."""
    cut(follower, 0, "what is an index")
    follower.do(2000, f'final "{INVENTED}" for 300')
    assert (follower.do(2001), len(follower.run.all(Discard))) == ("what is an index", 1)


def test_an_interim_that_is_too_fast_waits_for_its_final(follower: Follower) -> None:
    """X10: before the list trusts it, nobody may be asked about it."""
    cut(follower, 0, "what is an index")
    assert follower.do(2000, f'heard "{INVENTED}" for 300') == "what is an index"
    assert follower.do(5000, f'final "{INVENTED}" for 3000') == f"what is an index {INVENTED}"


def strike(follower: Follower) -> str:
    """Say something that is dropped at 3000 ms."""
    follower.do(0, 'final "I wanted to ask"')
    follower.do(1000)
    follower.do(1000, "ear ask=1 enough=0.1")
    return follower.do(3000)


def test_words_dropped_by_strikes_are_not_said(follower: Follower) -> None:
    """X01: nothing is left that the person could have finished."""
    assert strike(follower) == ""


def test_dropped_words_that_come_back_are_said_again(follower: Follower) -> None:
    """Section 9, 7: joined to the new ones, in their order."""
    strike(follower)
    assert follower.do(4000, 'heard "about Rome"') == "I wanted to ask about Rome"
    assert len(follower.run.all(Rejoin)) == 1


def test_the_final_of_a_taken_interim_adds_nothing(follower: Follower) -> None:
    """X05: the watermark's repetition is said once."""
    follower.do(0, 'heard "what is an index"')
    follower.do(1000)
    follower.do(1000, "ear ask=1 enough=0.9")
    assert follower.do(1500, 'final "What is an index?"') == "what is an index"


def test_a_reply_begins_anew(follower: Follower) -> None:
    """What it answers, and what waits in the buffer at that moment, is no news any more."""
    cut(follower, 0, "what is an index")
    follower.do(2000, 'heard "and a key"')
    follower.restart()
    assert follower.do(2100) == ""
    assert follower.do(2200, 'final "And a key, and a row"') == "and a row"
    assert follower.do(3000) == "and a row"
    assert follower.do(3000, "ear ask=2 enough=0.9") == "and a row"


def test_the_same_words_again_are_new_once_the_old_ones_are_gone(follower: Follower) -> None:
    """B05: what the buffer held when a reply left is cut off once, from its own cut."""
    follower.run.config = replace(follower.run.config, rejoin_ms=0)
    follower.do(0, 'final "I wanted to ask"')
    follower.restart()
    follower.do(1000)
    follower.do(1000, "ear ask=1 enough=0.1")
    assert follower.do(3000) == ""
    assert follower.do(3500, 'final "I wanted to ask"') == "I wanted to ask"
