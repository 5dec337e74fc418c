"""Pairs of settings of which one may not exceed the other (``at_most`` in the policy file)."""

from __future__ import annotations

from jev_turn.errors import PolicyFileError
from jev_turn.policy.document import Entries, Settings


def out_of_order(entries: Entries, settings: Settings) -> tuple[str, str] | None:
    """Find a pair that contradicts itself.

    Args:
        entries: The packaged entries.
        settings: A setting for each of them.

    Returns:
        The key that is too high and the key that bounds it, or ``None``.
    """
    for key, entry in entries.items():
        if entry.at_most is not None:
            low, high = settings[key].value, settings[entry.at_most].value
            if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
                return key, entry.at_most
    return None


def check_order(entries: Entries, settings: Settings) -> None:
    """Refuse settings of which a pair contradicts itself.

    Args:
        entries: The packaged entries.
        settings: A setting for each of them.

    Raises:
        PolicyFileError: One is above the one that bounds it.
    """
    if pair := out_of_order(entries, settings):
        low, high = (settings[key] for key in pair)
        reason = f"is above {pair[1]} ({high.value!r}, {high.source})"
        raise PolicyFileError(low.source, pair[0], low.value, reason)
