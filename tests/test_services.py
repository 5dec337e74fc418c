"""Which services a bot runs on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pytest

from jev_turn.errors import ConfigError
from jev_turn.services import CARTESIA_VOICE, chosen, services_from_environment

KEYS = {
    "DEEPGRAM_API_KEY": "dg",
    "OPENAI_API_KEY": "oa",
    "CARTESIA_API_KEY": "ca",
    "TYPESAFE_API_KEY": "ts",
}
PROMPT = "You are a receptionist."
EMBEDDED = ["EmbeddedSTTService", "ScriptedLLMService", "EmbeddedTTSService", "EmbeddedClassifier"]
VENDORS = ["DeepgramSTTService", "OpenAILLMService", "CartesiaTTSService", "TypeSafeClassifier"]


def kinds(env: Mapping[str, str]) -> list[str]:
    """Return the classes of what is built."""
    built = services_from_environment(PROMPT, env=env)
    return [type(one).__name__ for one in (built.stt, built.llm, built.tts, built.judge)]


@pytest.mark.speech
@pytest.mark.parametrize("at", [None, 0, 1, 2, 3])
def test_a_key_exchanges_its_own_part_alone(at: int | None) -> None:
    """Each vendor runs where its key is set, and the embedded part everywhere else."""
    env = {} if at is None else dict([list(KEYS.items())[at]])
    wanted = list(EMBEDDED)
    if at is not None:
        wanted[at] = VENDORS[at]
    assert kinds(env) == wanted


def test_with_every_key_nothing_is_embedded() -> None:
    """All four vendors' services are built, without a connection."""
    assert kinds(KEYS) == VENDORS


def test_a_blank_key_is_none() -> None:
    """A line of env.example that was left empty chooses nothing."""
    assert chosen({"DEEPGRAM_API_KEY": " "}) == chosen({})


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("inside", ["\n", "\r\n", " ", "\t", "\x00", "\x7f", "\u00e9", "\u2028"])
def test_a_broken_key_is_refused_unseen(name: str, inside: str) -> None:
    """By its variable's name: an HTTP client would quote it, and a log would keep the quotation."""
    env = KEYS | {name: f"sk-never{inside}seen"}
    for look in (chosen, lambda env: services_from_environment(PROMPT, env=env)):
        with pytest.raises(ConfigError, match=f"^{name} is no key: ") as caught:
            look(env)
        assert "never" not in str(caught.value) and "seen" not in str(caught.value)
        assert caught.value.__cause__ is caught.value.__context__ is None


def test_white_space_around_a_key_is_none_of_it() -> None:
    """A file's last line break travels along where a shell or a container reads a key from it."""
    built = services_from_environment(PROMPT, env={n: f" {k}\r\n" for n, k in KEYS.items()})
    client: Any = built.llm
    assert client._client.api_key == KEYS["OPENAI_API_KEY"]


def test_the_start_says_what_runs_and_how_to_change_it() -> None:
    """One line names every part, and for an embedded one the key that is missing."""
    line = chosen({"OPENAI_API_KEY": "secret", "TYPESAFE_API_KEY": "secret"})
    assert line == (
        "recogniser: embedded (DEEPGRAM_API_KEY is not set), model: OpenAI, "
        "voice: embedded (CARTESIA_API_KEY is not set), judge: Jev"
    )


def test_a_model_and_a_voice_can_be_named() -> None:
    """OPENAI_MODEL and CARTESIA_VOICE_ID win; the prompt reaches the model."""
    named = services_from_environment(
        PROMPT, env=KEYS | {"OPENAI_MODEL": "small", "CARTESIA_VOICE_ID": "v"}
    )
    assert named.llm._settings.model == "small"
    assert named.llm._settings.system_instruction == PROMPT
    assert named.tts._settings.voice == "v"
    assert services_from_environment(PROMPT, env=KEYS).tts._settings.voice == CARTESIA_VOICE


def test_deepgram_is_told_to_end_no_turns() -> None:
    """As it goes over the wire: interims while a person speaks, no waiting for silence or numbers."""
    built: Any = services_from_environment(PROMPT, env=KEYS).stt
    sent = built._build_connect_kwargs()
    wanted = {"interim_results": "true", "endpointing": "false", "punctuate": "true"}
    wanted |= {"smart_format": "false", "numerals": "false"}
    assert wanted.items() <= sent.items()
    assert "utterance_end_ms" not in sent and "vad_events" not in sent


def test_a_key_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vendor's missing package is no reason to run on something else in silence."""
    monkeypatch.setitem(sys.modules, "pipecat.services.deepgram.stt", None)
    with pytest.raises(ConfigError, match=r"DEEPGRAM_API_KEY is set.*pipecat-jev-turn\[deepgram\]"):
        services_from_environment(PROMPT, env=KEYS)


def test_no_key_and_no_extra_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the vendor nor the embedded part: the error names the key and the extra."""
    monkeypatch.setitem(sys.modules, "jev_turn.embedded.stt", None)
    with pytest.raises(ConfigError, match=r"DEEPGRAM_API_KEY is not set.*extra `embedded`"):
        services_from_environment(PROMPT, env=KEYS | {"DEEPGRAM_API_KEY": ""})
