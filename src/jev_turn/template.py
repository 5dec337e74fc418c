"""Writes a bot for somebody who installed the package: one of ours, to be changed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from jev_turn.errors import ConfigError

Kind = Literal["duplex", "finish-turn"]

_PACKED = Path(__file__).with_name("templates")
_CHECKOUTS_OWN = re.compile(
    r"`make bot[^`]*`, or `python bots/\w+\.py` and the address that it prints\. "
)
"""How a bot is run from a checkout, which whoever installed the package has not."""

_CHECKOUT = Path(__file__).parents[2] / "bots"


def template(kind: Kind) -> str:
    """Return a bot's source: the file that is in `bots/` of the project.

    Args:
        kind: How it takes turns.
    """
    folder = _PACKED if _PACKED.is_dir() else _CHECKOUT
    source = (folder / f"{kind.replace('-', '_')}.py").read_text(encoding="utf-8")
    return _CHECKOUTS_OWN.sub("Run it and open the address that it prints. ", source)


def write_bot(kind: Kind, file: Path) -> None:
    """Write a bot to a new file.

    Args:
        kind: How it takes turns.
        file: Where; nothing is ever overwritten.

    Raises:
        ConfigError: There is such a file, or it cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(template(kind))
    except FileExistsError:
        raise ConfigError(f"{file}: exists, and is left as it is") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None
