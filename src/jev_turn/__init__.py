"""Turn-taking for voice agents, decided by TypeSafe's Jev, as Pipecat processors.

Importing this package imports nothing else; take what you need from its modules:

* ``jev_turn.assembly``: builds a bot's processors.
* ``jev_turn.processors``: the processors one by one.
* ``jev_turn.judges``: who answers the questions.
* ``jev_turn.policy``: the questions and every number.
* ``jev_turn.turn``: the turn machine; standard library only.
"""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """Looks the version up only when somebody asks for it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("pipecat-jev-turn")
