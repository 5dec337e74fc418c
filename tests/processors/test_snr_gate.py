"""SnrGate in a pipeline: what it says, to whom, and when the microphone falls away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    EndFrame,
    ErrorFrame,
    Frame,
    InputAudioRawFrame,
    SpeechControlParamsFrame,
    StartFrame,
    TextFrame,
    UserAudioRawFrame,
    UserSpeakingFrame,
    UserStartedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import (
    FrameDirection,
    FrameProcessor,
    FrameProcessorSetup,
)
from pipecat.tests.utils import run_test
from pipecat.utils.asyncio.task_manager import TaskManager
from support.sound import CONFIG, LOUD, RATE, SOFT, noise, pcm

from jev_turn.play.clock import run
from jev_turn.policy import load_policy
from jev_turn.processors.frames import MicStalledFrame, TurnStateFrame
from jev_turn.processors.snr_gate import SnrGate

DOWN, UP = FrameDirection.DOWNSTREAM, FrameDirection.UPSTREAM
VAD = (VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame)


class Probe(FrameProcessor):
    """Passes everything on and keeps it with its direction and the loop's time."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self.seen: list[tuple[Frame, FrameDirection, float]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Keep it, pass it."""
        await super().process_frame(frame, direction)
        self.seen.append((frame, direction, asyncio.get_running_loop().time()))
        await self.push_frame(frame, direction)

    def of(self, kind: Any, direction: FrameDirection) -> list[Any]:
        """Frames of a kind that went in a direction."""
        return [
            frame for frame, way, _ in self.seen if way is direction and isinstance(frame, kind)
        ]


class Wired:
    """A gate between two probes, started, in virtual time."""

    def __init__(self, gate: SnrGate) -> None:
        self.top, self.gate, self.bottom = Probe(), gate, Probe()

    async def start(self) -> None:
        """Link, set up and start the three."""
        self.top.link(self.gate)
        self.gate.link(self.bottom)
        setup = FrameProcessorSetup(Mock(), TaskManager(), Mock())
        for processor in (self.top, self.gate, self.bottom):
            await processor.setup(setup)
        await self.push(StartFrame())

    async def push(self, frame: Frame, direction: FrameDirection = DOWN) -> None:
        """Let a frame enter at its end of the pipeline, and all of its effects happen."""
        await (self.top if direction is DOWN else self.bottom).queue_frame(frame, direction)
        await asyncio.sleep(1e-6)

    async def hear(self, level: float, ms: int, user: str | None = None) -> None:
        """20 ms chunks of steady noise (zeros at level 0) at the pace of a real microphone."""
        chunk = pcm(noise(20, level)) if level else bytes(640)
        for _ in range(ms // 20):
            await asyncio.sleep(0.02)
            if user is None:
                await self.push(InputAudioRawFrame(chunk, RATE, 1))
            else:
                await self.push(UserAudioRawFrame(chunk, RATE, 1, user_id=user))

    def edges(self, direction: FrameDirection = DOWN) -> list[str]:
        """VAD and stall frames as a short text, in order."""
        probe = self.bottom if direction is DOWN else self.top
        names = {VAD[0]: "start", VAD[1]: "stop"}
        return [
            names.get(type(frame)) or ("stalled" if frame.stalled else "back")
            for frame in probe.of((*VAD, MicStalledFrame), direction)
        ]


def play(story: Callable[[Wired], Awaitable[None]], **options: Any) -> Wired:
    """Run a story on a started gate and clean up after it."""

    async def whole() -> Wired:
        wired = Wired(SnrGate(options.pop("config", CONFIG), **options))
        await wired.start()
        await story(wired)
        for processor in (wired.top, wired.gate, wired.bottom):
            await processor.cleanup()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others, "the gate leaves no task behind"
        return wired

    return run(whole())


async def one_word(wired: Wired) -> None:
    """Room, 300 ms of sound, room."""
    await wired.hear(SOFT, 100)
    await wired.hear(LOUD, 300)
    await wired.hear(SOFT, 400)


def test_vad_frames_go_both_ways() -> None:
    """Pipecat's observers look upstream, recogniser and aggregator stand downstream."""
    wired = play(one_word)
    assert wired.edges(DOWN) == wired.edges(UP) == ["start", "stop"]
    pairs = zip(wired.bottom.of(VAD, DOWN), wired.top.of(VAD, UP), strict=True)
    assert all(down.broadcast_sibling_id == up.id for down, up in pairs)


def test_vad_frames_say_how_long_they_took() -> None:
    """20 ms chunks: 110 ms of hold are over in the sixth, the quiet of 200 ms in the tenth."""
    start, stop = play(one_word).bottom.of(VAD, DOWN)
    assert start.start_secs == 0.12
    assert stop.stop_secs == 0.2


def test_audio_passes_unchanged_and_before_what_it_causes() -> None:
    """A segmented recogniser cuts at the VAD frame: the chunk that caused it belongs inside."""
    wired = play(one_word)
    audio = wired.top.of(InputAudioRawFrame, DOWN)
    assert wired.bottom.of(InputAudioRawFrame, DOWN) == audio
    kinds = [type(frame) for frame, way, _ in wired.bottom.seen if way is DOWN]
    # StartFrame, its parameters, 5 quiet chunks, 6 loud ones
    assert kinds.index(VADUserStartedSpeakingFrame) == 2 + 5 + 6


def test_pipecat_learns_the_parameters_of_this_vad_at_the_start() -> None:
    """Realtime services take their pre-roll from them."""
    (frame,) = play(one_word).bottom.of(SpeechControlParamsFrame, DOWN)
    assert (frame.vad_params.start_secs, frame.vad_params.stop_secs) == (0.11, 0.2)


def test_speech_keeps_the_idle_timers_awake() -> None:
    """``UserSpeakingFrame`` about every 200 ms of speech, as Pipecat's own VAD does."""

    async def story(wired: Wired) -> None:
        await wired.hear(LOUD, 2_000)

    assert 9 <= len(play(story).bottom.of(UserSpeakingFrame, DOWN)) <= 11


def test_other_frames_pass_both_ways() -> None:
    """The gate consumes nothing, its own frames included."""

    async def story(wired: Wired) -> None:
        await wired.push(TextFrame("hello"))
        await wired.push(TurnStateFrame(open=True), UP)
        await wired.push(BotStartedSpeakingFrame(), UP)

    wired = play(story)
    assert len(wired.bottom.of(TextFrame, DOWN)) == 1
    assert len(wired.top.of(TurnStateFrame | BotStartedSpeakingFrame, UP)) == 2


def test_the_gate_is_stricter_while_the_bot_speaks() -> None:
    """0.008 is over three times the floor and under five times it; thinking changes nothing."""

    async def story(wired: Wired) -> None:
        await wired.push(BotStartedSpeakingFrame(), UP)
        await wired.hear(0.008, 600)
        assert wired.edges() == []
        await wired.push(BotStoppedSpeakingFrame(), UP)
        await wired.hear(0.008, 120)

    assert play(story).edges() == ["start"]


def test_the_turn_machine_freezes_and_frees_the_floor() -> None:
    """``TurnStateFrame`` comes from downstream; new words hold the thaw off."""
    floors: list[float] = []

    async def story(wired: Wired) -> None:
        for frame in (TurnStateFrame(True), TurnStateFrame(True, words=True), TurnStateFrame()):
            await wired.push(frame, UP)
            await wired.hear(0.004, 3_000)

    play(story, recorder=lambda line: floors.append(line["floor"]))
    # 3 s frozen, 3 s frozen by the words, then the rise: about 60 lines each
    assert floors[0] == floors[-70] < floors[-1]


def test_frames_that_stop_coming_stall_the_microphone() -> None:
    """501 ms after the last frame, by the loop's clock; the gate closes after that is said."""

    async def story(wired: Wired) -> None:
        await wired.hear(LOUD, 200)
        await asyncio.sleep(10)
        assert wired.gate.quiet_ms() is None
        await wired.hear(SOFT, 20)

    wired = play(story)
    assert wired.edges() == ["start", "stalled", "stop", "back"]
    (at,) = [now for frame, way, now in wired.bottom.seen if getattr(frame, "stalled", False)]
    assert at == pytest.approx(1_000 + 0.2 + 0.501, abs=0.0025)
    assert wired.bottom.of(VADUserStoppedSpeakingFrame, DOWN)[0].stop_secs == 0.0


@pytest.mark.parametrize(("gap", "edges"), [(0.48, []), (0.52, ["stalled", "back"])])
def test_a_short_gap_is_no_stall(gap: float, edges: list[str]) -> None:
    """Frames 500 ms apart are in time, and 540 ms are not."""

    async def story(wired: Wired) -> None:
        await wired.hear(SOFT, 200)
        await asyncio.sleep(gap)
        await wired.hear(SOFT, 20)

    assert play(story).edges() == edges


def test_a_gate_that_never_heard_anything_does_not_stall() -> None:
    """A bot that waits for its caller has no microphone yet."""

    async def story(wired: Wired) -> None:
        await asyncio.sleep(60)

    assert play(story).edges() == []


def test_muted_zeros_stall_the_microphone() -> None:
    """10 s of zeros after a word: no confident silence, no stop of ten seconds."""

    async def story(wired: Wired) -> None:
        await one_word(wired)
        quiet = wired.gate.quiet_ms()
        await wired.hear(0.0, 10_000)
        assert wired.gate.quiet_ms() is None
        await wired.hear(SOFT, 20)
        assert (quiet, wired.gate.quiet_ms()) == (400, 420)

    assert play(story).edges() == ["start", "stop", "stalled", "back"]


def test_the_watch_ends_with_the_pipeline() -> None:
    """After an ``EndFrame`` nothing is missed any more."""

    async def story(wired: Wired) -> None:
        await wired.hear(SOFT, 200)
        await wired.push(EndFrame())
        await asyncio.sleep(10)

    assert play(story).edges() == []


def test_two_participants_are_one_stretch_of_speech() -> None:
    """Start at the first opening, stop at the last closing."""

    async def story(wired: Wired) -> None:
        await wired.hear(LOUD, 200, "anna")
        await wired.hear(LOUD, 200, "ben")
        await wired.hear(SOFT, 300, "anna")
        assert wired.edges() == ["start"]
        await wired.hear(SOFT, 200, "ben")
        assert wired.gate.quiet_ms("ben") == 200
        assert wired.gate.quiet_ms() is None

    assert play(story).edges() == ["start", "stop"]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (InputAudioRawFrame(bytes(1_280), RATE, 2), "2 channels"),
        (InputAudioRawFrame(bytes(882), 44_100, 1), "44100 Hz"),
        (InputAudioRawFrame(bytes(321), RATE, 1), "an odd number of bytes"),
    ],
)
def test_sound_that_cannot_be_heard_is_one_error_and_passes(
    frame: InputAudioRawFrame, reason: str
) -> None:
    """Said once, not fifty times a second."""

    async def story(wired: Wired) -> None:
        for _ in range(3):
            await wired.push(frame)

    wired = play(story)
    (error,) = wired.top.of(ErrorFrame, UP)
    assert reason in error.error
    assert len(wired.bottom.of(InputAudioRawFrame, DOWN)) == 3


def test_settings_change_in_a_call() -> None:
    """A hold of 40 ms from the next sound on: told at the end of the second chunk."""

    async def story(wired: Wired) -> None:
        await one_word(wired)
        wired.gate.update_settings(replace(CONFIG, hold_ms=40))
        await one_word(wired)

    starts = play(story).bottom.of(VADUserStartedSpeakingFrame, DOWN)
    assert [frame.start_secs for frame in starts] == [0.12, 0.04]


def test_the_preroll_can_be_asked_for() -> None:
    """For a consumer that was given no audio before the opening: 100 ms room, 120 ms sound."""

    async def story(wired: Wired) -> None:
        assert wired.gate.preroll() == (b"", 0)
        await one_word(wired)
        audio, rate = wired.gate.preroll()
        room, word = pcm(noise(20, SOFT)), pcm(noise(20, LOUD))
        assert (audio, rate) == (room * 5 + word * 6, RATE)

    play(story)


def test_the_recorder_hears_of_levels_and_decisions() -> None:
    """A level at every third chunk of 20 ms in 800 ms (13), one opening, one closing."""
    lines: list[dict[str, Any]] = []
    play(one_word, recorder=lines.append)
    assert [line["what"] for line in lines if line["kind"] == "gate"] == ["open", "close"]
    assert len([line for line in lines if line["kind"] == "level"]) == 13


def test_the_policy_gives_the_settings() -> None:
    """Without settings the gate takes those of ``questions/policy.md``."""
    assert SnrGate()._room.config == load_policy().gate()


async def test_it_is_the_vad_of_a_plain_bot() -> None:
    """Pipecat's aggregators with their defaults and no VAD of their own: the gate opens a turn."""
    heard: list[str] = []
    user, assistant = LLMContextAggregatorPair(LLMContext())

    async def on_turn(*_: Any) -> None:
        heard.append("turn")

    user.add_event_handler("on_user_turn_started", on_turn)
    above = Probe()
    sound = pcm(noise(200, SOFT), noise(300, LOUD), noise(300, SOFT))
    frames = [InputAudioRawFrame(sound[at : at + 640], RATE, 1) for at in range(0, 25_600, 640)]
    down, _ = await run_test(
        Pipeline([above, SnrGate(CONFIG), user, assistant]), frames_to_send=frames
    )
    assert heard == ["turn"]
    assert [type(frame) for frame in above.of(VAD, UP)] == list(VAD)
    assert [type(frame) for frame in down if isinstance(frame, VAD)] == list(VAD)
    assert any(isinstance(frame, UserStartedSpeakingFrame) for frame in down)
