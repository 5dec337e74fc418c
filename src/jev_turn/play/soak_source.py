"""Plays a script into a pipeline from the recogniser's place."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    InterruptionWorkerFrame,
    StartFrame,
    SystemFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from jev_turn.play.soak_ambush import STEPS, Act, Ambush
from jev_turn.play.soak_cast import Mood
from jev_turn.play.soak_script import HOLD_MS, STOP_MS, Script, Step
from jev_turn.processors.frames import MicStalledFrame

COMMIT = "commit"
"""In the middle of the next commit."""


@dataclass
class Poke(SystemFrame):
    """Something for the aggregator's mute strategy to look at.

    A SystemFrame, because audio is one, which does the same in a call with sound.
    """


class SoakSource(FrameProcessor):
    """Recogniser and, in calls without sound, voice detector; it also pulls everybody's strings.

    It passes no audio on, as a recogniser without ``audio_passthrough``.

    Args:
        script: What happens.
        mood: Is changed as the script says.
    """

    def __init__(self, script: Script, mood: Mood) -> None:
        super().__init__(name="SoakSource")
        self.heard: list[tuple[int, Step]] = []
        self.aggregator: FrameProcessor = self
        self.model: FrameProcessor = self
        self.ambush: Ambush | None = None
        self._mood = mood
        self._acts = sorted(
            [*self._changes(script), *self._sounds(script)], key=lambda timed: timed[0]
        )
        self._reader: asyncio.Task[None] | None = None
        self._began = 0.0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass everything but audio on; begin with the ``StartFrame``."""
        await super().process_frame(frame, direction)
        if isinstance(frame, EndFrame | CancelFrame):
            await self._stop()
        if not isinstance(frame, InputAudioRawFrame):
            await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._began = asyncio.get_running_loop().time()
            self._reader = self.create_task(self._read(), "read")

    async def cleanup(self) -> None:
        """Stop."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._stop()

    async def _stop(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            await self.cancel_task(reader)

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        for at_ms, act in self._acts:
            await asyncio.sleep(max(0.0, self._began + at_ms / 1000 - loop.time()))
            await act()

    # --- what happens when --------------------------------------------------------------------

    def _sounds(self, script: Script) -> list[tuple[int, Act]]:
        if script.audio:
            return []
        acts: list[tuple[int, Act]] = []
        for begin, end in script.sounds:
            acts += [(begin + HOLD_MS, self._onset), (end + STOP_MS, self._quiet)]
        for begin, end in script.stalls:
            acts += [(begin, self._stall(True)), (end, self._stall(False))]
        return acts

    def _changes(self, script: Script) -> list[tuple[int, Act]]:
        acts: list[tuple[int, Act]] = []
        for step in script.steps:
            if step.kind == "mute":
                on, off = self._mute(True), self._mute(False)
                acts += [
                    (step.at_ms, self._struck(step, on)),
                    (step.at_ms + step.lasts_ms, off),
                ]
            elif step.kind not in ("sound", "stall"):
                acts.append((step.at_ms, self._act(step)))
        return acts

    def _struck(self, step: Step, act: Act) -> Act:
        """Return ``act``, or what keeps it for a commit."""
        return self._lie_in_wait(act, step.at_ms % STEPS) if step.text == COMMIT else act

    def _lie_in_wait(self, strike: Act, steps: int) -> Act:
        async def act() -> None:
            if self.ambush is not None:
                self.ambush.armed, self.ambush.steps = strike, steps

        return act

    def _act(self, step: Step) -> Act:
        async def act() -> None:
            match step.kind:
                case "heard":
                    self.heard.append((step.at_ms, step))
                    await self._transcribe(step)
                case "say":
                    await self.push_frame(TTSSpeakFrame(step.text))
                case "interrupt":
                    await self._struck(step, self._interrupt(step.text))()
                case "judge":
                    self._mood.judge, self._mood.judge_ms = step.text, step.lasts_ms
                case _:
                    setattr(self._mood, step.kind, step.text)

        return act

    async def _transcribe(self, step: Step) -> None:
        kind = TranscriptionFrame if step.final else InterimTranscriptionFrame
        await self.push_frame(kind(text=step.text, user_id="user", timestamp=f"{step.at_ms} ms"))

    def _interrupt(self, where: str) -> Act:
        async def act() -> None:
            if where == "worker":
                await self.push_frame(InterruptionWorkerFrame(), FrameDirection.UPSTREAM)
            else:
                by = {"model": self.model, COMMIT: self.aggregator}
                await by.get(where, self).broadcast_interruption()  # type: ignore[no-untyped-call]

        return act

    async def _onset(self) -> None:
        await self.broadcast_frame(VADUserStartedSpeakingFrame, start_secs=HOLD_MS / 1000)

    async def _quiet(self) -> None:
        await self.broadcast_frame(VADUserStoppedSpeakingFrame, stop_secs=STOP_MS / 1000)

    def _stall(self, stalled: bool) -> Act:
        async def act() -> None:
            await self.broadcast_frame(MicStalledFrame, stalled=stalled)

        return act

    def _mute(self, muted: bool) -> Act:
        async def act() -> None:
            if not muted and self.ambush is not None:
                self.ambush.armed = None
            self._mood.muted = muted
            await self.aggregator.queue_frame(Poke())

        return act
