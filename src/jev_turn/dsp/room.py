"""Several microphones as one: the first to open starts speech, the last to close stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from jev_turn.dsp.config import GateConfig
from jev_turn.dsp.report import gate_line, level_line
from jev_turn.dsp.state import (
    Events,
    GateClosed,
    GateContext,
    GateEvent,
    GateOpened,
    MicStalled,
)
from jev_turn.dsp.stream import MicStream
from jev_turn.errors import ConfigError

LEVEL_EVERY_MS = 50


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """Somebody speaks; the sound first crossed the gate ``held_ms`` before the chunk's end."""

    held_ms: int


@dataclass(frozen=True, slots=True)
class SpeechStopped:
    """Nobody speaks; at the chunk's end it has been quiet for ``quiet_ms``."""

    quiet_ms: int


@dataclass(frozen=True, slots=True)
class HearingLost:
    """Whoever spoke last cannot be heard (or, with ``lost`` off, can be again)."""

    user: str
    lost: bool


Edge = SpeechStarted | SpeechStopped | HearingLost


class Room:
    """One gate for each participant, and what they come to together.

    Args:
        config: Settings; ``update_settings`` brings later ones.
        write: Takes a line of the call record for each decision and, every 50 ms, each level.

    Attributes:
        context: What is known outside, for the next chunk.
        mics: The participants' microphones by ``user_id``.
    """

    def __init__(
        self, config: GateConfig, write: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        self.config = config
        self.context = GateContext()
        self.mics: dict[str, MicStream] = {}
        self._write = write
        self._level_ms: dict[str, int] = {}
        self._open: set[str] = set()
        self._last_to_open: str | None = None
        self._lost = False

    @property
    def speaking(self) -> bool:
        """Somebody's gate is open."""
        return bool(self._open)

    def update_settings(self, config: GateConfig) -> None:
        """Use other settings from each microphone's next sound on.

        Args:
            config: The settings.

        Raises:
            ConfigError: ``frame_ms`` differs.
        """
        if config.frame_ms != self.config.frame_ms:
            raise ConfigError(f"gate.frame_ms: {config.frame_ms!r}: fixed for the life of a gate")
        self.config = config

    def tell_agent(self, speaking: bool) -> None:
        """Say whether the agent's voice is audible."""
        self.context = replace(self.context, agent_speaking=speaking)

    def tell_turn(self, is_open: bool, words: bool) -> None:
        """Say whether a turn is open, and whether new words have just come."""
        self.context = replace(self.context, turn_open=is_open, words=self.context.words + words)

    def hear(self, user: str, pcm: bytes, sample_rate: int) -> list[Edge]:
        """Take one chunk of a participant's sound.

        Args:
            user: The participant.
            pcm: Mono 16-bit samples.
            sample_rate: Their rate.

        Returns:
            What changed for all of them together.
        """
        mic = self.mics.setdefault(user, MicStream(self.config))
        edges = self._take(user, mic.feed(pcm, sample_rate, self.config, self.context))
        self._write_level(user, mic)
        return edges

    def starve(self, user: str) -> list[Edge]:
        """No chunk of a participant's has come for longer than ``stall_ms``."""
        return self._take(user, self.mics[user].starve())

    def refuse(self, user: str, quiet_ms: int) -> list[Edge]:
        """Count a participant's open microphone as closed: its sound is not speech.

        Args:
            user: The participant.
            quiet_ms: How long nobody has spoken there.
        """
        before = self.speaking
        self._open.discard(user)
        self._write_check(user, "refuse")
        return [SpeechStopped(quiet_ms)] if before and not self.speaking else []

    def admit(self, user: str, held_ms: int) -> list[Edge]:
        """Count a refused microphone as open after all.

        Args:
            user: The participant.
            held_ms: How long ago speech began there.
        """
        before = self.speaking
        self._open.add(user)
        self._last_to_open = user
        self._write_check(user, "admit")
        return [*self._hearing(user), *([] if before else [SpeechStarted(held_ms)])]

    def _write_check(self, user: str, what: str) -> None:
        if self._write:
            line = {"kind": "gate", "what": what, "stream_ms": self.mics[user].now_ms}
            self._write({**line, "user_id": user, "age_ms": 0})

    def _take(self, user: str, events: Events) -> list[Edge]:
        edges: list[Edge] = []
        for event in events:
            age_ms = self.mics[user].now_ms - event.at_ms
            if self._write:
                self._write({**gate_line(event), "user_id": user, "age_ms": age_ms})
            edges += self._edges(user, event, age_ms)
        return edges

    def _edges(self, user: str, event: GateEvent, age_ms: int) -> list[Edge]:
        before = self.speaking
        match event:
            case MicStalled():
                return self._hearing(user)
            case GateOpened(held_ms=held_ms):
                self._open.add(user)
                self._last_to_open = user
                started = [] if before else [SpeechStarted(held_ms + age_ms)]
                return [*self._hearing(user), *started]
            case GateClosed(quiet_ms=quiet_ms, stalled=stalled):
                self._open.discard(user)
                # Sound that a stalled microphone did not give is not quiet.
                quiet_ms += 0 if stalled else age_ms
                return [SpeechStopped(quiet_ms)] if before and not self.speaking else []
        return []

    def _hearing(self, user: str) -> list[Edge]:
        """Whoever spoke last decides: another's open microphone does not hear them."""
        last = self._last_to_open
        heard = list(self.mics.values()) if last is None else [self.mics[last]]
        lost = all(mic.state.stalled for mic in heard)
        if lost == self._lost:
            return []
        self._lost = lost
        return [HearingLost(user, lost)]

    def _write_level(self, user: str, mic: MicStream) -> None:
        if self._write and mic.now_ms - self._level_ms.get(user, 0) >= LEVEL_EVERY_MS:
            self._level_ms[user] = mic.now_ms
            age_ms = mic.now_ms - mic.state.now_ms
            line = level_line(mic.state, mic.loudest)
            self._write({**line, "user_id": user, "age_ms": age_ms})
            mic.loudest = 0.0
