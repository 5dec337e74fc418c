"""A page to talk to a bot from a browser: one file, nothing from the internet."""

from jev_turn.page.announce import announce
from jev_turn.page.mount import lines, mount

__all__ = ["announce", "lines", "mount"]
