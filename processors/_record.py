"""Writes what a turn host hears, asks and orders into the call record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pipecat.frames.frames import CancelFrame, EndFrame

from jev_turn.record.schema import is_word
from jev_turn.turn.config import TurnConfig
from jev_turn.turn.context import Context
from jev_turn.turn.curves import bar
from jev_turn.turn.effects import AskJudge, Effect, Note
from jev_turn.turn.events import AgentState

_BOT = {"speaking": "start", "listening": "stop", "thinking": "thinking"}


class Recorder(Protocol):
    """Where a processor writes what it saw and did; ``jev_turn.record.CallRecord`` is one."""

    def write(self, kind: str, at_ms: int, **fields: Any) -> None:
        """Write one line of the call record."""


class TurnRecord:
    """The lines of one turn host.

    Args:
        recorder: Takes the lines; ``None`` writes nothing.
        now_ms: The host's clock.
        config: Thresholds to write beside the verdicts.
    """

    def __init__(
        self, recorder: Recorder | None, now_ms: Callable[[], int], config: TurnConfig
    ) -> None:
        self._recorder = recorder
        self._now_ms = now_ms
        self._config = config
        self._quiet_ms: dict[int, int] = {}

    def write(self, kind: str, **fields: Any) -> None:
        """Write one line, stamped with the host's time."""
        if self._recorder is not None:
            self._recorder.write(kind, self._now_ms(), **fields)

    def heard(self, text: str, segment: int, *, final: bool) -> None:
        """Write a partial or final transcript."""
        self.write("final" if final else "partial", segment=segment, text=text)

    def agent(self, state: AgentState) -> None:
        """Write what the agent does from this moment on."""
        self.write("bot", state=_BOT[state])

    def effect(self, effect: Effect) -> None:
        """Write what the machine ordered."""
        if isinstance(effect, AskJudge):
            self._quiet_ms[effect.ask] = effect.quiet_ms
            self.write(
                "ask",
                ask=effect.ask,
                bundle=effect.bundle,
                quiet_ms=effect.quiet_ms,
                text=effect.text,
            )
        elif isinstance(effect, Note):
            self.write("note", note=effect.kind, detail=effect.detail)
        else:
            known = {"why": "why", "kind": "why", "text": "text"}
            fields = {to: getattr(effect, of) for of, to in known.items() if hasattr(effect, of)}
            if numbers := getattr(effect, "numbers", ()):
                fields["numbers"] = dict(numbers)
            self.write("effect", name=type(effect).__name__, **fields)

    def ended(self, frame: EndFrame | CancelFrame) -> None:
        """Write why the call is over, if who ended it said so."""
        if why := reason_of(frame):
            self.write("end", why=why)

    def answer(self, entry: Mapping[str, Any]) -> None:
        """Write how an ask ended, and the tokens that it took."""
        ask, quiet_ms = entry["ask"], self._quiet_ms.pop(entry["ask"], 0)
        if entry["error"]:
            self._failed(entry)
            return
        self.write(
            "verdict",
            ask=ask,
            bundle=entry["bundle"],
            probabilities=entry["probabilities"],
            thresholds=self._thresholds(entry["probabilities"], quiet_ms),
            latency_ms=entry["latency_ms"] or 0,
            quiet_ms=quiet_ms,
            **({"model": entry["model"]} if entry["model"] else {}),
        )
        if entry["input_tokens"] is not None:
            self.write(
                "tokens",
                input=entry["input_tokens"],
                output=entry["output_tokens"] or 0,
                who="judge",
                ask=ask,
            )

    def _failed(self, entry: Mapping[str, Any]) -> None:
        latency = {} if entry["latency_ms"] is None else {"latency_ms": entry["latency_ms"]}
        self.write("failed", ask=entry["ask"], error=entry["error"], **latency)

    def _thresholds(self, probabilities: Mapping[str, float], quiet_ms: int) -> dict[str, float]:
        config = self._config
        table = {
            "turn_complete": bar(config, quiet_ms, probabilities.get("holding_floor", 0.0)),
            "holding_floor": config.holding_floor_min,
            "addressed_to_agent": config.addressee_threshold,
            "taking_floor": config.barge_in_threshold,
            "enough_to_answer": config.speculate_enough_min,
        }
        return {name: table[name] for name in probabilities}


def reason_of(frame: EndFrame | CancelFrame) -> str | None:
    """Return the reason of a call's end; a reason of several words may be somebody's words."""
    reason = frame.reason
    return reason if is_word(reason) else None


def turn_state(before: Context, after: Context) -> tuple[bool, bool] | None:
    """Return (open, words) when the gate must hear of a change, else ``None``."""
    was_open, is_open = before.phase.value != "armed", after.phase.value != "armed"
    words = after.turn.word_at != before.turn.word_at and after.turn.has_words
    return (is_open, words) if words or was_open != is_open else None
