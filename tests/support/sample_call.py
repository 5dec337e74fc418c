"""A call record with everything in it, for tests of what is made from records."""

from __future__ import annotations

import math

from jev_turn.record import CallRecord, Record

_BARS = {"turn_complete": 0.72, "holding_floor": 0.5, "addressed_to_agent": 0.5}
_SOUND = ((900, 1900), (2700, 3900), (7000, 7400), (8600, 9500), (13_000, 14_400), (17_000, 17_060))


def sample_call(
    *, words: bool = True, start_ms: int = 50_000, name: str = "sample"
) -> list[Record]:
    """Return a call of 20 s: a thinking pause, a nod, an interruption, side-talk, a click."""
    call = CallRecord(None, words=words)
    _opening(call, start_ms, name)
    for write in (_levels, _first_turn, _over_the_bot, _side_talk):
        write(call, start_ms)
    call.write("mute", start_ms + 18_000, state="start")
    call.write("mute", start_ms + 18_900, state="stop")
    call.write("end", start_ms + 20_000, why="hung_up")
    call.records.sort(key=lambda record: int(record["t"]))
    return call.records


def _opening(call: CallRecord, t: int, name: str) -> None:
    call.write(
        "call", t, name=name, models={"judge": "embedded-1", "stt": "moonshine base"},
        policy={"turn.eos_threshold": 0.72, "turn.stop_words": ["stop"]},
    )  # fmt: skip


def _levels(call: CallRecord, t: int) -> None:
    for at in range(0, 20_000, 50):
        loud = any(start <= at < end for start, end in _SOUND)
        rms = 0.002 * (1 + 0.3 * math.sin(at)) + (0.06 + 0.03 * math.sin(at / 90)) * loud
        speaking = 5500 <= at < 9000
        gate = max(0.006, 0.0018 * (5 if speaking else 3))
        call.write("level", t + at, rms=rms, floor=0.0018, gate=gate, open=loud)
    for start, end in _SOUND[:5]:
        call.write("gate", t + start + 110, state="open")
        call.write("gate", t + end + 200, state="close", quiet_ms=200)
    call.write("gate", t + 17_110, state="drop", numbers={"continuity": 0.2})


def _heard(call: CallRecord, at: int, segment: int, text: str, final: bool = False) -> None:
    call.write("final" if final else "partial", at, segment=segment, text=text)


def _judged(call: CallRecord, at: int, ask: int, text: str, *scores: float) -> None:
    names = (*_BARS, "taking_floor")[: len(scores)]
    bundle = "speaking" if len(scores) == 4 else "listening"
    call.write("ask", at - 130, ask=ask, bundle=bundle, quiet_ms=0, text=text)
    call.write(
        "verdict", at, ask=ask, latency_ms=130, model="embedded-1",
        probabilities=dict(zip(names, scores, strict=True)),
        thresholds={**_BARS, "taking_floor": 0.5},
    )  # fmt: skip
    call.write("tokens", at, input=600, output=8, who="judge", ask=ask)


def _first_turn(call: CallRecord, t: int) -> None:
    call.write("effect", t + 1010, name="OpenTurn")
    _heard(call, t + 1300, 0, "what is")
    _heard(call, t + 1700, 0, "what is an index")
    _judged(call, t + 1990, 1, "what is an index", 0.31, 0.62, 0.93)
    _heard(call, t + 2200, 0, "What is an index?", final=True)
    _judged(call, t + 2500, 2, "What is an index?", 0.55, 0.4, 0.94)
    _heard(call, t + 3200, 1, "in Postgres")
    _heard(call, t + 4200, 1, "in Postgres, for a large table", final=True)
    _judged(call, t + 4450, 3, "What is an index? in Postgres, for a large table", 0.91, 0.05, 0.95)
    text = "What is an index? in Postgres, for a large table"
    call.write(
        "effect", t + 4450, name="EndTurn", why="complete", text=text, numbers={"quiet": 550}
    )
    call.write("bot", t + 4460, state="thinking")


def _over_the_bot(call: CallRecord, t: int) -> None:
    call.write("bot", t + 5500, state="start")
    said = "An index is a second copy of some columns, kept in order, so that the database".split()
    for number, word in enumerate(said):
        call.write("spoken", t + 5600 + 230 * number, text=word)
    _heard(call, t + 7500, 2, "uh-huh", final=True)
    _judged(call, t + 7640, 4, "uh-huh", 0.4, 0.1, 0.9, 0.03)
    call.write("effect", t + 7640, name="Backchannel", text="uh-huh")
    _heard(call, t + 8900, 3, "wait stop")
    _judged(call, t + 9020, 5, "wait stop", 0.5, 0.1, 0.9, 0.88)
    call.write("effect", t + 9020, name="Interrupt")
    call.write("bot", t + 9050, state="stop")
    _heard(call, t + 9800, 3, "Wait, stop.", final=True)
    call.write("ask", t + 9800, ask=6, bundle="listening", quiet_ms=300, text="Wait, stop.")
    call.write("failed", t + 10_600, ask=6, error="timeout")
    call.write("effect", t + 11_500, name="EndTurn", why="degraded", text="Wait, stop.")


def _side_talk(call: CallRecord, t: int) -> None:
    text = "Hey Mark, dinner is ready in five minutes."
    call.write("effect", t + 13_110, name="OpenTurn")
    _heard(call, t + 13_600, 4, "hey Mark")
    _heard(call, t + 14_700, 4, text, final=True)
    _judged(call, t + 14_950, 7, text, 0.9, 0.02, 0.05)
    call.write("effect", t + 15_900, name="Discard", why="side_talk", text=text)
    call.write("effect", t + 15_900, name="Retract")
    call.write("note", t + 16_000, note="stale", detail="ask 3")
