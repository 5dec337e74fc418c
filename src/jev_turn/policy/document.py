"""A policy file's block as settings: the packaged one whole, a bot's own in any part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jev_turn.errors import PolicyFileError
from jev_turn.policy.entry import Entry, Setting
from jev_turn.policy.schema import KNOWN, read_entry, read_parts, read_provenance

SCHEMA = 1

Entries = Mapping[str, Entry]
Settings = Mapping[str, Setting]
_Reader = Callable[[str, object, str], Setting]

_KNOWN = ("schema", "values", "presets", "overrides")
_STRICT = ("value", "provenance")


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings of one origin.

    Attributes:
        values: Settings by key.
        presets: Settings by preset and key.
        overrides: Settings by judge model and key.
    """

    values: Settings = field(default_factory=dict)
    presets: Mapping[str, Settings] = field(default_factory=dict)
    overrides: Mapping[str, Settings] = field(default_factory=dict)


def read_defaults(block: Mapping[str, object], source: str) -> tuple[Entries, Layer]:
    """Read the packaged policy: every entry with all that belongs to it.

    Args:
        block: The file's block.
        source: The file, for errors.

    Returns:
        The entries by key, and the layer of their values.

    Raises:
        PolicyFileError: A key is unknown, missing or has a wrong value.
    """
    tables = read_tables(block, source)
    entries: dict[str, Entry] = {}
    values: dict[str, Setting] = {}
    for key, raw in tables["values"].items():
        entries[key], values[key] = read_entry(key, raw, source)
    for key, entry in entries.items():
        if entry.at_most is not None and entry.at_most not in entries:
            raise PolicyFileError(source, f"{key}.at_most", entry.at_most, "unknown key")

    def stand_in(key: str, raw: object, name: str) -> Setting:
        return read_stand_in(find(entries, key, raw, source), raw, source, name)

    return entries, _layer(tables, values, source, "default", stand_in)


def read_overlay(block: Mapping[str, object], entries: Entries, source: str) -> Layer:
    """Read a bot's own policy file: any part of the packaged one.

    An entry is a bare value, or an object with a value. Unit and range may be repeated and not
    changed, so that a copy of the packaged file is a policy file.

    Args:
        block: The file's block.
        entries: The packaged entries.
        source: The file, for errors and as the source of its settings.

    Returns:
        The layer.

    Raises:
        PolicyFileError: A key is unknown or has a wrong value.
    """
    tables = read_tables(block, source)

    def chosen(key: str, raw: object, name: str) -> Setting:
        return _read_chosen(find(entries, key, raw, source), raw, source, name)

    values = {key: chosen(key, raw, source) for key, raw in tables["values"].items()}
    return _layer(tables, values, source, source, chosen)


def read_tables(block: Mapping[str, object], source: str) -> dict[str, dict[str, object]]:
    """Split a policy block into its three tables.

    Args:
        block: The file's block.
        source: The file, for errors.

    Returns:
        The tables ``values``, ``presets`` and ``overrides``; one that is absent is empty.

    Raises:
        PolicyFileError: A table is unknown or no object, or the schema is another one.
    """
    read_parts("", block, source, _KNOWN, ("schema",))
    if isinstance(block["schema"], bool) or block["schema"] != SCHEMA:
        raise PolicyFileError(source, "schema", block["schema"], f"expected {SCHEMA}")
    return {key: _table(key, block.get(key, {}), source) for key in _KNOWN[1:]}


def read_stand_in(entry: Entry, raw: object, source: str, name: str) -> Setting:
    """Read a packaged preset's or override's value, which has its own provenance.

    Args:
        entry: The entry whose value it replaces.
        raw: A JSON object with ``value`` and ``provenance``.
        source: The file, for errors.
        name: The setting's source.

    Returns:
        The setting.

    Raises:
        PolicyFileError: A part is unknown, missing or wrong.
    """
    parts = read_parts(entry.key, raw, source, _STRICT, _STRICT)
    value = entry.check(parts["value"], source)
    return Setting(value, name, read_provenance(entry.key, parts, source))


def find(entries: Entries, key: str, value: object, source: str) -> Entry:
    """Return the entry of ``key``, or refuse the key."""
    if key not in entries:
        raise PolicyFileError(source, key, value, "unknown key")
    return entries[key]


def _read_chosen(entry: Entry, raw: object, source: str, name: str) -> Setting:
    chosen = f"chosen: {name}"
    if not isinstance(raw, dict) or "value" not in raw:
        return Setting(entry.check(raw, source), name, chosen)
    parts = read_parts(entry.key, raw, source, KNOWN, ())
    for part, own in entry.describe().items():
        if part in parts and parts[part] != own:
            raise PolicyFileError(
                source, f"{entry.key}.{part}", parts[part], f"is {own!r} and cannot be changed"
            )
    value = entry.check(parts["value"], source)
    if "provenance" in parts:
        chosen = read_provenance(entry.key, parts, source)
    return Setting(value, name, chosen)


def _layer(
    tables: Mapping[str, dict[str, object]],
    values: Settings,
    source: str,
    name: str,
    read: _Reader,
) -> Layer:
    found: dict[str, dict[str, Settings]] = {"presets": {}, "overrides": {}}
    for kind, groups in found.items():
        for group, raw in tables[kind].items():
            label = f"preset {group}" if kind == "presets" else f"{name} for {group}"
            groups[group] = _group(f"{kind}.{group}", raw, source, label, read)
    return Layer(values, **found)


def _group(path: str, raw: object, source: str, name: str, read: _Reader) -> Settings:
    table = _table(path, raw, source)
    try:
        return {key: read(key, value, name) for key, value in table.items()}
    except PolicyFileError as error:
        key = f"{path}.{error.key}"
        raise PolicyFileError(error.source, key, error.value, error.reason) from error


def _table(key: str, raw: object, source: str) -> dict[str, object]:
    if not isinstance(raw, dict):
        raise PolicyFileError(source, key, raw, "expected a JSON object")
    return raw
