"""Reading the record of a call."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sample_call import sample_call

from jev_turn.record import CallRecord, RecordError, read

GOOD = '{"v":1,"t":7,"kind":"bot","state":"start"}'
TORN = {"v": 1, "t": 7, "kind": "note", "note": "torn_line", "numbers": {"line": 2}}


def _file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "call.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """A record comes back as it was, field by field."""
    with CallRecord(tmp_path / "call.jsonl", words=True) as record:
        for line in sample_call():
            fields = {key: value for key, value in line.items() if key not in ("v", "t", "kind")}
            record.write(line["kind"], line["t"], **fields)
    assert read(tmp_path / "call.jsonl") == sample_call()


@pytest.mark.parametrize(
    "torn", ['{"v":1,"t":8,"kin', '{"v":1,"t":8,"kind":"final","text":"\u00e9'.encode()[:-1], "{"]
)
def test_a_torn_last_line_is_reported(tmp_path: Path, torn: str | bytes) -> None:
    """A crash tears the last line, even inside a letter; the call before it can be seen."""
    tail = torn if isinstance(torn, bytes) else torn.encode()
    records = read(_file(tmp_path, GOOD.encode() + b"\n" + tail))
    assert len(records) == 2 and records[1] == TORN


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path: Path) -> None:
    """The line is whole when the newline alone is missing."""
    assert [record["kind"] for record in read(_file(tmp_path, f"{GOOD}\n{GOOD}"))] == ["bot"] * 2


def test_a_broken_line_inside_is_an_error(tmp_path: Path) -> None:
    """Only the last line may be torn; elsewhere it is damage. File and line are named."""
    with pytest.raises(RecordError, match=r"call\.jsonl: line 2: not JSON"):
        read(_file(tmp_path, f'{GOOD}\n{{"v":1,\n{GOOD}\n'))


def test_an_unknown_version_is_a_clear_error(tmp_path: Path) -> None:
    """A newer record is not guessed at."""
    path = _file(tmp_path, GOOD.replace('"v":1', '"v":2') + "\n")
    with pytest.raises(RecordError, match=r"line 1: v: schema version 2 is unknown, 1 is known"):
        read(path)


def test_an_unknown_key_is_an_error(tmp_path: Path) -> None:
    """The schema is the whole truth about a line; file, line and key are named."""
    path = _file(tmp_path, GOOD + "\n" + GOOD.replace('"state"', '"mood":1,"state"') + "\n")
    with pytest.raises(RecordError, match=r"call\.jsonl: line 2: bot\.mood"):
        read(path)


def test_a_call_that_crashed_at_once_is_empty(tmp_path: Path) -> None:
    """An empty file is a record without lines."""
    assert read(_file(tmp_path, "")) == []
