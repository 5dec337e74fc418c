"""Values that a bot's author sets outside files: environment, ``--set``, a request's mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jev_turn.errors import PolicyFileError
from jev_turn.policy.document import Entries, Settings, find
from jev_turn.policy.entry import Entry, Setting

PREFIX = "JEV_TURN_"
SHORT_NAMES = {
    "JEV_EOS_THRESHOLD": "turn.eos_threshold",
    "JEV_ADDRESSEE_THRESHOLD": "turn.addressee_threshold",
    "JEV_BARGE_IN_THRESHOLD": "turn.barge_in_threshold",
}


def environment_name(key: str) -> str:
    """Return the environment variable of a dotted key.

    Args:
        key: ``turn.cap_ms``, for example.

    Returns:
        Its name, here ``JEV_TURN_TURN_CAP_MS``.
    """
    return PREFIX + key.replace(".", "_").upper()


def from_environment(env: Mapping[str, str], entries: Entries) -> Settings:
    """Read every setting that the environment names; an empty value is no value.

    Args:
        env: The environment.
        entries: The packaged entries.

    Returns:
        Settings by key.

    Raises:
        PolicyFileError: A value is wrong, a name in one of our sections is unknown, or the short
            and the long name of one key disagree.
    """
    found: dict[str, Setting] = {}
    for name, entry in _named(env, entries):
        setting = Setting(entry.parse(env[name], name), f"environment {name}", f"chosen: {name}")
        other = found.setdefault(entry.key, setting)
        if other.value != setting.value:
            raise PolicyFileError(name, entry.key, env[name], f"but {other.source} says otherwise")
    return found


def from_sets(sets: Sequence[str], entries: Entries) -> Settings:
    """Read ``key=value`` options; a later one wins.

    Args:
        sets: What followed each ``--set``.
        entries: The packaged entries.

    Returns:
        Settings by key.

    Raises:
        PolicyFileError: An option has no ``=``, an unknown key or a wrong value.
    """
    found: dict[str, Setting] = {}
    for text in sets:
        key, equals, value = text.partition("=")
        if not equals:
            raise PolicyFileError("--set", "", text, "expected key=value")
        entry = find(entries, key.strip(), value, "--set")
        found[entry.key] = Setting(entry.parse(value, "--set"), "--set", "chosen: --set")
    return found


def from_request(request: Mapping[str, object], entries: Entries, source: str) -> Settings:
    """Read a mapping of dotted keys to JSON values.

    Args:
        request: The mapping.
        entries: The packaged entries.
        source: What the settings give as their source, and errors too.

    Returns:
        Settings by key.

    Raises:
        PolicyFileError: A key is unknown or a value is wrong.
    """
    return {
        key: Setting(
            find(entries, key, raw, source).check(raw, source), source, f"chosen: {source}"
        )
        for key, raw in request.items()
    }


def _named(env: Mapping[str, str], entries: Entries) -> Iterator[tuple[str, Entry]]:
    names = {environment_name(key): key for key in entries} | SHORT_NAMES
    sections = tuple(environment_name(f"{key.split('.')[0]}.") for key in entries)
    for name, text in sorted(env.items()):
        if name in names and text.strip():
            yield name, entries[names[name]]
        elif name not in names and name.startswith(sections):
            raise PolicyFileError(name, "", text, "no setting has this name")
