"""Which recogniser runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import pytest

from jev_turn.embedded import choice
from jev_turn.embedded.choice import RecogniserName, recogniser_for
from jev_turn.errors import ConfigError

NAMES: tuple[RecogniserName, ...] = get_args(RecogniserName)
LOADED: dict[RecogniserName, object] = {name: object() for name in NAMES}


def maker(name: RecogniserName, installed: Sequence[RecogniserName]) -> Callable[[], object]:
    """Return what loads a recogniser, or says that it is not installed."""

    def make() -> object:
        if name not in installed:
            raise ConfigError(f"{name} is needed.")
        return LOADED[name]

    return make


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what installs the named recognisers and no other."""

    def only(*installed: RecogniserName) -> None:
        monkeypatch.setattr(choice, "_MAKERS", {name: maker(name, installed) for name in NAMES})

    return only


@pytest.mark.parametrize(
    ("installed", "runs"),
    [
        (["moonshine", "whisper"], "moonshine"),
        (["moonshine"], "moonshine"),
        (["whisper"], "whisper"),
    ],
)
def test_without_a_name_the_one_that_is_there_runs(
    install: Callable[..., None], installed: list[RecogniserName], runs: RecogniserName
) -> None:
    """Moonshine first: it is the faster one."""
    install(*installed)
    assert recogniser_for(env={}) is LOADED[runs]


@pytest.mark.parametrize(
    ("name", "env"),
    [
        ("whisper", {}),
        ("whisper", {"JEV_RECOGNISER": "moonshine"}),
        (None, {"JEV_RECOGNISER": " whisper "}),
    ],
)
def test_a_name_wins(
    install: Callable[..., None], name: RecogniserName | None, env: Mapping[str, str]
) -> None:
    """An argument before the environment, and both before what happens to be installed."""
    install("moonshine", "whisper")
    assert recogniser_for(name, env=env) is LOADED["whisper"]


def test_a_named_one_that_is_missing_is_not_exchanged(install: Callable[..., None]) -> None:
    """Who asks for one does not get the other."""
    install("moonshine")
    with pytest.raises(ConfigError, match="whisper is needed"):
        recogniser_for("whisper")


def test_with_none_the_error_names_both(install: Callable[..., None]) -> None:
    """Either would do."""
    install()
    with pytest.raises(ConfigError, match=r"moonshine is needed.*whisper is needed"):
        recogniser_for(env={})


def test_an_unknown_name_is_refused_with_its_source() -> None:
    """The message names the variable, its value and what there is."""
    with pytest.raises(ConfigError, match="JEV_RECOGNISER='large': there is moonshine, whisper"):
        recogniser_for(env={"JEV_RECOGNISER": "large"})
