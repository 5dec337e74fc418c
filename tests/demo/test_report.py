"""The JSON object of a call."""

from __future__ import annotations

import json

from support.demo_call import call, ended, heard, line, noise, opened, played

from jev_turn.demo.plan import Fate, Recording
from jev_turn.demo.report import report
from jev_turn.play.witness import Account
from jev_turn.record.oracle import Oracle


def test_a_call_is_one_object() -> None:
    """Every key that is promised, from a call in which everything happened once."""
    account = Account(
        onsets=[1124, 4120, 8110],
        finals=[heard(2300, "tell me"), heard(8600, "wait stop")],
        turns=[(2700, "tell me")],
        bot=[(3000, 8700)],
        interrupts=[8700],
        backchannels=[(6500, "aha")],
    )
    sounds = [
        line(1000, 2000, Fate.ANSWERED),
        noise(4000, 4300),
        line(8000, 8400, Fate.STOPS),
    ]
    records = [
        opened(1110, 110),
        {"kind": "ask", "t": 2400, "ask": 1},
        {"kind": "tokens", "t": 2500, "input": 100, "output": 4},
        ended(2690),
        opened(4110, 110),
        opened(8110, 110),
        {"kind": "final", "t": 8600, "text": "wait stop", "segment": 2},
    ]
    oracle = Oracle(lost=("wait stop",), doubled=("tell",))
    told = report(call(sounds, account, records, [(3000, 8720)], oracle))
    assert json.loads(json.dumps(told)) == {
        "name": "x",
        "onsets": [
            {"at_ms": 1124, "opened_after_ms": 124, "from_label_ms": 124},
            {"at_ms": 4120, "opened_after_ms": 120, "from_label_ms": None},
            {"at_ms": 8110, "opened_after_ms": 110, "from_label_ms": 110},
        ],
        "false_openings": 1,
        "turns": [{"text": "tell me", "last_word_ms": 2000, "ended_ms": 2700, "why": "complete"}],
        "cut_ins": 0,
        "interrupts": [{"at_ms": 8700, "words": "wait stop", "after_end_ms": 320}],
        "backchannels": 1,
        "replies": 1,
        "words_lost": 2,
        "words_doubled": 1,
        "judge_calls": 1,
        "tokens": 104,
    }


def test_what_needs_labels_is_unknown_for_a_recording() -> None:
    """A zero would claim what nobody has measured."""
    account = Account(onsets=[1200], interrupts=[1900])
    told = report(call([played(Recording("x.wav"), Fate.ANY)], account, [opened(1190, 110)]))
    assert told["false_openings"] is told["cut_ins"] is None
    assert told["onsets"] == [{"at_ms": 1200, "opened_after_ms": 120, "from_label_ms": None}]
    assert told["interrupts"] == [{"at_ms": 1900, "words": "", "after_end_ms": None}]
