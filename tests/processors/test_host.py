"""MachineHost: orders, its one timer, and that its processors log no words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loguru import logger
from pipecat.classifiers.base_classifier import ClassifierError
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    Frame,
    StartFrame,
    TranscriptionFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from support.bot import Answers, Bot, Step, final, heard, interrupt, said

from jev_turn.play.cast import CaseVoice
from jev_turn.play.clock import run
from jev_turn.processors._host import MachineHost, stop_strategies_behind
from jev_turn.processors.barge_in_classifier import BargeInClassifier
from jev_turn.processors.jev_judge import JevJudge
from jev_turn.processors.reply_list import ReplyList
from jev_turn.turn import events as ev


class Host(MachineHost):
    """Passes everything, and starts with ``begin``."""

    def __init__(self, begin: Callable[[Host], None] = lambda _: None) -> None:
        super().__init__(name="Host")
        self.done: list[Any] = []
        self._begin = begin

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self.start_host()
            self._begin(self)

    def later(self, name: str, seconds: float = 0.0) -> None:
        """Order something that takes its time."""

        async def carry_out() -> None:
            await asyncio.sleep(seconds)
            if name == "fails":
                raise ValueError(name)
            self.done.append(name)

        self.order(carry_out)


# --- orders -------------------------------------------------------------------------------------


def test_orders_are_carried_out_in_order_through_an_interruption() -> None:
    """What the machine decided is done, whoever interrupts while it is being done."""

    def begin(host: Host) -> None:
        host.later("slow", 0.5)
        host.later("quick")

    host = Host(begin)
    run(Bot([(0.2, interrupt), (0.3, interrupt)], host, 1).run())
    assert host.done == ["slow", "quick"]


def test_an_order_that_fails_is_told_and_the_next_one_is_carried_out() -> None:
    """One failure must not leave a call without turns."""

    def begin(host: Host) -> None:
        host.later("fails")
        host.later("next")

    host = Host(begin)
    call = run(Bot([], host, 1).run())
    assert host.done == ["next"]
    errors = [frame.error for _, frame, _ in call.seen if isinstance(frame, ErrorFrame)]
    assert len(errors) == 1 and "an order failed" in errors[0]


def test_orders_of_the_last_moment_come_before_the_end() -> None:
    """Finals that end a turn at the hang-up are in the pipeline before its ``EndFrame``."""
    judge = JevJudge(Answers(sure))
    order: list[str] = []
    push = judge.push_frame

    async def keep(frame: Frame, direction: Any = FrameDirection.DOWNSTREAM) -> None:
        if isinstance(frame, TranscriptionFrame | EndFrame):
            order.append(type(frame).__name__)
        await push(frame, direction)

    judge.push_frame = keep  # type: ignore[method-assign]

    async def end_now(call: Bot) -> None:
        judge.order(lambda: keep(final("yes")))

    run(Bot([(1.0, end_now)], judge, 1.0).run())
    assert order == ["TranscriptionFrame", "EndFrame"]


# --- the timer ----------------------------------------------------------------------------------


def test_the_timer_is_never_early_and_fires_once() -> None:
    """A tick before its deadline would find nothing due, and arm itself again without end."""
    ticks: list[tuple[int, int]] = []

    def arm(host: Host, deadline: int) -> None:
        def tick() -> None:
            ticks.append((deadline, host.now_ms()))
            if len(ticks) < 300:
                arm(host, deadline + 1 + (len(ticks) * 37) % 91)

        host.arm(deadline, tick)

    run(Bot([], Host(lambda host: arm(host, 7)), 20).run())
    assert len(ticks) == 300
    assert all(now == deadline for deadline, now in ticks)


def test_a_later_deadline_takes_the_place_of_the_earlier_one() -> None:
    """There is one timer: what was armed before is forgotten, and none is none."""
    ticks: list[str] = []

    def begin(host: Host) -> None:
        host.arm(100, lambda: ticks.append("first"))
        host.arm(200, lambda: ticks.append("second"))

    run(Bot([], Host(begin), 1).run())
    assert ticks == ["second"]

    def disarm(host: Host) -> None:
        begin(host)
        host.arm(None, lambda: None)

    run(Bot([], Host(disarm), 1).run())
    assert ticks == ["second"]


def test_a_long_call_ticks_a_few_times_and_not_after_its_end() -> None:
    """The timer stands still while nothing is due, with words in every kind of limbo."""
    ticks: list[int] = []

    class Counting(JevJudge):
        def feed(self, event: ev.Event) -> None:
            if isinstance(event, ev.Tick):
                ticks.append(event.at)
            super().feed(event)

    def answer(question: str, words: str) -> float:
        holding = question == "holding_floor" or words.startswith("uh")
        return 0.1 if question != "holding_floor" and holding else 0.9 if holding else 0.95

    steps = [*said(1, "let me think"), *said(20, "hey Mark"), (40.0, heard("and so"))]
    run(Bot(steps, Counting(Answers(answer)), 90).run())
    assert 3 <= len(ticks) <= 60
    assert len(set(ticks)) == len(ticks)
    assert ticks[-1] <= 90_000


# --- the bot around it --------------------------------------------------------------------------


def test_a_bots_own_stop_strategies_are_taken_over_as_they_are() -> None:
    """A default one holds a model: it is used again, not loaded again."""
    judge = BargeInClassifier(Answers(sure))
    found: list[bool] = []

    async def look(call: Bot) -> None:
        ours = judge._strategies.stop
        found.append(ours is not None and ours == stop_strategies_behind(judge) and bool(ours))

    run(Bot([(0.5, look)], judge, 1).run())
    assert found == [True]
    assert len(stop_strategies_behind(Host())) == 1  # without an aggregator: Pipecat's default


# --- privacy ------------------------------------------------------------------------------------

SECRET = ("kumquat", "walrus", "trombone", "zeppelin", "marzipan", "gazebo")


def sure(question: str, words: str) -> float:
    """Answer by the words: one to hold, one for somebody else, one nod, one failure."""
    if "trombone" in words:
        raise ClassifierError(f"cannot read {words}")
    if "walrus" in words:
        return 0.02
    return 0.02 if question == "holding_floor" else 0.95


@pytest.fixture
def our_lines(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], str]]:
    """All that this package's modules log, at any level, by loguru or the standard library."""
    lines: list[str] = []

    def ours(record: Any) -> bool:
        return record["name"].split(".")[0] in ("jev_turn", "processors")

    sink = logger.add(lines.append, level=0, filter=ours, format="{level} {message} {exception}")
    caplog.set_level(logging.DEBUG)
    yield (
        lambda: (
            "".join(lines)
            + "".join(
                record.getMessage()
                for record in caplog.records
                if record.name.startswith("jev_turn")
            )
        )
    )
    logger.remove(sink)


@pytest.mark.parametrize("make", [
    lambda: JevJudge(Answers(sure)),
    lambda: BargeInClassifier(Answers(sure), stop=[SpeechTimeoutUserTurnStopStrategy()]),
    lambda: ReplyList(Answers(sure), persist=False),
])  # fmt: skip
def test_no_spoken_word_is_logged(make: Any, our_lines: Callable[[], str]) -> None:
    """Answered, dropped, nodded, failed or cut off by the end: words stay out of every line."""
    steps: list[Step] = [
        *said(0.5, "walrus", 0.3),
        *said(2.5, "hey walrus come here"),
        *said(7, "what is a kumquat"),
        *said(13, "and the trombone then"),
        (19.0, heard("a zeppelin")),
    ]
    voice = CaseVoice({"The gazebo.": 1.5})
    run(Bot(steps, make(), 19.2, greeting="The gazebo.", voice=voice,
            reply=lambda _: "A marzipan.").run())  # fmt: skip
    lines = our_lines()
    assert "WARNING" in lines or "INFO" in lines  # something was logged at all
    assert [word for word in SECRET if word in lines.lower()] == []
