"""Writing the record of a call."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from jev_turn.record import CallRecord, Record, RecordError, private, read

SPOKEN: list[tuple[str, dict[str, Any]]] = [
    ("partial", {"segment": 0, "text": "my pin"}),
    ("final", {"segment": 0, "text": "my pin is secret"}),
    ("spoken", {"text": "secret"}),
    ("ask", {"ask": 1, "bundle": "listening", "quiet_ms": 0, "text": "my secret pin"}),
    ("effect", {"name": "EndTurn", "why": "complete", "text": "my pin is secret"}),
    ("note", {"note": "stale", "detail": "secret"}),
]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    """The file is made 0600 and its folder 0700, from the first moment."""
    with CallRecord(tmp_path / "calls" / "1.jsonl", words=True):
        assert _mode(tmp_path / "calls" / "1.jsonl") == 0o600
        assert _mode(tmp_path / "calls") == 0o700


def test_an_old_file_does_not_decide_who_reads_the_new_one(tmp_path: Path) -> None:
    """A file that everybody may read is replaced, not filled."""
    path = tmp_path / "1.jsonl"
    path.write_text("old")
    path.chmod(0o644)
    CallRecord(path, words=True).close()
    assert (_mode(path), path.read_text()) == (0o600, "")


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """Whoever can write into the folder cannot choose where the words go."""
    (tmp_path / "elsewhere").write_text("untouched")
    (tmp_path / "1.jsonl").symlink_to(tmp_path / "elsewhere")
    with CallRecord(tmp_path / "1.jsonl", words=True) as record:
        record.write("end", 0)
    assert (tmp_path / "elsewhere").read_text() == "untouched"


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    """What is no file is left alone."""
    with pytest.raises(FileExistsError):
        CallRecord(tmp_path, words=True)


@pytest.mark.parametrize(("kind", "fields"), SPOKEN)
def test_without_words_nothing_said_is_kept(
    tmp_path: Path, kind: str, fields: dict[str, Any]
) -> None:
    """Every text is null, in the file, in memory and for whoever listens."""
    seen: list[Record] = []
    with CallRecord(tmp_path / "1.jsonl", words=False, on_write=seen.append) as record:
        record.write(kind, 0, **fields)
    everything = (tmp_path / "1.jsonl").read_text() + repr(record.records) + repr(seen)
    assert "secret" not in everything and "pin" not in everything


def test_words_are_counted_whether_they_are_kept_or_not() -> None:
    """How much was said may be known."""
    for words in (True, False):
        record = CallRecord(None, words=words)
        record.write("final", 0, segment=0, text="my pin is  secret")
        assert record.records[0]["words"] == 4


def test_with_words_the_text_is_kept() -> None:
    """The demo shows what was said."""
    record = CallRecord(None, words=True)
    record.write("final", 5, segment=0, text="yes")
    line = {"v": 1, "t": 5, "kind": "final", "segment": 0, "text": "yes", "words": 1}
    assert record.records == [line]


def test_the_call_line_says_whether_words_are_kept() -> None:
    """A record without words can be told from a silent call."""
    record = CallRecord(None, words=False)
    record.write("call", 0, name="one", models={}, policy={})
    assert (record.records[0]["words"], record.records[0]["schema"]) == (False, 1)


def test_levels_are_buffered_and_what_happened_is_not(tmp_path: Path) -> None:
    """Twenty levels a second are not twenty writes; a killed process leaves why it did what."""
    path = tmp_path / "1.jsonl"
    with CallRecord(path, words=True) as record:
        record.write("level", 0, rms=0.1, floor=0.1, gate=0.1, open=False)
        assert path.read_bytes() == b""
        record.write("bot", 0, state="start")
        assert len(path.read_bytes().splitlines()) == 2


def test_closing_writes_what_is_buffered(tmp_path: Path) -> None:
    """A call without its ``end`` line loses nothing when the record is closed."""
    record = CallRecord(tmp_path / "1.jsonl", words=True)
    record.write("level", 0, rms=0.1, floor=0.1, gate=0.1, open=False)
    record.close()
    assert read(tmp_path / "1.jsonl") == record.records


def test_a_long_call_need_not_stay_in_memory(tmp_path: Path) -> None:
    """``keep`` off leaves only the file."""
    with CallRecord(tmp_path / "1.jsonl", words=True, keep=False) as record:
        record.write("bot", 0, state="start")
    assert record.records == [] and len(read(tmp_path / "1.jsonl")) == 1


def test_levels_are_rounded_and_scores_are_not() -> None:
    """A score rounded up to its threshold would replay as another decision."""
    record = CallRecord(None, words=True)
    record.write("level", 0, rms=0.12345678, floor=0.001, gate=0.006, open=False)
    scores = {"probabilities": {"turn_complete": 0.71999999}, "thresholds": {}}
    record.write("verdict", 0, ask=1, latency_ms=1, **scores)
    assert record.records[0]["rms"] == 0.123457
    assert record.records[1]["probabilities"]["turn_complete"] == 0.71999999


def test_a_wrong_line_is_refused_and_not_written() -> None:
    """The writer follows the schema as strictly as the reader."""
    record = CallRecord(None, words=True)
    with pytest.raises(RecordError, match=r"bot\.state: 'asleep' is not one of"):
        record.write("bot", 0, state="asleep")
    assert record.records == []


def test_any_text_can_be_written(tmp_path: Path) -> None:
    """A recogniser's odd characters (half a surrogate pair, a line separator) break no line."""
    with CallRecord(tmp_path / "1.jsonl", words=True) as record:
        record.write("final", 0, segment=0, text="a\ud800b\u2028c\n\x00\u00e9")
    assert read(tmp_path / "1.jsonl") == record.records


def test_a_full_disk_does_not_end_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The file ends, is logged once, and the record goes on in memory."""
    monkeypatch.setattr(private, "create", _full_disk)
    with caplog.at_level(logging.ERROR), CallRecord(tmp_path / "1.jsonl", words=True) as record:
        for at_ms in range(3):
            record.write("end", at_ms)
    assert len(record.records) == 3 and isinstance(record.broken, OSError)
    assert len(caplog.records) == 1


def _full_disk(path: Path) -> BinaryIO:
    file = open("/dev/full", "wb")  # noqa: SIM115
    return file


def test_a_line_is_compact_json(tmp_path: Path) -> None:
    """One object per line, without blanks: a call is some hundred kilobytes and not a megabyte."""
    with CallRecord(tmp_path / "1.jsonl", words=True) as record:
        record.write("bot", 0, state="start")
    text = (tmp_path / "1.jsonl").read_text()
    assert text == '{"v":1,"t":0,"kind":"bot","state":"start"}\n'
    assert json.loads(text) == record.records[0]
