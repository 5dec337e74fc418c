"""The record of a call without barge-in, with everything that can wait in it."""

from __future__ import annotations

from jev_turn.record import CallRecord, Record


def sample_waiting_call(*, words: bool = True) -> list[Record]:
    """Return a call of 16 s: two cuts, a drain, a reply held in both bands, a mute, an invention."""
    call = CallRecord(None, words=words)
    call.write(
        "call", 0, name="waiting", models={"judge": "embedded-1"},
        policy={"mouth.ask_from_ms": 1000, "mouth.open_at_ms": 4000},
    )  # fmt: skip
    for at in range(0, 16_000, 50):
        loud = 1000 <= at < 2000 or 3500 <= at < 4500
        call.write("level", at, rms=0.06 if loud else 0.002, floor=0.002, gate=0.006, open=loud)
    for start, end in ((1110, 2200), (3610, 4700)):
        call.write("gate", start, state="open")
        call.write("gate", end, state="close", quiet_ms=200)
    _cut(call, 2900, 1, "what is an index")
    call.write("effect", 2900, name="StartTurn", text="what is an index", numbers={"turn": 1})
    call.write("effect", 2900, name="Hold", why="short", numbers={"turn": 1, "quiet_ms": 900})
    _mouth(call, 3000, 1, 0.3)
    call.write("effect", 3100, name="Hold", why="unfinished", numbers={"turn": 1, "score": 0.3})
    _cut(call, 5000, 2, "and a key")
    _mouth(call, 5500, 2, 0.9)
    call.write("effect", 5600, name="Open", why="finished", numbers={"turn": 1, "score": 0.9})
    call.write("mute", 5700, state="start")
    call.write("bot", 5700, state="start")
    call.write("bot", 8000, state="stop")
    call.write("effect", 8000, name="EndTurnRecord", text="a copy", numbers={"turn": 1})
    call.write("mute", 8400, state="stop")
    call.write("effect", 8400, name="StartTurn", text="and a key", numbers={"turn": 2})
    rate = {"units_per_s": 19.8, "duration_ms": 606}
    call.write("effect", 12_000, name="Discard", why="rate", text="see you", numbers=rate)
    call.write("end", 16_000, why="hung_up")
    call.records.sort(key=lambda record: int(record["t"]))
    return call.records


def _cut(call: CallRecord, at: int, number: int, text: str) -> None:
    call.write("final", at - 500, segment=number, text=text)
    call.write("ask", at - 100, ask=number, bundle="ear", quiet_ms=0, text=text)
    call.write(
        "verdict", at, ask=number, bundle="ear", latency_ms=100,
        probabilities={"enough_to_answer": 0.9, "holding_floor": 0.0},
        thresholds={"enough_to_answer": 0.65, "holding_floor": 0.5},
    )  # fmt: skip
    numbers = {"cut": number, "score": 0.9}
    call.write("effect", at, name="KeepCut", why="enough", text=text, numbers=numbers)


def _mouth(call: CallRecord, at: int, number: int, score: float) -> None:
    call.write("ask", at, ask=number, bundle="mouth", quiet_ms=1000, text="what is an index")
    call.write(
        "verdict", at + 100, ask=number, bundle="mouth", latency_ms=100,
        probabilities={"turn_finished": score}, thresholds={"turn_finished": 0.6},
    )  # fmt: skip
