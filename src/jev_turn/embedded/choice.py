"""Which embedded recogniser a service gets: the one that is named, else the one that is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Literal, cast, get_args

from jev_turn.embedded.recogniser import CheckedRecogniser, EmbeddedRecogniser
from jev_turn.embedded.whisper import WhisperRecogniser
from jev_turn.errors import ConfigError

RecogniserName = Literal["moonshine", "whisper"]
RECOGNISER_ENV = "JEV_RECOGNISER"

_MAKERS: dict[RecogniserName, Callable[[], CheckedRecogniser]] = {
    "moonshine": EmbeddedRecogniser,
    "whisper": WhisperRecogniser,
}


def recogniser_for(
    name: RecogniserName | None = None, *, env: Mapping[str, str] | None = None
) -> CheckedRecogniser:
    """Load a recogniser.

    Args:
        name: Which; without it ``JEV_RECOGNISER``, else Moonshine where it is installed and
            Whisper where it is not.
        env: In place of the process environment.

    Raises:
        ConfigError: There is none of this name, it is not installed, or none is.
    """
    named = name or (os.environ if env is None else env).get(RECOGNISER_ENV, "").strip()
    if named:
        return _MAKERS[_checked(named, "recogniser" if name else RECOGNISER_ENV)]()
    try:
        return _MAKERS["moonshine"]()
    except ConfigError as no_moonshine:
        try:
            return _MAKERS["whisper"]()
        except ConfigError as no_whisper:
            raise ConfigError(f"{no_moonshine} Or else: {no_whisper}") from no_moonshine


def _checked(name: str, source: str) -> RecogniserName:
    if name not in get_args(RecogniserName):
        known = ", ".join(get_args(RecogniserName))
        raise ConfigError(f"{source}={name!r}: there is {known}")
    return cast(RecogniserName, name)
