"""The scripted model: what it answers, and how it streams."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from jev_turn.embedded.llm import ScriptedLLMService
from jev_turn.embedded.script import FALLBACK, RECEPTION, Line, answer, last_said, normalised
from jev_turn.play import clock


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("My number is 555-0142-99.", "my number is 555014299"),
        ("Five five five, zero one four two.", "5550142"),
        ("It's 4 1 5, five five oh", "its 415550"),
        ("Oh, wait!", "oh wait"),
    ],
)
def test_numbers_are_matched_as_digits(words: str, same: str) -> None:
    """The recogniser writes the same number in words, digits and groups, as it pleases."""
    assert normalised(words) == same


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("Hello?", "Hello, this is"),
        ("Hi, what are your opening hours?", "We open at nine"),
        ("Can you tell me about the history of the place?", "Gladly."),
        ("I would like to book a tour.", "With pleasure."),
        ("For four people on Friday.", "That is possible."),
        ("Could you call me back?", "Of course. What is your"),
        ("It's 415. 550. 1219.", "Thank you, I have"),
        ("555", "I think part"),
        ("Wait, stop.", "Sure. Go ahead."),
        ("How much is a ticket?", "Adults pay"),
        ("Thanks, bye.", "You are welcome."),
        ("Can I come by tram?", "You find us"),
        ("And is there a place to eat?", "There is a small kitchen"),
        ("No weight stop.", "Sure. Go ahead."),
        ("Purple elephants.", FALLBACK),
    ],
)
def test_the_reception_answers(words: str, begins: str) -> None:
    """Each kind of request has its reply."""
    assert answer(words, RECEPTION, FALLBACK).startswith(begins)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("Red? Green? Blue?", "1. 2. 3."),
        ("Blue? And red?", "3. 1."),
        ("Red? Really, red?", "1."),
        ("Green? What else?", "2."),
        ("What? What else? Green.", "2."),
        ("What? What else?", "none"),
        ("Could it be green? Red.", "1."),
    ],
)
def test_each_question_of_several_gets_its_reply(words: str, lines: str) -> None:
    """In their order and once each; without two questions, the first line that matches wins."""
    script = (Line("red", "1."), Line("green", "2."), Line("blue", "3."))
    assert answer(words, script, "none") == lines


def test_one_reply_is_long_enough_to_be_interrupted() -> None:
    """At 165 words a minute, more than ten seconds."""
    longest = max(len(line.reply.split()) for line in RECEPTION)
    assert longest * 60 / 165 > 10


def test_the_first_line_that_matches_wins() -> None:
    """The order of the table is its meaning."""
    script = (Line("a", "first"), Line("ab", "second"))
    assert answer("ab", script, "none") == "first"
    assert answer("x", script, "none") == "none"


def test_what_was_said_is_everything_since_the_agent_spoke() -> None:
    """A turn in two messages is one turn; system messages and earlier turns do not count."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "my number is"},
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "five five five"}]},
    ]
    assert last_said(messages) == "my number is five five five"
    assert last_said([]) == ""


class Notes(FrameProcessor):
    """Keeps what the model says, with the times in ms."""

    def __init__(self) -> None:
        super().__init__(name="Notes")
        self.frames: list[tuple[int, Frame]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.frames.append((round(asyncio.get_running_loop().time() * 1000), frame))
        await self.push_frame(frame, direction)

    @property
    def text(self) -> str:
        """The words so far."""
        return "".join(f.text for _, f in self.frames if isinstance(f, LLMTextFrame))

    def at(self, kind: type[Frame]) -> list[int]:
        """Times of one kind of frame."""
        return [at for at, frame in self.frames if isinstance(frame, kind)]


def stream(interrupt_after_ms: int | None = None) -> tuple[int, Notes]:
    """Ask for a reply of five words, first word after 200 ms, then one every 50 ms."""
    return clock.run(_stream(interrupt_after_ms))


async def _stream(interrupt_after_ms: int | None) -> tuple[int, Notes]:
    notes = Notes()
    script = (Line("count", "One two three four five."),)
    model = ScriptedLLMService(script=script, ttft_ms=200, token_ms=50)
    worker = PipelineWorker(
        Pipeline([model, notes]), clock=clock.LoopClock(), idle_timeout_secs=None
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.ensure_future(runner.run())
    context = LLMContext([{"role": "user", "content": "Count, please."}])
    asked = round(asyncio.get_running_loop().time() * 1000)
    await worker.queue_frame(LLMContextFrame(context))
    if interrupt_after_ms is not None:
        await asyncio.sleep(interrupt_after_ms / 1000)
        await worker.queue_frame(InterruptionFrame())
    await asyncio.sleep(2)
    await worker.stop_when_done()  # type: ignore[no-untyped-call]
    await running
    return asked, notes


def test_a_reply_is_streamed_word_by_word() -> None:
    """Start, a word after the time to the first, one every 50 ms, end."""
    asked, notes = stream()
    assert notes.text == "One two three four five."
    assert notes.at(LLMFullResponseStartFrame) == [asked]
    wanted = [asked + at for at in (200, 250, 300, 350, 400)]
    assert notes.at(LLMTextFrame) == pytest.approx(wanted, abs=2)
    assert notes.at(LLMFullResponseEndFrame) == pytest.approx([asked + 400], abs=2)


def test_an_interruption_stops_it_between_two_words() -> None:
    """What has not been sent is never sent."""
    _, notes = stream(interrupt_after_ms=310)
    assert notes.text == "One two three "


def test_it_answers_outside_of_the_pipeline_too() -> None:
    """Summaries and the like ask for the whole reply at once."""
    context = LLMContext([{"role": "user", "content": "hello"}])
    reply = asyncio.run(ScriptedLLMService().run_inference(context))
    assert reply is not None and reply.startswith("Hello, this is")
