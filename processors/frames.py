"""Our own frames; each one says why it is of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipecat.frames.frames import FunctionCallFromLLM, SystemFrame


@dataclass
class MicStalledFrame(SystemFrame):
    """The microphone delivers no sound information (or, with ``stalled`` off, delivers again).

    A SystemFrame, because a verdict that waits for quiet must not be confirmed meanwhile.

    Parameters:
        stalled: True from the moment that frames stop or hold only zeros.
        user_id: Whose microphone; empty when the transport names none.
    """

    stalled: bool = True
    user_id: str = ""


@dataclass
class TurnStateFrame(SystemFrame):
    """What the turn machine knows and the gate must: is a turn open, and did words just come?

    A SystemFrame sent upstream, because the noise floor freezes and thaws by it while audio flows.

    Parameters:
        open: A turn is open.
        words: New words have just arrived.
    """

    open: bool = False
    words: bool = False


@dataclass
class ToolsHeldFrame(SystemFrame):
    """The model asked for tools that wait at the mouth with the words of its reply.

    A SystemFrame that the model pushes upstream in front of the end of its response, so that who
    follows the run does not take it for over. The tools' start is announced when they start; if
    their reply is dropped, they never do.

    Parameters:
        function_calls: The calls that wait.
    """

    function_calls: Sequence[FunctionCallFromLLM] = ()
