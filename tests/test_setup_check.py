"""The set-up of a microphone without echo cancellation is confirmed before it opens."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from pipecat.transports.base_transport import BaseTransport

from jev_turn.errors import ConfigError
from jev_turn.setup_check import CONFIRMED_ENV, confirm_microphone


class Local(BaseTransport):
    """A transport that nobody knows."""

    def input(self) -> Any: ...
    def output(self) -> Any: ...


class Browser(Local):
    """A transport with echo cancellation."""


Browser.__module__ = "pipecat.transports.smallwebrtc.transport"


class Person:
    """Answers, and counts how often it was asked."""

    def __init__(self, answer: str) -> None:
        self.asked: list[str] = []
        self._answer = answer

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        return self._answer


@pytest.mark.parametrize("answer", ["y", "Yes", " yes "])
def test_a_yes_opens_the_microphone_and_is_asked_for_every_time(answer: str) -> None:
    """M07: yesterday's room is not today's."""
    person = Person(answer)
    confirm_microphone(Local(), ask=person, env={})
    confirm_microphone(Local(), ask=person, env={})
    assert len(person.asked) == 2


@pytest.mark.parametrize("answer", ["", "n", "maybe"])
def test_anything_else_keeps_it_closed(answer: str) -> None:
    """M07: an answer that is no yes is a no here, for the bot would hear what it should not."""
    with pytest.raises(ConfigError, match="was not confirmed"):
        confirm_microphone(Local(), ask=Person(answer), env={})


def test_where_echo_is_cancelled_nobody_is_asked() -> None:
    """A question without a reason is answered without thought."""
    person = Person("n")
    confirm_microphone(Browser(), ask=person, env={})
    assert person.asked == []


def test_a_bot_without_a_terminal_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a line that nobody can type would hang the start."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(ConfigError, match=f"{CONFIRMED_ENV}=yes"):
        confirm_microphone(Local(), env={})


@pytest.mark.parametrize("name", ["stdin", "stdout"])
def test_a_bot_whose_streams_are_closed_says_what_to_set(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service manager may start it with none at all."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, name, None)
    with pytest.raises(ConfigError, match=f"{CONFIRMED_ENV}=yes"):
        confirm_microphone(Local(), env={})


@pytest.mark.parametrize(("value", "opens"), [("yes", True), ("1", True), ("no", False)])
def test_the_environment_answers_for_a_server(value: str, opens: bool) -> None:
    """A container has no terminal."""
    person = Person("y")
    try:
        confirm_microphone(Local(), ask=person, env={CONFIRMED_ENV: value})
    except ConfigError:
        assert not opens
    else:
        assert opens
    assert person.asked == []


def test_an_answer_that_is_neither_names_its_source() -> None:
    """A typing error must not be taken for either."""
    with pytest.raises(ConfigError, match=f"{CONFIRMED_ENV}: 'yse'"):
        confirm_microphone(Local(), env={CONFIRMED_ENV: "yse"})


def test_the_bots_own_argument_counts_first() -> None:
    """Whoever calls it has asked in another way."""
    confirm_microphone(Local(), confirmed=True, env={CONFIRMED_ENV: "no"})
