"""The frames of a reply on their way through the mouth."""

from __future__ import annotations

from typing import Literal

from pipecat.frames.frames import (
    AggregatedTextFrame,
    AggregatedTextProgressFrame,
    EagerTranscriptionFrame,
    Frame,
    InterimTranscriptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMarkerFrame,
    LLMMarkerResponseFrame,
    LLMThoughtEndFrame,
    LLMThoughtStartFrame,
    LLMThoughtTextFrame,
    TextFrame,
    TranscriptionFrame,
    TranslationFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)

from jev_turn.processors._contexts import AppSpeech

_OF_A_REPLY = (
    AggregatedTextProgressFrame,
    LLMFullResponseEndFrame,
    LLMMarkerFrame,
    LLMMarkerResponseFrame,
    LLMThoughtEndFrame,
    LLMThoughtStartFrame,
    LLMThoughtTextFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TextFrame,
)
_OF_A_PERSON = (
    EagerTranscriptionFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    TranslationFrame,
)


class HeldReply:
    """Tells a reply's frames from others, and keeps those that wait.

    Args:
        app: Knows the speech that is no reply's.

    Attributes:
        way: What becomes of the reply that is passing: it ``pass``es, is ``hold``-held or
            ``drop``ped; "" between replies.
    """

    def __init__(self, app: AppSpeech) -> None:
        self.way: Literal["", "pass", "hold", "drop"] = ""
        self._app = app
        self._held: list[Frame] = []

    def owns(self, frame: Frame) -> bool:
        """Tell whether ``frame`` belongs to a reply of the model's.

        Whatever the model writes stands between the start and the end of its response, behind a
        voice too; the application may have something said in between.
        """
        if isinstance(frame, LLMFullResponseStartFrame):
            return True
        if not self.way or isinstance(frame, _OF_A_PERSON):
            return False
        context = getattr(frame, "context_id", None)
        return isinstance(frame, _OF_A_REPLY) and not self._app.asked_for(context)

    def keep(self, frame: Frame) -> None:
        """Hold a frame."""
        self._held.append(frame)

    def take(self) -> list[Frame]:
        """Hold nothing any longer and return what was held, in order."""
        held, self._held = self._held, []
        return held

    def cut(self) -> bool:
        """Drop what an interruption drops; tell whether anything is left."""
        self._held = [frame for frame in self._held if not frame.interruptible]
        return bool(self._held)

    @property
    def waits(self) -> bool:
        """True while anything is held."""
        return bool(self._held)

    @property
    def ready(self) -> bool:
        """True when something can be heard of what is held, or nothing more will come."""
        return any(map(is_audible, self._held)) or self.complete

    @property
    def complete(self) -> bool:
        """True when what is held goes up to a reply's end."""
        return bool(self._held) and isinstance(self._held[-1], LLMFullResponseEndFrame)

    @property
    def empty(self) -> bool:
        """True when the model wrote nothing that could be said."""
        return not any(isinstance(frame, TextFrame | TTSAudioRawFrame) for frame in self._held)

    @property
    def text(self) -> str:
        """The words of what is held, as far as they are known."""
        words = ""
        for frame in self._held:
            # A voice's words repeat what it has announced.
            if isinstance(frame, TextFrame) and not isinstance(frame, TTSTextFrame):
                words += frame.text + (" " if isinstance(frame, AggregatedTextFrame) else "")
        return " ".join(words.split())


def is_audible(frame: Frame) -> bool:
    """Tell sound, and text that a voice behind us will say, from a voice's announcement of it."""
    if isinstance(frame, AggregatedTextFrame) and (
        frame.will_be_spoken or isinstance(frame, TTSTextFrame)
    ):
        return False
    return isinstance(frame, TTSAudioRawFrame) or (
        isinstance(frame, TextFrame) and not frame.skip_tts
    )
