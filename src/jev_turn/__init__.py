"""Turn-taking for voice agents, decided by TypeSafe's Jev, as Pipecat processors.

Importing this package imports nothing else of it; take what you need from its modules:

* ``jev_turn.assembly``: builds a bot's processors.
* ``jev_turn.processors``: the processors one by one.
* ``jev_turn.judges``: who answers the questions.
* ``jev_turn.policy``: the questions and every number.
* ``jev_turn.turn``: the turn machine; standard library only.

It also asks onnxruntime, which Pipecat brings along, to tell its maker nothing. Set
``ORT_DISABLE_TELEMETRY=0`` to let it.
"""

import os

__all__ = ["__version__"]

# From 1.29 on its official builds for Linux and macOS report each process and model they load. The
# decision falls when onnxruntime is imported, which Pipecat does only for a VAD or Smart Turn.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def __getattr__(name: str) -> str:
    """Looks the version up only when somebody asks for it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("pipecat-jev-turn")
