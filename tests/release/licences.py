"""Tells under which licences the installed packages stand; 1 if one asks more than to be named.

Usage: licences.py, with the Python of the environment to look at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.metadata import Distribution, distributions

STRONG = re.compile(r"\b(A?GPL|Affero|GNU General Public)", re.IGNORECASE)
WEAK = re.compile(r"\b(LGPL|Lesser|MPL|Mozilla)", re.IGNORECASE)
OURS = "pipecat-jev-turn"


def licence(found: Distribution) -> str:
    """Return what a package says of its licence, the newest way of saying it first."""
    said = found.metadata
    if expression := said.get_all("License-Expression"):
        return str(expression[0])
    classifiers = said.get_all("Classifier") or []
    names = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::")]
    names = [name for name in names if name != "OSI Approved"]
    free = "".join(said.get_all("License") or []).strip().splitlines()
    return " AND ".join(names) or (free[0] if free else "")


def kind(name: str) -> str:
    """Sort a licence: an exact "or" leaves the choice."""
    if not name or name.upper() == "UNKNOWN":
        return "unsaid"
    if all(STRONG.search(part) and not WEAK.search(part) for part in name.split(" OR ")):
        return "strong copyleft"
    return "weak copyleft" if WEAK.search(name) else "permissive"


def main() -> int:
    """Print the kinds, and the packages of those that somebody should know."""
    found = defaultdict(list)
    for one in distributions():
        name = one.metadata["Name"]
        if name != OURS:
            found[kind(licence(one))].append(f"{name} ({licence(one) or 'nothing'})")
    for what, names in sorted(found.items()):
        shown = "" if what == "permissive" else ": " + ", ".join(sorted(set(names)))
        print(f"licences: {len(names)} {what}{shown}")
    return 1 if found["strong copyleft"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
