"""What a processor must know of the rest of its pipeline: speculation, speech of others."""

from __future__ import annotations

from pipecat.frames.frames import Frame, SystemFrame, TTSSpeakFrame
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregator
from pipecat.services.tts_service import TTSService
from pipecat.turns.user_stop import EagerUserTurnStopStrategy


def speculates(aggregator: LLMUserAggregator) -> bool:
    """Tell whether an aggregator runs the model before a turn is confirmed."""
    controller = getattr(aggregator, "_user_turn_controller", None)
    in_force = getattr(controller, "_user_turn_strategies", None)
    strategies = in_force or aggregator._params.user_turn_strategies
    stops = (strategies.stop if strategies is not None else None) or []
    return any(isinstance(strategy, EagerUserTurnStopStrategy) for strategy in stops)


class AppSpeech:
    """Tells a ``TTSSpeakFrame``'s speech from a reply's by the context that the voice gives it.

    The context's name is the voice's own affair, but it can only have come up while the voice was
    busy with the frame.
    """

    def __init__(self) -> None:
        self._theirs: set[str] = set()
        self._replys: set[str] = set()
        self._before: dict[TTSService, set[str]] = {}

    def attach(self, voice: TTSService) -> None:
        """Follow what ``voice`` works on."""
        voice.add_event_handler("on_before_process_frame", self._begins)
        voice.add_event_handler("on_after_process_frame", self._ended)

    def asked_for(self, context: str | None) -> bool:
        """Tell whether the application itself asked for the speech of a context."""
        if context is None or context in self._replys:
            return False
        if context not in self._theirs:
            new = any(
                context not in before and context in voice.get_audio_contexts()
                for voice, before in self._before.items()
            )
            (self._theirs if new else self._replys).add(context)
        return context in self._theirs

    def ends(self, context: str | None) -> None:
        """Forget a context: nothing more of it will come."""
        self._theirs.discard(context or "")
        self._replys.discard(context or "")

    def _begins(self, voice: TTSService, frame: Frame) -> None:
        # A frame whose handling was cut off has no end.
        if not isinstance(frame, SystemFrame):
            self._before.pop(voice, None)
        if isinstance(frame, TTSSpeakFrame):
            self._before[voice] = set(voice.get_audio_contexts())

    def _ended(self, voice: TTSService, frame: Frame) -> None:
        if isinstance(frame, TTSSpeakFrame):
            self._theirs |= set(voice.get_audio_contexts()) - self._before.pop(voice, set())
