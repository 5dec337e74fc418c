"""Files that only their owner may read, from their first byte on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def create(path: Path) -> BinaryIO:
    """Create ``path`` for writing, mode 0600, in a folder made with mode 0700.

    A file of that name is replaced, so that neither its mode nor a link decides who can read the
    new one. A folder that exists keeps its mode; what is no file (a device, a folder) is left alone
    and an error.

    Args:
        path: The file.

    Returns:
        The open file, buffered.

    Raises:
        OSError: When it cannot be created.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
