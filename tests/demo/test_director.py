"""Sounds at their cues, in virtual time and without a bot."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from pipecat.frames.frames import BotStartedSpeakingFrame, BotStoppedSpeakingFrame, Frame
from pipecat.processors.frame_processor import FrameDirection

from jev_turn.demo.clips import Clip
from jev_turn.demo.director import ANSWER_MAX_S, BotEar, Director
from jev_turn.demo.labels import Stretch
from jev_turn.demo.microphone import RoomMicrophone
from jev_turn.demo.plan import After, Cue, Fate, Step, Voice
from jev_turn.play.clock import run
from jev_turn.play.stage import CHUNK_MS

CLIP = Clip(np.full(16 * 500, 1000, np.int16), (Stretch(0, 450),))
Bot = list[tuple[float, Frame]]


def step(after: After, ms: int, fate: Fate = Fate.ANSWERED, text: str = "x") -> Step:
    """Return one line of 500 ms, of which 450 are voice."""
    return Step(Cue(after, ms), Voice(text), fate)


def onsets(steps: list[Step], bot: Bot = ()) -> list[int]:  # type: ignore[assignment]
    """Perform ``steps`` beside a bot that speaks at given times; return when each began."""

    async def feed(microphone: RoomMicrophone, began: float) -> None:
        for number, _ in enumerate(microphone, 1):
            await asyncio.sleep(
                began + number * CHUNK_MS / 1000 - asyncio.get_running_loop().time()
            )

    async def speak(ear: BotEar, began: float) -> None:
        for at, frame in bot:
            await asyncio.sleep(began + at - asyncio.get_running_loop().time())
            pushed = SimpleNamespace(frame=frame, direction=FrameDirection.DOWNSTREAM)
            await ear.on_push_frame(pushed)  # type: ignore[arg-type]

    async def main() -> list[int]:
        microphone, ear = RoomMicrophone(), BotEar()
        began = asyncio.get_running_loop().time()
        clips = {one.sound: CLIP for one in steps}
        async with asyncio.TaskGroup() as group:
            group.create_task(feed(microphone, began))
            group.create_task(speak(ear, began))
            group.create_task(Director(microphone, ear).perform(steps, clips, began))
        return [played.onset_ms for played in microphone.played]

    return run(main())


def speech(*spans: tuple[float, float]) -> Bot:
    """Return what a bot pushes that speaks from ... to ..., in seconds."""
    return [
        event
        for start, stop in spans
        for event in ((start, BotStartedSpeakingFrame()), (stop, BotStoppedSpeakingFrame()))
    ]


def test_a_pause_counts_from_the_labelled_end() -> None:
    """From the end of the voice at 950 ms, not from the clip's tail."""
    steps = [step("start", 500, Fate.CONTINUED), step("sound", 1300)]
    assert onsets(steps, speech((4, 5))) == [500, 2250]


def test_the_bot_gives_the_cue() -> None:
    """1.5 s after it began to speak, and 0.8 s after it fell silent."""
    steps = [
        step("start", 500),
        step("bot starts", 1500, Fate.NODDED),
        step("bot stops", 800),
    ]
    assert onsets(steps, speech((1.5, 6.0), (8, 9))) == [500, 3000, 6800]


def test_speech_from_before_the_question_is_no_answer_to_it() -> None:
    """After a second question the cue is the second reply, although the bot has just spoken."""
    steps = [step("start", 500), step("bot stops", 800, text="y"), step("bot stops", 800)]
    assert onsets(steps, speech((1.5, 2.0), (4.0, 5.0), (7, 8))) == [500, 2800, 5800]


def test_a_bot_that_never_answers_is_not_waited_for_for_ever() -> None:
    """The caller goes on after the longest cap, so that a broken bot ends the demo too."""
    steps = [step("start", 500), step("bot stops", 0)]
    first, second = onsets(steps)
    assert second == pytest.approx(first + 450 + ANSWER_MAX_S * 1000, abs=100)


def test_sounds_may_begin_inside_a_chunk() -> None:
    """Real onsets do not wait for the sound card: 507 ms is in the middle of a chunk."""
    assert onsets([step("start", 507)], speech((2, 3))) == [507]
