"""The person at the other end: a transport on which a conversation is held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pipecat.pipeline.worker import PipelineWorker

from jev_turn.demo.clips import Clips
from jev_turn.demo.director import BotEar, Director
from jev_turn.demo.echo import Echo
from jev_turn.demo.listeners import Loudspeaker
from jev_turn.demo.microphone import Played, RoomMicrophone
from jev_turn.demo.plan import Conversation
from jev_turn.play.stage import Stage

_START_MAX_S = 30.0


class Caller:
    """Holds one conversation with a bot.

    Give ``transport`` to the pipeline and ``ear`` to its worker's observers, then ``talk``.

    Args:
        conversation: What is to be said.
        clips: Its sounds.
        on_start: Told the loop's time (s) of the microphone's first sample.
        on_play: Told of each sound as it begins.
        echo: The microphone hears the loudspeaker.

    Attributes:
        transport: Microphone and loudspeaker.
        ear: Hears the bot start and stop.
        loudspeaker: Keeps when the bot was to be heard.
        zero: Loop time (s) of the microphone's first sample.
    """

    def __init__(
        self,
        conversation: Conversation,
        clips: Clips,
        on_start: Callable[[float], None] | None = None,
        on_play: Callable[[Played], None] | None = None,
        *,
        echo: bool = False,
    ) -> None:
        self.ear = BotEar()
        self.loudspeaker = Loudspeaker()
        self.zero = 0.0
        self._conversation, self._clips = conversation, clips
        self._on_start = on_start
        self._echo = Echo() if echo else None
        self._room = RoomMicrophone(echo=self._echo)
        self._director = Director(self._room, self.ear, on_play)
        self.transport = Stage(self._room, on_start=self._start, on_audio=self._loud)
        self._started = asyncio.Event()

    @property
    def played(self) -> tuple[Played, ...]:
        """The sounds so far, with their labels."""
        return tuple(self._room.played)

    async def talk(self, worker: PipelineWorker) -> None:
        """Hold the conversation, and end the call whatever happens.

        Args:
            worker: Runs the bot's pipeline.
        """
        try:
            await asyncio.wait_for(self._started.wait(), _START_MAX_S)
            await self._director.perform(self._conversation.steps, self._clips, self.zero)
            await self.transport.input().finished.wait()
        finally:
            await worker.stop_when_done()  # type: ignore[no-untyped-call]

    def _loud(self, begins_s: float, audio: bytes) -> None:
        self.loudspeaker.play(begins_s, audio)
        if self._echo is not None:
            self._echo.play(begins_s, audio)

    def _start(self, zero: float) -> None:
        self.zero = zero
        if self._echo is not None:
            self._echo.zero = zero
        if self._on_start is not None:
            self._on_start(zero)
        self._started.set()
