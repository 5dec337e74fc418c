"""A recogniser that writes what a case says, as far as the microphone lets it be heard."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    StartFrame,
    TranscriptionFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from jev_turn.play.case import Case
from jev_turn.play.ft_room import ECHO_S, Room
from jev_turn.play.ft_said import Word, lines
from jev_turn.play.ft_time import CallTime
from jev_turn.play.stage import CHUNK_MS

ECHO_ENDS_S = 0.6
"""Quiet after which words from the loudspeaker are a segment, s."""


class HearingRecogniser(FrameProcessor):
    """Writes each word that it has heard at least half of; silence in its place is not heard.

    Args:
        case: What is said near the microphone.
        lag_s: From the end of a word to its interim, and from the end of speech to the final, s.
        room: Knows the microphone's chunks.
        time: The call's.
    """

    def __init__(self, case: Case, lag_s: float, room: Room, time: CallTime) -> None:
        super().__init__(name="HearingRecogniser")
        self.unheard: list[str] = []
        self._case = case
        self._lag_s = lag_s
        self._room = room
        self._time = time
        self._chunks: set[int] = set()
        self._segment: list[Word] = []
        self._echo: asyncio.Queue[Word] = asyncio.Queue()
        self._readers: list[asyncio.Task[None]] = []

    def overhear(self, text: str) -> None:
        """A word begins to leave the loudspeaker, for a microphone that hears it."""
        if self._case.echo:
            begins = self._time.now() + ECHO_S
            self._echo.put_nowait(Word(begins, begins + 0.2, text))

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything on; begin with the ``StartFrame``."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            if (number := self._room.number(frame.audio)) is not None:
                self._chunks.add(number)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            readers = (self._read(), self._read_echo())
            self._readers = [self.create_task(reader, "read") for reader in readers]

    async def cleanup(self) -> None:
        """Stop."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        for reader in self._readers:
            await self.cancel_task(reader)

    async def _read(self) -> None:
        since = self._time.now()
        for due, line in lines(self._case, self._lag_s):
            if line.begins < since:
                continue
            await self._time.until(due)
            if isinstance(line, Word):
                await self._spoken(line)
            else:
                await self._close(line.text, line.lasts)

    async def _read_echo(self) -> None:
        while True:
            word = await self._echo.get()
            await self._time.until(word.ends + self._lag_s)
            await self._spoken(word, echo=True)
            await asyncio.sleep(ECHO_ENDS_S)
            if self._echo.empty():
                await self._close_own()

    async def _spoken(self, word: Word, *, echo: bool = False) -> None:
        if self._heard(word):
            self._segment.append(word)
            if word.shown:
                text = " ".join(heard.text for heard in self._segment)
                await self.push_frame(InterimTranscriptionFrame(text, "user", self._stamp()))
        elif not echo:
            self.unheard.append(word.text)
        if word.closes:
            await self._close_own()

    def _heard(self, word: Word) -> bool:
        first, last = (round(at * 1000 / CHUNK_MS) for at in (word.begins, word.ends))
        whole = range(first, max(last, first + 1))
        return 2 * sum(number in self._chunks for number in whole) >= len(whole)

    async def _close_own(self) -> None:
        if not self._segment:
            return
        text = " ".join(word.text for word in self._segment)
        lasts = self._segment[-1].ends - self._segment[0].begins
        pauses = sum(b.begins - a.ends for a, b in pairwise(self._segment))
        await self._close(text, lasts - pauses)

    async def _close(self, text: str, lasts: float) -> None:
        self._segment = []
        result = {"duration_ms": round(lasts * 1000)} if lasts else None
        await self.push_frame(
            TranscriptionFrame(text, "user", self._stamp(), result=result, finalized=True)
        )

    def _stamp(self) -> str:
        return f"{self._time.now():.3f}"
