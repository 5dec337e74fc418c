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
    Speeches that wait for each other have contexts, as Pipecat's voices name them.
    """

    def __init__(self) -> None:
        self.last_line = ""
        self.history: list[tuple[Role, str]] = []
        self._speaking = False
        self._running = False
        self._tools = 0
        self._heard: list[str] = []
        self._unheard: dict[str | None, list[str]] = {}
        self._context: str | None = None

    @property
    def state(self) -> AgentState:
        """What the agent does at this moment."""
        if self._speaking:
            return "speaking"
        busy = self._running or self._tools or any(self._unheard.values())
        return "thinking" if busy else "listening"

    @property
    def heard(self) -> str:
        """What of the current speech has left the output transport."""
        return " ".join(self._heard)

    @property
    def unheard(self) -> str:
        """What is still to come, as far as it is known."""
        return " ".join(word for words in self._unheard.values() for word in words)

    def model_started(self) -> None:
        """The model began to write a reply."""
        self._running, self._tools = True, 0

    def model_ended(self) -> None:
        """The model's run is over; text that it wrote may still be on its way to the ear."""
        self._running = False

    def tools_started(self, calls: int) -> None:
        """The model asked for tools; their results will start another run."""
        self._tools += calls

    def tool_ended(self) -> None:
        """One of them is over, and no run will follow from it."""
        self._tools = max(0, self._tools - 1)

    def will_say(self, text: str, context: str | None) -> None:
        """``text`` has gone to synthesis."""
        self._unheard.setdefault(context, []).extend(text.split())

    def said(self, text: str, context: str | None) -> None:
        """``text`` has left the output transport, perhaps just behind its audio."""
        coming = self._unheard.get(context, [])
        if self._speaking or coming:
            self._context = context
            self._heard += text.split()
        else:
            self.last_line = " ".join([self.last_line, *text.split()]).strip()
        if coming and coming[0] != text and coming[0].startswith(text):
            # In a script without spaces the voice reports parts of one long word.
            coming[0] = coming[0].removeprefix(text)
        else:
            del coming[: len(text.split())]

    def bot_started(self) -> None:
        """Audio began to leave the output transport."""
        self._speaking = True

    def bot_stopped(self) -> None:
        """Audio stopped leaving it."""
        self._speaking = False
        if self._heard:
            self.last_line, self._heard = self.heard, []
            self.spoke(self._context)

    def spoke(self, context: str | None) -> None:
        """No more of this speech will be heard."""
        self._unheard.pop(context, None)

    def silenced(self) -> None:
        """Nothing that has gone to synthesis so far will be heard."""
        self._unheard.clear()

    def stopped(self) -> None:
        """An interruption or an error ended whatever was being made."""
        self._running, self._tools = False, 0
        self.silenced()

    def wrote(self, role: Role, text: str) -> None:
        """``text`` was written to the context."""
        self.history.append((role, text))
        del self.history[:-_HISTORY_KEPT]
