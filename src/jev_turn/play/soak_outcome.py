"""What came of a random call, told from outside wherever that is possible."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator

from jev_turn.play.soak_cast import REPLY
from jev_turn.play.soak_script import Script
from jev_turn.play.witness import Account
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.record.oracle import Oracle

# In this order within one ms.
_WRITTEN, _RUN, _WITHDRAWN = range(3)


@dataclass
class Outcome:
    """What came of a call.

    Attributes:
        script: The call.
        account: What came to light outside the processors.
        oracle: Words lost and doubled.
        stuck: What did not come to its end, in words.
        records: The call record.
    """

    script: Script
    account: Account
    oracle: Oracle
    stuck: list[str]
    records: list[dict[str, object]] = field(repr=False)

    @property
    def failures(self) -> set[str]:
        """Which of ``lost``, ``doubled`` and ``stuck`` it shows."""
        kinds = {
            "lost": self.oracle.lost,
            "doubled": self.oracle.doubled,
            "stuck": self.stuck,
        }
        return {name for name, found in kinds.items() if found}

    @property
    def replies(self) -> int:
        """Replies that were let out."""
        return sum(word == REPLY for _, word in self.account.spoken)

    def count(self, kind: str, name: str = "", but: str = "") -> int:
        """Count lines of the call record, those with the error ``but`` excepted."""
        return sum(
            line["kind"] == kind and name in ("", line.get("name")) and line.get("error") != but
            for line in self.records
        )


def held_up(judge: JevJudge, aggregator: LLMUserAggregator) -> list[str]:
    """Return what still waits in a call in which nothing happens any more.

    Words that were never heard by the detector are held for good, and so is side-talk where the
    policy keeps it; they come out with the next words.

    Args:
        judge: The turn-taker.
        aggregator: Behind it.
    """
    found, ctx = [], judge.context
    kept = ctx.turn.hold == "unheard" or (
        ctx.turn.hold == "side_talk" and judge._config.side_talk == "keep"
    )
    if ctx.turn.has_words and not kept:
        found.append(f"words are open in phase {ctx.phase.value}, hold {ctx.turn.hold}")
    if judge._owed and not judge._muted:
        found.append("finals of an ended turn were never handed over")
    if aggregator._user_turn_controller._user_turn:
        found.append("the aggregator's turn is open")
    if aggregator._aggregation:
        found.append("the aggregator has words that it has not written")
    return found


def unanswered(account: Account, runs: list[int], ends_ms: int) -> list[str]:
    """Return the user's messages that started no run and that no interruption withdrew.

    Nor may there be more replies than messages.

    The model runs for them one after the other, perhaps long after they were written.

    Args:
        account: Messages and interruptions.
        runs: When the model was run, ms.
        ends_ms: When the call was ended; what was written then needs no run.
    """
    happened = sorted(
        [(at, _WRITTEN) for at, _ in account.turns if at < ends_ms]
        + [(at, _RUN) for at in runs]
        + [(at, _WITHDRAWN) for at in account.interrupts]
    )
    waiting: list[int] = []
    for at_ms, what in happened:
        if what == _WRITTEN:
            waiting.append(at_ms)
        elif what == _RUN:
            del waiting[:1]
        else:
            waiting.clear()
    more = len(runs) - len(account.turns)
    doubled = [f"{more} replies more than turns"] if more > 0 else []
    return doubled + [f"no run of the model for the turn at {at} ms" for at in waiting]
