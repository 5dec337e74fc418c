"""Asks about what no program can see: who and what else is near the microphone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from pipecat.transports.base_transport import BaseTransport

from jev_turn.errors import ConfigError
from jev_turn.processors.mic_gate import wants_mic_gate

CONFIRMED_ENV = "JEV_TURN_SETUP_CONFIRMED"
QUESTION = (
    "This connection has no echo cancellation. Muting the microphone keeps the bot's own voice out, "
    "but not a second device, a television or other people.\n"
    "Is only one person near the microphone, and no other device that plays this bot? [y/N] "
)


def confirm_microphone(
    transport: BaseTransport,
    *,
    confirmed: bool | None = None,
    ask: Callable[[str], str] = input,
    env: Mapping[str, str] | None = None,
) -> None:
    """Have the set-up confirmed before a microphone without echo cancellation opens.

    Call it each time, before the pipeline starts. Where the connection cancels echo it does
    nothing. (requirements: S2-M07)

    Args:
        transport: The bot's.
        confirmed: The answer of a bot that has nobody to ask; ``None`` asks on the terminal, or
            takes ``JEV_TURN_SETUP_CONFIRMED=yes``.
        ask: Prints a question and returns one line.
        env: In place of the process environment.

    Raises:
        ConfigError: The answer was not yes, or there was nobody to ask.
    """
    if not wants_mic_gate(transport):
        return
    env = os.environ if env is None else env
    if confirmed is None and env.get(CONFIRMED_ENV, "").strip():
        confirmed = _yes(env[CONFIRMED_ENV], CONFIRMED_ENV)
    if confirmed is None:
        confirmed = _answer(ask)
    if not confirmed:
        raise ConfigError("the microphone stays closed: its set-up was not confirmed")


def _answer(ask: Callable[[str], str]) -> bool:
    if ask is input and not _has_terminal():
        raise ConfigError(
            "the microphone has no echo cancellation, and there is no terminal to ask about it: "
            f"set {CONFIRMED_ENV}=yes, or call confirm_microphone(..., confirmed=True)"
        )
    try:
        return _is_yes(ask(QUESTION))
    except EOFError:
        return False


def _has_terminal() -> bool:
    # Either is None where the process began with it closed.
    return sys.stdout is not None and sys.stdin is not None and sys.stdin.isatty()


def _yes(value: str, name: str) -> bool:
    if value.strip().lower() in ("n", "no", "0", "false"):
        return False
    if _is_yes(value):
        return True
    raise ConfigError(f"environment {name}: {value!r} is neither yes nor no")


def _is_yes(text: str) -> bool:
    return text.strip().lower() in ("y", "yes", "1", "true")
