"""Holds a call with one of the bots in ``examples``, its vendors' services exchanged."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.filters.identity_filter import IdentityFilter

from jev_turn.demo.caller import Caller
from jev_turn.demo.clips import Clips, make, wanted
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Conversation
from jev_turn.embedded.llm import ScriptedLLMService
from jev_turn.embedded.stt import EmbeddedSTTService
from jev_turn.embedded.tts import EmbeddedTTSService
from jev_turn.embedded.voice import EmbeddedVoice
from jev_turn.judges.embedded import EmbeddedClassifier
from jev_turn.play.clock import LoopClock, run
from jev_turn.play.witness import Account, Witness

EXAMPLES = Path(__file__).parents[2] / "examples"
KEYS = ("DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY")


class Recogniser(EmbeddedSTTService):
    """In the place of Deepgram's."""

    def __init__(self, **_: Any) -> None:
        super().__init__()


class Model(ScriptedLLMService):
    """In the place of OpenAI's; it finds every turn complete when it is asked to say so."""

    Settings = SimpleNamespace

    def __init__(self, **_: Any) -> None:
        super().__init__()

    def _reply(self, context: LLMContext) -> str:
        mark = "\u25cf " if self._settings.filter_incomplete_user_turns else ""
        return mark + super()._reply(context)


class Voice(EmbeddedTTSService):
    """In the place of Cartesia's."""

    Settings = SimpleNamespace

    def __init__(self, **_: Any) -> None:
        super().__init__()


def flux(**given: Any) -> Any:
    """In the place of Deepgram's Flux."""
    from support.flux_stand_in import flux_stand_in

    return flux_stand_in(**given)


SERVICES: dict[str, dict[str, Any]] = {
    "pipecat.services.deepgram.stt": {"DeepgramSTTService": Recogniser},
    "pipecat.services.deepgram.flux.stt": {"DeepgramFluxSTTService": flux},
    "pipecat.services.openai.llm": {"OpenAILLMService": Model},
    "pipecat.services.cartesia.tts": {"CartesiaTTSService": Voice},
}


@dataclass
class Held:
    """A call that was held, in ms since the microphone's first sample.

    Attributes:
        played: The sounds, with their labels.
        account: What came to light.
    """

    played: tuple[Played, ...]
    account: Account

    def audible(self, at_ms: int) -> bool:
        """Tell whether the bot spoke at a moment."""
        return any(
            start <= at_ms and (stop is None or at_ms < stop) for start, stop in self.account.bot
        )

    @property
    def said(self) -> str:
        """What the model was told that the caller said."""
        return " ".join(text for _, text in self.account.turns).lower()


def exchange(patch: pytest.MonkeyPatch) -> None:
    """Put other services under the vendors' names."""
    for module, names in SERVICES.items():
        fake = ModuleType(module)
        vars(fake).update(names)
        patch.setitem(sys.modules, module, fake)


def load(name: str, which: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """Import an example as it stands, with the embedded judge in the place of the real one."""
    for key in KEYS:
        patch.setenv(key, "unused")
    path = EXAMPLES / name / f"{which}.py"
    spec = importlib.util.spec_from_file_location(f"examples_{name}_{which}", path)
    assert spec is not None and spec.loader is not None
    module_ = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module_)
    if hasattr(module_, "TypeSafeClassifier"):
        patch.setattr(module_, "TypeSafeClassifier", EmbeddedClassifier)
    return module_


def hold(name: str, which: str, conversation: Conversation, patch: pytest.MonkeyPatch) -> Held:
    """Hold a conversation with one bot in virtual time."""
    exchange(patch)
    bot = load(name, which, patch)
    voice = EmbeddedVoice()
    clips: Clips = {sound: make(sound, voice) for sound in wanted([conversation])}
    return run(_hold(bot, conversation, clips))


async def _hold(bot: ModuleType, conversation: Conversation, clips: Clips) -> Held:
    # No recogniser is named: what the model is told counts here, not what was heard.
    witness = Witness(IdentityFilter())  # type: ignore[no-untyped-call]
    caller = Caller(conversation, clips, witness.start)
    talking: list[asyncio.Future[None]] = []

    def make_worker(pipeline: Any) -> PipelineWorker:
        worker = PipelineWorker(
            pipeline,
            clock=LoopClock(),
            observers=[witness, caller.ear],
            idle_timeout_secs=None,
            enable_rtvi=False,
        )
        talking.append(asyncio.ensure_future(caller.talk(worker)))
        return worker

    bot.PipelineWorker = make_worker  # type: ignore[attr-defined]
    await bot.run_bot(caller.transport, SimpleNamespace(handle_sigint=False))
    await talking[0]
    return Held(caller.played, witness.finish())
