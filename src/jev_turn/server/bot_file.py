"""Loads a bot by Pipecat's convention: a file with ``async def bot(runner_args)``."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from jev_turn.errors import ConfigError


def load_bot_file(path: Path) -> ModuleType:
    """Run a bot file.

    Its folder is on the import path from then on, as it is when the file is run by itself.

    Args:
        path: The file.

    Returns:
        Its module, which has ``bot``; it may have ``mount(app)`` for routes of its own, and
        ``BARGE_IN = False`` when nothing interrupts the bot, so that the page asks for other lines.

    Raises:
        ConfigError: There is no such file, or no such function in it.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    if not inspect.iscoroutinefunction(getattr(module, "bot", None)):
        raise ConfigError(f"{path}: has no `async def bot(runner_args)`")
    return module
