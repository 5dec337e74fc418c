"""One fenced JSON block per file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.policy_files import refusal

from jev_turn.policy.block import parse_block, read_block

FENCE = '```json\n{"a": 1}\n```\n'


def test_the_block_is_read_and_prose_is_not() -> None:
    """Everything around the one block is free."""
    assert parse_block(f"# A\n\ntext `a` ``` inline ``` b\n\n{FENCE}\n* end", "f.md") == {"a": 1}


@pytest.mark.parametrize("fence", ['~~~json\n{"a": 1}\n~~~', '````json\n{"a": 1}\n`````', FENCE])
def test_any_markdown_fence_serves(fence: str) -> None:
    """Tildes and longer fences are fences; one closes with at least as many marks."""
    assert parse_block(fence, "f.md") == {"a": 1}


def test_line_ends_of_other_systems_make_no_difference() -> None:
    """A checkout with carriage returns holds the same block."""
    assert parse_block(FENCE.replace("\n", "\r\n"), "f.md") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("prose", 0, "exactly one"),
        (FENCE * 2, 2, "exactly one"),
        (FENCE + "```text\nhello\n```\n", 2, "exactly one"),
        ("```\n{}\n```", "", "marked json"),
        ("```yaml\na: 1\n```", "yaml", "marked json"),
        ("a\n```json\n{}\n", 2, "never ends"),
        ("```json\n[1]\n```", [1], "JSON object"),
        ("```json\n```", "", "not JSON"),
        ('\n\n```json\n{\n  "a" 1\n}\n```', '"a" 1', "(line 5)"),
        ('```json\n{"a": 1} // why\n```', '{"a": 1} // why', "not JSON"),
    ],
)
def test_anything_but_one_json_block_is_refused(text: str, value: object, reason: str) -> None:
    """No block, two, another language, an open end, no object, bad JSON with its line."""
    error = refusal(lambda: parse_block(text, "f.md"))
    assert (error.source, error.value) == ("f.md", value)
    assert reason in error.reason


def test_a_key_that_occurs_twice_is_refused_at_any_depth() -> None:
    """JSON readers keep the last of two silently; a policy must not."""
    error = refusal(lambda: parse_block('```json\n{"a": {"b": 1, "b": 2}}\n```', "f.md"))
    assert (error.source, error.key, error.value) == ("f.md", "b", 2)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The message begins with the path."""
    assert str(refusal(lambda: read_block(tmp_path / "no.md"))).startswith(str(tmp_path / "no.md"))


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """No guess at another encoding: half the phrases would silently never match."""
    (tmp_path / "a.md").write_bytes('```json\n{"a": "hör auf"}\n```'.encode("latin-1"))
    assert "UTF-8" in refusal(lambda: read_block(tmp_path / "a.md")).reason


def test_text_outside_ascii_is_kept(tmp_path: Path) -> None:
    """Files are UTF-8 whatever the machine's own encoding is."""
    (tmp_path / "a.md").write_text(f"```json\n{json.dumps({'a': 'hör auf'}, ensure_ascii=False)}\n```",
                                   encoding="utf-8")  # fmt: skip
    assert read_block(tmp_path / "a.md") == {"a": "hör auf"}
