"""Real sound, real models: voice, room, acoustic gate and recogniser in one pipeline."""

from __future__ import annotations

import re
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
import pytest
from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameProcessor
from support.speech import Heard, hear, in_a_room

from jev_turn.demo import sounds
from jev_turn.demo.mixing import (
    RATE,
    Placed,
    Sound,
    length_ms,
    offset_ms,
    onset_ms,
    resample,
    samples,
    second_voice,
)
from jev_turn.embedded.choice import RecogniserName, recogniser_for
from jev_turn.embedded.recogniser import CheckedRecogniser
from jev_turn.embedded.recordings import human
from jev_turn.embedded.script import normalised
from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.embedded.voice import VOICE_RATE, EmbeddedVoice
from jev_turn.processors.snr_gate import SnrGate

pytestmark = pytest.mark.speech

VOICE_DB = -26.0
NOISE_DB = -22.0
GAP_MS = 1500

SAID = {
    "Wait, stop.": {"wait stop"},
    # The recogniser's spelling of it.
    "Uh-huh.": {"aha", "uh huh"},
    "Stop.": {"stop"},
    "Yes, please.": {"yes please"},
    "No, thank you.": {"no thank you"},
    "I would like to book a table for four people on Friday.": {
        "i would like to book a table for 4 people on friday"
    },
    "Can you tell me about your opening hours?": {"can you tell me about your opening hours"},
    "Hey Mark, dinner is ready.": {"hey mark dinner is ready"},
    "My number is five five five.": {"my number is 555"},
    "zero one four two.": {"0142"},
    "nine nine seven.": {"997"},
    "What I was thinking is,": {"what i was thinking is"},
}
NOISES = {
    "cough": sounds.cough(1),
    "short cough": sounds.cough(2, pulses=1),
    "click": sounds.click(1),
    "slam": sounds.door_slam(1),
    "slam in a hall": sounds.door_slam(2, tail_ms=900),
    "typing": sounds.keyboard(1500, 3),
}


@dataclass
class Take:
    """A track, what was heard of it, and where each sound lies."""

    heard: Heard
    spans: dict[str, tuple[int, int]]

    def within(self, name: str, kind: type[Frame]) -> list[tuple[int, Frame]]:
        """Return frames of one kind from a sound's beginning to the next one's."""
        begins, ends = self.spans[name]
        return [(at, f) for at, f in self.heard.of(kind) if begins <= at < ends + GAP_MS]

    def words(self, name: str) -> str:
        """Return the finals of one sound, normalised."""
        texts = [getattr(frame, "text", "") for _, frame in self.within(name, TranscriptionFrame)]
        return normalised(" ".join(texts))


@pytest.fixture(scope="module")
def voice() -> EmbeddedVoice:
    """Load the voice once."""
    return EmbeddedVoice()


@pytest.fixture(scope="module", params=get_args(RecogniserName))
def name(request: pytest.FixtureRequest) -> RecogniserName:
    """Name each recogniser that is installed: CI has both."""
    if request.param == "whisper":
        pytest.importorskip("faster_whisper", reason="the extra whisper is not installed")
    chosen: RecogniserName = request.param
    return chosen


@pytest.fixture(scope="module")
def recogniser(name: RecogniserName) -> Iterator[CheckedRecogniser]:
    """Load the recogniser once, for tests without a service."""
    recogniser = recogniser_for(name)
    yield recogniser
    recogniser.close()


def listeners(name: RecogniserName) -> list[FrameProcessor]:
    """Return the gate and the recogniser of a bot."""
    return [SnrGate(), EmbeddedSTTService(recogniser=name)]


def say(voice: EmbeddedVoice, text: str) -> Sound:
    """Speak ``text`` at the track's rate."""
    return resample(np.concatenate([one.samples for one in voice.say(text)]), VOICE_RATE, RATE)


def take(
    model: RecogniserName, clips: dict[str, Sound], level_db: dict[str, float], rate: int = RATE
) -> Take:
    """Lay clips one after the other into a room and listen."""
    placed: list[Placed] = []
    spans: dict[str, tuple[int, int]] = {}
    at_ms = GAP_MS
    for name, sound in clips.items():
        placed.append(Placed(sound, at_ms, level_db.get(name, VOICE_DB)))
        spans[name] = (
            at_ms + (onset_ms(sound) or 0),
            at_ms + (offset_ms(sound) or length_ms(sound)),
        )
        at_ms += length_ms(sound) + GAP_MS
    return Take(hear(in_a_room(placed, at_ms + 500), partial(listeners, model), rate=rate), spans)


@pytest.fixture(scope="module")
def call(voice: EmbeddedVoice, name: RecogniserName) -> Take:
    """Play every utterance and every noise once, to each recogniser."""
    clips = {text: say(voice, text) for text in SAID}
    return take(name, {**clips, **NOISES}, dict.fromkeys(NOISES, NOISE_DB))


@pytest.mark.parametrize("text", SAID)
def test_what_was_said_is_heard(call: Take, text: str) -> None:
    """Word for word, the first word included, in one final."""
    assert call.words(text) in SAID[text]
    assert len(call.within(text, TranscriptionFrame)) == 1


@pytest.mark.parametrize("noise", NOISES)
def test_a_noise_has_no_words(call: Take, noise: str) -> None:
    """The gate may open on it; the recogniser then has nothing to say, neither early nor late."""
    assert call.words(noise) == ""
    assert call.within(noise, InterimTranscriptionFrame) == []


@pytest.mark.parametrize("text", SAID)
def test_an_interim_begins_as_the_final_does(call: Take, text: str) -> None:
    """What two reads agree on is rarely taken back: every word but the last stands."""
    final = call.words(text).split()
    for _, frame in call.within(text, InterimTranscriptionFrame):
        early = normalised(getattr(frame, "text", "")).split()
        assert early[:-1] == final[: len(early) - 1]


def test_a_long_sentence_shows_its_words_before_its_end(call: Take) -> None:
    """2.6 s of speech: at least three interims, the first 1.8 s after the beginning at most."""
    text = "I would like to book a table for four people on Friday."
    interims = call.within(text, InterimTranscriptionFrame)
    assert len(interims) >= 3
    assert interims[0][0] - call.spans[text][0] <= 1800


@pytest.mark.parametrize("text", SAID)
def test_no_interim_follows_the_end_of_a_segment(call: Take, text: str) -> None:
    """Order of the frames, not of the clocks."""
    kinds = [
        type(frame)
        for at, frame in call.heard.frames
        if call.spans[text][0] <= at < call.spans[text][1] + GAP_MS
    ]
    stop = kinds.index(VADUserStoppedSpeakingFrame)
    assert InterimTranscriptionFrame not in kinds[stop:]


def test_a_segments_duration_is_that_of_the_speech(call: Take) -> None:
    """Within 100 ms of the label, for every utterance that is one segment."""
    for text in SAID:
        begins, ends = call.spans[text]
        ((_, final),) = call.within(text, TranscriptionFrame)
        assert isinstance(final, TranscriptionFrame) and final.result is not None
        assert final.result.duration_ms == pytest.approx(ends - begins, abs=100), text


def test_a_click_does_not_open_the_gate(call: Take) -> None:
    """It is over long before 110 ms."""
    assert call.within("click", VADUserStartedSpeakingFrame) == []


@pytest.mark.parametrize("rate", [8000, 24000, 48000])
def test_every_rate_is_understood(voice: EmbeddedVoice, name: RecogniserName, rate: int) -> None:
    """From the telephone's 8 kHz to the sound card's 48."""
    text = "Can you tell me about your opening hours?"
    assert take(name, {text: say(voice, text)}, {}, rate).words(text) in SAID[text]


@pytest.mark.parametrize("text", ["Wait, stop.", "Can you tell me about your opening hours?"])
def test_another_speaker_is_understood(
    voice: EmbeddedVoice, name: RecogniserName, text: str
) -> None:
    """The demo's second voice is a voice."""
    clips = {text: second_voice(say(voice, text))}
    assert take(name, clips, {}).words(text) in SAID[text]


def test_silence_has_no_words(recogniser: CheckedRecogniser) -> None:
    """Without the check the model writes "You" into an empty room."""
    assert recogniser.read(bytes(2 * samples(1500))) == ""
    assert recogniser.read(b"") == ""
    assert recogniser.read(in_a_room([], 1500).tobytes()) == ""


def test_a_human_voice_is_understood(recogniser: CheckedRecogniser) -> None:
    """Twelve seconds of the recording that CI plays: at most two words differ from the book."""
    recording = human()
    with wave.open(str(recording.path)) as file:
        rate, count = file.getframerate(), file.getnframes()
        assert count * 1000 // rate == recording.duration_ms
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        raw = file.readframes(rate * 12)
    sound = resample(np.frombuffer(raw, np.int16), rate, RATE)
    heard = re.findall(r"[a-z]+", recogniser.read(sound.tobytes()).lower())
    book = re.findall(r"[a-z]+", recording.text.lower())
    assert len(heard) > 20
    assert len(set(heard) - set(book)) <= 2


def test_words_are_timed_as_they_are_spoken(voice: EmbeddedVoice) -> None:
    """The sound begins within 60 ms of the first word's time and lasts past the last word's."""
    (spoken,) = voice.say("Call me at 555-0142, please.")
    words = dict(spoken.words)
    assert list(words) == ["Call", "me", "at", "555-0142,", "please."]
    assert list(words.values()) == sorted(words.values())
    sound = resample(spoken.samples, VOICE_RATE, RATE)
    begins, ends = onset_ms(sound), offset_ms(sound)
    assert begins is not None and ends is not None
    assert abs(begins - words["Call"]) <= 60
    assert words["please."] < ends < spoken.duration_ms


def test_a_word_is_where_its_time_says(voice: EmbeddedVoice) -> None:
    """The pause after a comma ends where the next word is said to begin."""
    (spoken,) = voice.say("Wait, stop.")
    sound = resample(spoken.samples, VOICE_RATE, RATE)
    second = sound[samples(spoken.words[1][1] - 20) :]
    begins = onset_ms(second)
    assert begins is not None and begins <= 80


def test_the_same_text_is_the_same_sound(voice: EmbeddedVoice) -> None:
    """The demo's labels depend on it."""
    first, again = (next(iter(voice.say("Hello there."))).samples for _ in range(2))
    assert np.array_equal(first, again)


def test_sentences_come_one_by_one(voice: EmbeddedVoice) -> None:
    """The first sound does not wait for the last sentence; what has no word is not spoken."""
    texts = [
        " ".join(word for word, _ in one.words)
        for one in voice.say("Dr. Smith is here. Really? ... Yes.")
    ]
    assert texts[:2] == ["Dr. Smith is here.", "Really?"]
    assert texts[-1].endswith("Yes.")
    assert list(voice.say("...")) == []
