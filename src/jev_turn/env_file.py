"""Settings from a file ``.env``, for what is started by hand."""

from __future__ import annotations

from dotenv import find_dotenv, load_dotenv


def read_env_file() -> None:
    """Read the ``.env`` of the working directory or of the nearest folder above it, if there is one.

    What the environment has already wins. Pipecat's runner looks above its own installation only,
    which finds nothing unless the virtual environment is inside the project.
    """
    load_dotenv(find_dotenv(usecwd=True))
