"""Until when the bot can be heard, by the audio that really leaves the output transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable

from pipecat.audio.utils import is_silence
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    OutputAudioRawFrame,
    SpeechOutputAudioRawFrame,
    TTSAudioRawFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport


class Audible:
    """Keeps, for each place that the bot speaks to, how long it counts as audible.

    Several may speak at once; the bot is audible until the last of them is not.

    Args:
        tail_s: How long sound can be heard after it has left, s.
        start_s: How long the first sound may keep everybody waiting for it, s.
    """

    def __init__(self, tail_s: float, start_s: float) -> None:
        self._tail_s = tail_s
        self._start_s = start_s
        self._until: dict[Hashable, float] = {}
        self._left: dict[Hashable, float] = {}
        self._speaking: set[Hashable] = set()

    @property
    def until(self) -> float:
        """When nothing can be heard any longer, s of the callers' clock; 0 before any sound."""
        return max(self._until.values(), default=0.0)

    def coming(self, place: Hashable, now: float) -> None:
        """Sound has been handed to the transport, which begins to send it in a moment.

        A sound that never gets out counts once and not for each further piece of it.
        """
        if now >= self.until and place not in self._speaking:
            self._until[place] = now + self._tail_s

    def begins(self, place: Hashable, now: float) -> None:
        """The transport is about to send the first sound."""
        self._speaking.add(place)
        self._until[place] = max(self._until.get(place, 0.0), now + self._start_s)

    def left(self, place: Hashable, lasts_s: float, now: float) -> None:
        """A chunk of sound has left; while speech goes on, the next one is leaving unseen."""
        self._left[place] = now
        unseen_s = lasts_s if place in self._speaking else 0.0
        self._until[place] = now + self._tail_s + unseen_s

    def ends(self, place: Hashable, now: float) -> None:
        """The transport says that speech is over."""
        self._speaking.discard(place)
        over = self._left.get(place, now) + self._tail_s
        self._until[place] = min(self._until.get(place, now), over)


class AudibleTap(BaseObserver):
    """Tells an ``Audible`` what goes into and out of every output transport.

    Background sound that a mixer adds is no speech, nor is digital silence behind speech.

    Args:
        audible: Is told.
        on_change: Called after everything it is told.
    """

    def __init__(self, audible: Audible, on_change: Callable[[], None]) -> None:
        super().__init__(name="AudibleTap")
        self._audible = audible
        self._on_change = on_change

    async def on_push_frame(self, data: FramePushed) -> None:
        """See one push of one frame."""
        if data.direction is FrameDirection.DOWNSTREAM and self._told(data):
            self._on_change()

    def _told(self, data: FramePushed) -> bool:
        frame, now = data.frame, asyncio.get_running_loop().time()
        sent = isinstance(data.source, BaseOutputTransport)
        place = (data.source if sent else data.destination, frame.transport_destination)
        match frame:
            case OutputAudioRawFrame() if sent and _is_speech(frame):
                self._audible.left(place, frame.num_frames / frame.sample_rate, now)
            case TTSAudioRawFrame() if isinstance(data.destination, BaseOutputTransport):
                self._audible.coming(place, now)
            case BotStartedSpeakingFrame() if sent:
                self._audible.begins(place, now)
            case BotStoppedSpeakingFrame() if sent:
                self._audible.ends(place, now)
            case _:
                return False
        return True


def _is_speech(frame: OutputAudioRawFrame) -> bool:
    if isinstance(frame, SpeechOutputAudioRawFrame):
        return not is_silence(frame.audio)
    return isinstance(frame, TTSAudioRawFrame) and any(frame.audio)
