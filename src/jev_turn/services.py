"""Recogniser, model, voice and judge of the bots: the vendor's where its key is set, else ours."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pipecat.classifiers.base_classifier import BaseClassifier
from pipecat.services.llm_service import LLMService
from pipecat.services.stt_service import STTService
from pipecat.services.tts_service import TTSService

from jev_turn.assembly import API_KEY_ENV, classifier_from_environment
from jev_turn.errors import ConfigError

if TYPE_CHECKING:
    from pipecat.services.deepgram.stt import DeepgramSTTSettings

CARTESIA_VOICE = "71a7ad14-091c-4e8e-a314-022ece01c121"
"""The voice that Pipecat's own examples speak with; ``CARTESIA_VOICE_ID`` names another."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bot that a key exchanges.

    Attributes:
        name: What it is, in a person's words.
        key: Environment variable whose presence chooses the vendor.
        vendor: Whose service it is then.
        package: What pip installs for it.
    """

    name: str
    key: str
    vendor: str
    package: str


STT = Part("recogniser", "DEEPGRAM_API_KEY", "Deepgram", "pipecat-jev-turn[deepgram]")
LLM = Part("model", "OPENAI_API_KEY", "OpenAI", "openai")
TTS = Part("voice", "CARTESIA_API_KEY", "Cartesia", "pipecat-jev-turn[cartesia]")
JUDGE = Part("judge", API_KEY_ENV, "Jev", "typesafe-sdk")
PARTS = (STT, LLM, TTS, JUDGE)


@dataclass(frozen=True, slots=True)
class Services:
    """What a bot's pipeline needs beside its transport and its aggregators.

    Attributes:
        stt: The recogniser.
        llm: The model.
        tts: The voice.
        judge: Answers the turn questions.
    """

    stt: STTService
    llm: LLMService[Any]
    tts: TTSService
    judge: BaseClassifier


def services_from_environment(
    prompt: str, *, env: Mapping[str, str] | None = None, language: str = "en"
) -> Services:
    """Build one call's services.

    Nothing is connected yet: that happens when the pipeline starts.

    Args:
        prompt: Tells the model who it is. The embedded model has a script instead.
        env: In place of the process environment.
        language: The language spoken; the embedded parts know English only.

    Raises:
        ConfigError: A key is set and its vendor's package is missing, a key is missing and so is
            the extra ``embedded``, or a key holds what no key can.
    """
    env = os.environ if env is None else env
    for part in PARTS:
        _key(part, env)
    return Services(
        stt=_built(STT, env, _deepgram, _embedded_stt),
        llm=_built(LLM, env, partial(_openai, prompt), _scripted),
        tts=_built(TTS, env, _cartesia, _embedded_tts),
        judge=classifier_from_environment(env, language=language),
    )


def chosen(env: Mapping[str, str] | None = None) -> str:
    """Say in one line which parts will run, and which key would exchange each embedded one.

    Args:
        env: In place of the process environment.

    Raises:
        ConfigError: A key holds what no key can.
    """
    env = os.environ if env is None else env
    parts = []
    for part in PARTS:
        runs = part.vendor if _key(part, env) else f"embedded ({part.key} is not set)"
        parts.append(f"{part.name}: {runs}")
    return ", ".join(parts)


def deepgram_settings() -> DeepgramSTTSettings:
    """Return what makes Deepgram a recogniser that ends no turns.

    Interim results, because the judge reads while a person speaks. No endpointing: ``SnrGate``
    says when it is quiet, and Pipecat then has the words finalised. Words as they were said:
    smart formatting would wait up to three seconds for the rest of a number. Punctuation is for the
    model; the judge is told that it is no evidence.
    """
    from pipecat.services.deepgram.stt import DeepgramSTTSettings

    return DeepgramSTTSettings(
        model="nova-3-general",
        interim_results=True,
        endpointing=False,
        smart_format=False,
        numerals=False,
        punctuate=True,
    )


def _key(part: Part, env: Mapping[str, str]) -> str:
    """Return a key without the white space around it; an HTTP client quotes one that it refuses."""
    if all("!" <= character <= "~" for character in env.get(part.key, "").strip()):
        return env.get(part.key, "").strip()
    raise ConfigError(
        f"{part.key} is no key: it has a space, a line break or another character inside that no "
        "key has (the value is not shown)"
    )


def _built(
    part: Part,
    env: Mapping[str, str],
    vendor: Callable[[str, Mapping[str, str]], Any],
    embedded: Callable[[], Any],
) -> Any:
    key = _key(part, env)
    try:
        return vendor(key, env) if key else embedded()
    except ImportError as error:
        if key:
            why = f"{part.key} is set, and the package for {part.vendor} is missing: {error}. "
            raise ConfigError(f'{why}pip install "{part.package}"') from error
        why = f"{part.key} is not set, and the embedded {part.name} needs the extra `embedded`"
        raise ConfigError(f"{why}: {error}") from error


def _deepgram(key: str, env: Mapping[str, str]) -> STTService:
    from pipecat.services.deepgram.stt import DeepgramSTTService

    return DeepgramSTTService(api_key=key, settings=deepgram_settings())


def _openai(prompt: str, key: str, env: Mapping[str, str]) -> LLMService[Any]:
    from pipecat.services.openai.llm import OpenAILLMService

    settings = OpenAILLMService.Settings(system_instruction=prompt)
    if model := env.get("OPENAI_MODEL", "").strip():
        settings.model = model
    return OpenAILLMService(api_key=key, settings=settings)


def _cartesia(key: str, env: Mapping[str, str]) -> TTSService:
    from pipecat.services.cartesia.tts import CartesiaTTSService

    voice = env.get("CARTESIA_VOICE_ID", "").strip() or CARTESIA_VOICE
    return CartesiaTTSService(api_key=key, settings=CartesiaTTSService.Settings(voice=voice))


def _embedded_stt() -> STTService:
    from jev_turn.embedded.stt import EmbeddedSTTService

    return EmbeddedSTTService()


def _scripted() -> LLMService[Any]:
    from jev_turn.embedded.llm import ScriptedLLMService

    return ScriptedLLMService()


def _embedded_tts() -> TTSService:
    from jev_turn.embedded.tts import EmbeddedTTSService

    return EmbeddedTTSService()
