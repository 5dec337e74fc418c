"""MicGate: muted while the bot can be heard, open again whatever ends its speech."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pipecat.transports
import pytest
from pipecat.audio.mixers.base_audio_mixer import BaseAudioMixer
from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    UserAudioRawFrame,
    UserMuteStartedFrame,
    UserMuteStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.base_transport import BaseTransport
from pipecat.workers.runner import WorkerRunner
from support.bot import Bot, Script

from jev_turn.play.cast import CaseVoice
from jev_turn.play.clock import LoopClock, run
from jev_turn.play.stage import CHUNK_BYTES, RATE, Stage
from jev_turn.policy import load_policy
from jev_turn.processors._audible import Audible
from jev_turn.processors.mic_gate import MicGate, wants_mic_gate
from jev_turn.record import CallRecord

TAIL_S = 0.4
SOON_S = 0.45
"""The microphone is live again this long after the last audio, at most."""

Step = tuple[float, Frame | Callable[[Any], Awaitable[None]]]


class Behind(FrameProcessor):
    """Keeps what MicGate lets through: audio, and the mute's edges."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self._call = call

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame | UserMuteStartedFrame | UserMuteStoppedFrame):
            self._call.heard.append((self._call.now, frame))
        await self.push_frame(frame, direction)


@dataclass
class Call:
    """A bot that only speaks, and what MicGate made of its microphone."""

    steps: Sequence[Step]
    lasts: float = 1.6
    gate: MicGate = field(default_factory=MicGate)
    voice: FrameProcessor = field(default_factory=lambda: CaseVoice({"Hello.": 0.5}))
    prepare: Callable[[Stage], None] = lambda _: None
    played: list[tuple[float, float, bool]] = field(default_factory=list)
    heard: list[tuple[float, Any]] = field(default_factory=list)
    began: float = 0.0
    worker: Any = None
    talking: Any = None

    @property
    def now(self) -> float:
        """Seconds since the call began."""
        return asyncio.get_running_loop().time() - self.began

    async def run(self) -> Call:
        """Run the call to its end."""
        stage = Stage(microphone(self.lasts), on_audio=self._plays)
        self.prepare(stage)
        me: Any = self
        parts = [stage.input(), self.gate, Behind(self), Script(me, self.steps)]
        self.worker = PipelineWorker(
            Pipeline([*parts, self.voice, stage.output()]),
            clock=LoopClock(),
            idle_timeout_secs=None,
            enable_rtvi=False,
            enable_turn_tracking=False,
        )
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self.worker)
        ending = asyncio.ensure_future(self._end())
        await runner.run()
        await ending
        return self

    async def _end(self) -> None:
        await asyncio.sleep(self.lasts)
        await self.worker.stop_when_done()

    def _plays(self, at: float, audio: bytes) -> None:
        ends = at + len(audio) / 2 / RATE
        self.played.append((at - self.began, ends - self.began, self.gate.muted))

    def edges(self) -> list[tuple[float, bool]]:
        """Return when the mute began (True) and ended."""
        return [
            (round(at, 3), isinstance(frame, UserMuteStartedFrame))
            for at, frame in self.heard
            if not isinstance(frame, InputAudioRawFrame)
        ]

    @property
    def mutes(self) -> list[tuple[float, float]]:
        """Return when each mute began and ended."""
        times = self.edges()
        assert [starts for _, starts in times] == [True, False] * (len(times) // 2)
        return [(times[n][0], times[n + 1][0]) for n in range(0, len(times), 2)]

    @property
    def audio(self) -> list[tuple[float, int]]:
        """Return what the recogniser got: when, and the chunk's number; 0 for silence."""
        return [
            (round(at, 3), int.from_bytes(frame.audio[:2], "little"))
            for at, frame in self.heard
            if isinstance(frame, InputAudioRawFrame)
        ]


def microphone(seconds: float) -> Iterator[bytes]:
    """Yield chunks of 20 ms, each full of its own number, from 1 on."""
    for number in range(1, int(seconds * 50) + 1):
        yield number.to_bytes(2, "little") * (CHUNK_BYTES // 2)


def call(steps: Sequence[Step], lasts: float = 1.6, **more: Any) -> Call:
    """Run a call."""
    return run(Call(steps, lasts, **more).run())


def near(value: float, abs: float = 1e-3) -> Any:
    """Return something equal to whatever differs from ``value`` by no more than ``abs``."""
    return pytest.approx(value, abs=abs)


HELLO: Step = (0.3, TTSSpeakFrame("Hello."))
FROM, TO = 0.35, 0.85
"""When the voice is heard."""


@functools.cache
def hello() -> Call:
    """Run a call in which the bot says one thing."""
    return call([HELLO])


def sound(ms: int, level: int = 1000, destination: str | None = None) -> TTSAudioRawFrame:
    """Return a piece of the bot's speech."""
    frame = TTSAudioRawFrame(level.to_bytes(2, "little") * (RATE * ms // 1000), RATE, 1)
    frame.transport_destination = destination
    return frame


class Bare(FrameProcessor):
    """Stands where a voice would, and lets the script's own frames through."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)


def bare(steps: Sequence[Step], lasts: float = 2.2, **more: Any) -> Call:
    """Run a call whose script pushes the voice's frames itself."""
    return call(steps, lasts, voice=Bare(), **more)


def opens_after(one: Call) -> float:
    """Return how long after the last audio the microphone was live."""
    return one.mutes[-1][1] - one.played[-1][1]


# --- what is muted ------------------------------------------------------------------------------


def test_the_mute_lasts_from_the_first_audio_to_a_tail_behind_the_last() -> None:
    """The mute covers the speech and a tail, and nothing else."""
    one = hello()
    assert one.mutes == [(near(FROM), near(TO + TAIL_S, abs=0.03))]
    assert opens_after(one) <= SOON_S


def test_no_chunk_is_played_to_an_open_microphone() -> None:
    """The mute begins before the first sample leaves, so that not even its onset comes back."""
    one = hello()
    assert len(one.played) == 25
    assert all(muted for _, _, muted in one.played)


def test_silence_of_equal_length_takes_the_place_of_sound() -> None:
    """Recognisers close an idle socket and detectors count samples: nothing may be missing."""
    one = hello()
    (start, stop), = one.mutes  # fmt: skip
    muted = [frame for at, frame in one.heard
             if isinstance(frame, InputAudioRawFrame) and start < at <= stop]  # fmt: skip
    assert {bytes(frame.audio) for frame in muted} == {bytes(CHUNK_BYTES)}
    assert len(muted) == near((stop - start) * 50, abs=1)


def test_what_is_not_muted_passes_untouched() -> None:
    """Before the mute and behind it each chunk comes once, in its turn."""
    one = hello()
    (start, stop), = one.mutes  # fmt: skip
    before = [n for at, n in one.audio if at <= start]
    assert before == list(range(1, len(before) + 1))
    after = [n for at, n in one.audio if at > stop]
    assert after == list(range(after[0], after[-1] + 1))


def test_the_edges_enclose_the_silence() -> None:
    """Who follows the mute hears of it before the zeros, and of its end before sound again."""
    one = hello()
    kinds: list[str] = []
    for _, frame in one.heard:
        kind = "zero" if isinstance(frame, InputAudioRawFrame) else type(frame).__name__
        if isinstance(frame, InputAudioRawFrame) and any(frame.audio):
            kind = "sound"
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    assert kinds == ["sound", "UserMuteStartedFrame", "zero", "UserMuteStoppedFrame", "sound"]


def test_the_edge_comes_first_even_in_the_same_moment() -> None:
    """A chunk that arrives as the mute begins does not overtake the news of it."""

    async def at_once(one: Call) -> None:
        one.gate._audible.begins("anywhere", asyncio.get_running_loop().time())
        one.gate._changed()
        frame = InputAudioRawFrame(b"\x01\x01", RATE, 1)
        await one.gate.process_frame(frame, FrameDirection.DOWNSTREAM)

    one = call([(0.205, at_once)], lasts=0.3)
    kinds = [type(frame) for at, frame in one.heard if at == near(0.205)]
    assert kinds == [UserMuteStartedFrame, InputAudioRawFrame]


def test_both_directions_hear_of_the_mute() -> None:
    """A browser's display and a recogniser behind us learn of it alike."""
    gate: Any = MicGate()
    pushed: list[tuple[type[Frame], FrameDirection]] = []
    push = gate.push_frame

    async def keep(frame: Frame, way: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        if isinstance(frame, UserMuteStartedFrame | UserMuteStoppedFrame):
            pushed.append((type(frame), way))
        await push(frame, way)

    gate.push_frame = keep
    call([HELLO], gate=gate)
    assert pushed == [(kind, way) for kind in (UserMuteStartedFrame, UserMuteStoppedFrame)
                      for way in FrameDirection]  # fmt: skip


# --- no first word is clipped -------------------------------------------------------------------


def test_the_last_fifth_of_a_second_of_the_mute_comes_after_it() -> None:
    """A person who begins a moment too early loses no sound: it is injected in order, once."""
    one = hello()
    (_, stop), = one.mutes  # fmt: skip
    first = next(i for i, (at, _) in enumerate(one.audio) if at > stop)
    ring = [number for _, number in one.audio[first : first + 11]]
    live = ring[-1]
    assert live == int(stop * 50) + 1
    assert ring == list(range(live - 10, live + 1))


def test_each_participant_has_a_ring() -> None:
    """Sound that is kept back for one person is never given out as another's."""

    async def talk(one: Call) -> None:
        for number in range(1, 70):
            for user in ("a", "b"):
                audio = (number * 2 + (user == "b")).to_bytes(2, "little") * 320
                await one.gate.queue_frame(
                    UserAudioRawFrame(audio=audio, sample_rate=RATE, num_channels=1, user_id=user)
                )
            await asyncio.sleep(0.02)

    async def begin(one: Call) -> None:
        one.talking = asyncio.ensure_future(talk(one))

    one = call([(0.1, begin), HELLO], lasts=1.7)
    for user, odd in (("a", 0), ("b", 1)):
        got = [int.from_bytes(frame.audio[:2], "little") for _, frame in one.heard
               if getattr(frame, "user_id", None) == user]  # fmt: skip
        sounds = [number for number in got if number]
        assert len(got) == 69 + 10
        assert {number % 2 for number in sounds} == {odd}
        assert sorted(set(sounds)) == sounds


def test_the_ring_is_never_longer_than_the_tail() -> None:
    """What is older than the tail is the bot's own voice."""
    policy = load_policy(sets=["mic.tail_ms=100"])
    one = call([HELLO], gate=MicGate(policy=policy))
    (_, stop), = one.mutes  # fmt: skip
    first = next(number for at, number in one.audio if at > stop)
    assert stop * 50 - first < 5


# --- whatever ends speech -----------------------------------------------------------------------


def test_an_interruption_opens() -> None:
    """Audio that was dropped is not waited for."""
    one = call([HELLO, (0.6, InterruptionFrame())])
    assert one.played[-1][1] == near(0.6, abs=0.05)
    assert opens_after(one) <= SOON_S


def test_an_interruption_before_the_first_sound_opens() -> None:
    """A transport that was handed audio and told to drop it says nothing of it any more."""
    gate = MicGate()
    steps: list[Step] = [(0.5, sound(10)), (0.6, InterruptionFrame())]
    one = bare(steps, gate=gate)
    assert one.played == []
    assert all(stop <= 0.6 + SOON_S for _, stop in one.mutes)


def test_a_dead_synthesis_opens() -> None:
    """No stop frame follows the audio, and Pipecat itself notices after three seconds."""
    steps: list[Step] = [(0.3, TTSStartedFrame()), (0.3, sound(500))]
    one = bare(steps)
    assert len(one.mutes) == 1
    assert opens_after(one) <= SOON_S


def test_a_synthesis_that_dies_in_the_middle_of_a_chunk_opens() -> None:
    """The rest of a chunk that is never filled is never sent, and holds nothing."""
    one = bare([(0.3, sound(500)), (0.95, sound(10))])
    assert len(one.mutes) == 1
    assert opens_after(one) <= SOON_S


def test_the_end_of_the_call_opens_before_it_passes() -> None:
    """A start edge gets its stop edge though the bot still speaks, and no other begins."""
    one = call([HELLO], lasts=0.5)
    assert len(one.mutes) == 1
    assert one.played[-1][1] == near(TO, abs=0.03)


def test_a_cancelled_call_opens() -> None:
    """The stop edge is told before the processors behind stop listening."""

    async def cancel(one: Call) -> None:
        await one.worker.cancel()

    one = call([HELLO, (0.5, cancel)], lasts=0.7)
    assert one.mutes == [(near(FROM), near(0.5, abs=0.01))]
    assert not one.gate.muted


def test_a_transport_that_never_says_that_speech_stopped_opens() -> None:
    """The audio is the clock; the transport's own word is not needed."""

    def silent(stage: Stage) -> None:
        output: Any = stage.output()
        push = output.push_frame

        async def drop(frame: Frame, way: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
            if not isinstance(frame, BotStoppedSpeakingFrame):
                await push(frame, way)

        output.push_frame = drop

    one = call([HELLO], prepare=silent)
    assert len(one.mutes) == 1
    assert opens_after(one) <= SOON_S


def test_a_transport_that_never_sends_the_first_audio_opens_at_a_ceiling() -> None:
    """It said that the bot began to speak, and hangs."""

    def stuck(stage: Stage) -> None:
        async def write(_: OutputAudioRawFrame) -> bool:
            await asyncio.sleep(60)
            return True

        output: Any = stage.output()
        output.write_audio_frame = write

    one = call([HELLO], lasts=3.8, prepare=stuck)
    assert one.mutes == [(near(FROM), near(FROM + 3.0, abs=0.01))]


def test_a_transport_that_sends_nothing_opens_when_it_says_so() -> None:
    """Nobody heard anything: there is no echo to wait for."""

    def refuse(stage: Stage) -> None:
        async def write(_: OutputAudioRawFrame) -> bool:
            return False

        output: Any = stage.output()
        output.write_audio_frame = write

    one = call([HELLO], prepare=refuse)
    assert all(stop - start <= SOON_S for start, stop in one.mutes)


# --- what does not hold it ----------------------------------------------------------------------


class Music(BaseAudioMixer):
    """Plays background sound without end."""

    async def start(self, sample_rate: int) -> None: ...
    async def stop(self) -> None: ...
    async def process_frame(self, frame: Any) -> None: ...

    async def mix(self, audio: bytes) -> bytes:
        """Return the background alone where there is no speech."""
        return audio if any(audio) else b"\x07\x00" * (len(audio) // 2)


def test_background_music_does_not_hold_the_mute() -> None:
    """A mixer sends audio for as long as the call lasts."""

    def mix(stage: Stage) -> None:
        stage.output()._params.audio_out_mixer = Music()

    one = call([HELLO], prepare=mix)
    assert len(one.played) > 70
    assert one.mutes == [(near(FROM, abs=0.03), near(TO + TAIL_S, abs=0.05))]


def test_silence_behind_speech_does_not_hold_the_mute() -> None:
    """Some services pad their speech by two seconds of zeros, which nobody hears."""
    one = bare([(0.3, sound(200)), (0.3, sound(1000, level=0)), (0.3, TTSStoppedFrame())])
    assert one.played[-1][1] == near(1.5, abs=0.03)
    assert one.mutes == [(0.3, near(0.5 + TAIL_S, abs=0.05))]


# --- one mute for what belongs together ---------------------------------------------------------


def test_speech_that_begins_within_the_tail_goes_on_with_the_mute() -> None:
    """Two sentences of a reply do not flap the microphone."""
    second: Step = (TO + 0.2, TTSSpeakFrame("Hello."))
    one = call([HELLO, second], lasts=2.4)
    assert len(one.mutes) == 1


def test_large_chunks_do_not_flap_the_mute() -> None:
    """A chunk longer than the tail is leaving, though none has left for so long."""

    def large(stage: Stage) -> None:
        stage.output()._params.audio_out_10ms_chunks = 60

    one = call([(0.3, TTSSpeakFrame("Goodbye."))], lasts=3.4, prepare=large,
               voice=CaseVoice({"Goodbye.": 1.8}))  # fmt: skip
    assert len(one.mutes) == 1
    assert all(muted for _, _, muted in one.played)


def test_two_mutes_are_told_apart() -> None:
    """Each has its two edges, in turn."""
    one = call([HELLO, (1.5, TTSSpeakFrame("Hello."))], lasts=2.7)
    assert len(one.mutes) == 2
    assert all(a[1] < b[0] for a, b in pairwise(one.mutes))


AT = 10.0


def test_nested_speech_is_counted() -> None:
    """The bot is audible until the last of the places that it speaks to is silent."""
    audible = Audible(0.4, 3.0)
    audible.begins("a", AT)
    audible.left("a", 0.02, AT)
    audible.begins("b", AT + 1)
    audible.left("b", 0.02, AT + 1)
    audible.ends("a", AT + 1)
    assert audible.until > AT + 1
    audible.ends("b", AT + 2)
    assert audible.until == near(AT + 1.4)


def test_a_chunk_behind_the_end_holds_no_longer_than_the_tail() -> None:
    """What was being written when speech was cut off leaves last; nothing leaves behind it."""
    audible = Audible(0.4, 3.0)
    audible.begins("a", AT)
    audible.ends("a", AT + 1)
    audible.left("a", 0.1, AT + 1.1)
    assert audible.until == pytest.approx(AT + 1.5)


def test_audio_that_was_handed_over_is_audible_in_a_moment() -> None:
    """The mute does not wait until the transport says that it has begun."""
    audible = Audible(0.4, 3.0)
    audible.coming("a", AT)
    assert audible.until == pytest.approx(AT + 0.4)


def test_one_places_audio_leaves_anothers_start_alone() -> None:
    """A place that has only begun keeps its own patience while another one speaks."""
    audible = Audible(0.4, 3.0)
    audible.begins("b", AT)
    audible.left("a", 0.02, AT + 0.5)
    audible.ends("a", AT + 0.6)
    assert audible.until == near(AT + 3.0)


def test_audio_that_never_gets_out_is_waited_for_once() -> None:
    """A stream into a transport that is stuck does not mute again with every piece."""
    audible = Audible(0.4, 3.0)
    audible.begins("a", AT)
    audible.coming("a", AT + 3.5)
    assert audible.until == near(AT + 3.0)


# --- the record, and where it belongs -----------------------------------------------------------


def test_the_muted_time_is_recorded() -> None:
    """A person who was not heard can see why."""
    record = CallRecord(None, words=False)
    one = call([HELLO], gate=MicGate(record=record))
    lines = [(line["t"], line["state"]) for line in record.records if line["kind"] == "mute"]
    (start, stop), = one.mutes  # fmt: skip
    assert lines == [(near(start * 1000, abs=1), "start"),
                     (near(stop * 1000, abs=1), "stop")]  # fmt: skip


def transport(module: str) -> BaseTransport:
    """Return a transport of a module whose dependencies need not be installed."""

    class Some(BaseTransport):
        def input(self) -> Any: ...
        def output(self) -> Any: ...

    Some.__module__ = module

    class OfTheBot(Some):
        pass

    return OfTheBot()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("smallwebrtc.transport", False),
        ("daily.transport", False),
        ("livekit.transport", False),
        ("tavus.transport", False),
        ("local.audio", True),
        ("local.tk", True),
        ("websocket.fastapi", True),
    ],
)
def test_transports_without_echo_cancellation_want_the_gate(name: str, wanted: bool) -> None:
    """Where the bot would hear itself it is on; where WebRTC cancels the echo words may overlap."""
    folder = Path(pipecat.transports.__path__[0])
    assert (folder / name.replace(".", "/")).with_suffix(".py").is_file()
    assert wants_mic_gate(transport(f"pipecat.transports.{name}")) is wanted


def test_an_unknown_transport_wants_the_gate() -> None:
    """A muted microphone loses words; a bot that hears itself talks for ever."""
    assert wants_mic_gate(transport("somebodys.own")) is True


# --- alone in somebody's bot --------------------------------------------------------------------


class Listens(FrameProcessor):
    """A recogniser that takes each sound for words, as soon as it is over."""

    def __init__(self) -> None:
        super().__init__()
        self._sounds = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            if any(frame.audio):
                self._sounds += 1
            elif self._sounds:
                text = f"{self._sounds * 20} ms of sound"
                self._sounds = 0
                await self.push_frame(TranscriptionFrame(text, "user", "now"))
        await self.push_frame(frame, direction)


def room(*sounds: tuple[float, float], lasts: float) -> list[bytes]:
    """Return chunks of 20 ms, loud between the given times."""
    loud, still = b"\x01\x00" * (CHUNK_BYTES // 2), bytes(CHUNK_BYTES)
    return [
        loud if any(start <= n / 50 < end for start, end in sounds) else still
        for n in range(int(lasts * 50))
    ]


@pytest.mark.bots
@pytest.mark.parametrize("gate", [True, False])
def test_alone_in_a_plain_bot_it_keeps_the_bots_own_voice_out(gate: bool) -> None:
    """A bot on Pipecat's defaults that hears itself interrupts itself and answers what it said."""
    echo, person = (0.1, 1.5), (4.0, 5.0)
    call = Bot([], None, 14.0, before=[MicGate()] if gate else [], stt=Listens(), greeting="Hello.",
               voice=CaseVoice({"Hello.": 2.0}), sound=room(echo, person, lasts=14.0))  # fmt: skip
    run(call.run())
    assert (call.interruptions == 1) is gate  # the person's own words, in the default bot
    assert call.said == (["1000 ms of sound"] if gate else ["1400 ms of sound", "1000 ms of sound"])
