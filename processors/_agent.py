"""What the agent does and says, worked out from facts that are told one by one."""

from __future__ import annotations

from typing import Literal

from jev_turn.turn.events import AgentState

Role = Literal["user", "assistant"]

_HISTORY_KEPT = 64


class AgentTracker:
    """Follows one agent: its state, its current speech and the conversation so far.

    Speech is what left the output transport, not what the model wrote: words that nobody has heard
    yet are ``unheard``, and a reply that was cut off leaves only its heard part as the last line.
    """

    def __init__(self) -> None:
        self.last_line = ""
        self.history: list[tuple[Role, str]] = []
        self._speaking = False
        self._running = False
        self._owed = False
        self._tools = False
        self._planned: list[str] = []
        self._heard: list[str] = []

    @property
    def state(self) -> AgentState:
        """What the agent does at this moment."""
        if self._speaking:
            return "speaking"
        return "thinking" if self._running or self._owed or self._tools else "listening"

    @property
    def heard(self) -> str:
        """What of the current speech has left the output transport."""
        return _joined(self._heard)

    @property
    def unheard(self) -> str:
        """What of the current speech is still to come, as far as it is known."""
        return " ".join(_joined(self._planned).split()[len(self.heard.split()) :])

    def model_started(self) -> None:
        """The model began to write a reply."""
        self._running, self._tools = True, False
        if not self._speaking:
            self._planned, self._heard = [], []

    def model_ended(self) -> None:
        """The model's run is over; text that it wrote may still be on its way to the ear."""
        self._running = False

    def tools_started(self) -> None:
        """The model asked for tools; their results will start another run."""
        self._tools = True

    def will_say(self, text: str) -> None:
        """``text`` has gone to synthesis."""
        self._planned.append(text)
        self._owed = not self._speaking

    def said(self, text: str) -> None:
        """``text`` has left the output transport, perhaps just behind its audio."""
        if self._speaking or self._planned:
            self._heard.append(text)
        else:
            self.last_line = _joined([self.last_line, text])

    def bot_started(self) -> None:
        """Audio began to leave the output transport."""
        self._speaking, self._owed = True, False

    def bot_stopped(self) -> None:
        """Audio stopped leaving it."""
        self._speaking = False
        if self.heard:
            self.last_line = self.heard
        self._planned, self._heard = [], []

    def stopped(self) -> None:
        """An interruption or an error ended whatever was being made."""
        self._running = self._owed = self._tools = False

    def wrote(self, role: Role, text: str) -> None:
        """``text`` was written to the context."""
        self.history.append((role, text))
        del self.history[:-_HISTORY_KEPT]


def _joined(parts: list[str]) -> str:
    return " ".join(" ".join(parts).split())
