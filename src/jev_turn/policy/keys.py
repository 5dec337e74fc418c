"""Which dotted key a field of a typed config is filled from."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import fields
from typing import Any

SHARED = ("turn", "ear")
"""Configs may have fields that mean what the key of the same name in one of these means."""

Sections = tuple[str, ...]


def config_classes() -> dict[type[Any], Sections]:
    """Return each config class with the sections whose keys are all its own."""
    from jev_turn.dsp.config import GateConfig
    from jev_turn.judges.config import JudgeConfig
    from jev_turn.replies.config import MouthConfig, ReplyConfig
    from jev_turn.turn.config import TurnConfig

    return {
        TurnConfig: ("turn",),
        GateConfig: ("gate",),
        JudgeConfig: ("judge",),
        ReplyConfig: ("ear", "replies"),
        MouthConfig: ("mouth",),
    }


def keys_by_field(config: type[Any], sections: Sections, known: Container[str]) -> dict[str, str]:
    """Return the key of each field.

    Args:
        config: The config class.
        sections: The sections whose keys are its own.
        known: The keys that there are.

    Returns:
        Keys by field name; for a field without any key, the one that is missing.
    """
    found = {}
    for field in fields(config):
        keys = [f"{section}.{field.name}" for section in (*sections, *SHARED)]
        found[field.name] = next((key for key in keys if key in known), keys[0])
    return found
