"""Where settings come from: request over environment over preset over file over default."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jev_turn.errors import PolicyFileError
from jev_turn.policy.block import read_block
from jev_turn.policy.document import Entries, Layer, Settings, read_defaults, read_overlay
from jev_turn.policy.entry import Setting
from jev_turn.policy.policy import Policy
from jev_turn.policy.sources import from_environment, from_request, from_sets

QUESTIONS = Path(__file__).parent.parent / "questions"
"""The packaged question and policy files."""


def load_policy(
    *,
    file: Path | None = None,
    env: Mapping[str, str] | None = None,
    sets: Sequence[str] = (),
    request: Mapping[str, object] | None = None,
    preset: str | None = None,
) -> Policy:
    """Load the settings in force.

    Args:
        file: A policy file of the bot's own, in any part.
        env: The environment; the process's own if ``None``.
        sets: ``key=value`` options. They count as request, and win over ``request``.
        request: Dotted keys and values that the caller sets.
        preset: A group of values by name, from the packaged or the bot's file.

    Returns:
        The policy.

    Raises:
        PolicyFileError: Anything in these is unknown, wrong or contradicts another value.
    """
    entries, defaults = _packaged()
    layers = [defaults]
    if file is not None:
        layers.append(read_overlay(read_block(file), entries, str(file)))
    if preset is not None:
        layers.append(Layer(_preset(layers, preset)))
    layers.append(Layer(from_environment(os.environ if env is None else env, entries)))
    layers.append(Layer(from_request(request or {}, entries, "request")))
    layers.append(Layer(from_sets(sets, entries)))
    return Policy(entries, tuple(layers))


@cache
def _packaged() -> tuple[Entries, Layer]:
    path = QUESTIONS / "policy.md"
    return read_defaults(read_block(path), str(path))


def _preset(layers: Sequence[Layer], name: str) -> Settings:
    known = {preset for layer in layers for preset in layer.presets}
    if name not in known:
        raise PolicyFileError("preset", "", name, f"unknown; known: {', '.join(sorted(known))}")
    found: dict[str, Setting] = {}
    for layer in layers:
        found |= layer.presets.get(name, {})
    return found
