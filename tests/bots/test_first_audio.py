"""On the wall clock, with the embedded voice and a store on disk: how late a released reply is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pipecat.frames.frames import UserMuteStoppedFrame
from support.bot import Answers, Bot, said

from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.judges.shared import SharedClassifier
from jev_turn.processors.gate_sink import GateSink
from jev_turn.processors.mic_gate import MicGate
from jev_turn.processors.reply_list import ReplyList
from jev_turn.replies.events import ReplyOpened

pytestmark = [pytest.mark.bots, pytest.mark.speech]

REPLY = "An index is a copy of a column."
FIRST_AUDIO_S = 0.1
LIVE_S = 0.45
SECONDS = 26.0
CHUNK_S = 0.1
JUDGE_S = 0.4
"""The reply has been made when the verdict comes, and waits for nothing else, s."""

ASKED_AT = (1.0, 9.0, 17.0)


def yes(question: str, words: str) -> float:
    """Find everything finished."""
    return 0.0 if question == "holding_floor" else 0.9


@dataclass
class Measured:
    """Seconds since the call's start."""

    opened: list[float] = field(default_factory=list)
    played: list[float] = field(default_factory=list)
    live: list[float] = field(default_factory=list)

    @property
    def first(self) -> list[float]:
        """How long after each opening the first audio was played."""
        return [min(at for at in self.played if at >= opened) - opened for opened in self.opened]

    @property
    def live_after(self) -> list[float]:
        """How long after the last audio each mute ended."""
        return [at - max(x for x in self.played if x <= at) - CHUNK_S for at in self.live]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Hold a call of three questions in real time."""
    return asyncio.run(held(tmp_path_factory.mktemp("calls")))


async def held(place: Path) -> Measured:
    """Hold it; what was measured is printed."""
    found, loop, judge = (
        Measured(),
        asyncio.get_running_loop(),
        SharedClassifier(Answers(yes, JUDGE_S)),
    )
    replies, mic, voice = ReplyList(judge, place=place), MicGate(), EmbeddedVoice()

    def told(event: object) -> None:
        if isinstance(event, ReplyOpened):
            found.opened.append(loop.time() - bot.began)
        replies.mouth(event)  # type: ignore[arg-type]

    gate = GateSink(judge, on_event=told, before_audio=replies.spoke)
    steps = [step for at in ASKED_AT for step in said(at, "what is an index", 1.0)]
    bot = Bot(
        steps,
        replies,
        SECONDS,
        lambda _: REPLY,
        before=[mic],
        sound=[b"\x01\x00" * 320] * int(SECONDS / 0.02),
        voice=EmbeddedTTSService(voice=voice),
        behind_voice=[gate],
        ttft_s=0.02,
    )
    bot.on_audio = lambda at, _: found.played.append(at - bot.began)
    await bot.run()
    found.live += bot.times(UserMuteStoppedFrame)
    print("first audio after the verdict, ms:", [round(1000 * x) for x in found.first])
    print("microphone live after the last audio, ms:", [round(1000 * x) for x in found.live_after])
    return found


def test_the_first_audio_leaves_within_a_tenth_of_a_second_of_the_verdict(
    measured: Measured,
) -> None:
    """The reply has been made while it was held; storing that it is heard is part of the time."""
    assert len(measured.first) == len(ASKED_AT)
    assert max(measured.first) <= FIRST_AUDIO_S, measured.first


def test_the_microphone_is_live_again_in_time(measured: Measured) -> None:
    """A tail of 400 ms behind the last audio, and what a busy machine adds."""
    assert len(measured.live_after) == len(ASKED_AT)
    assert max(measured.live_after) <= LIVE_S, measured.live_after
