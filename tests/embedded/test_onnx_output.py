"""One more output for a model file, byte by byte."""

from __future__ import annotations

import pytest

from jev_turn.embedded.onnx_output import with_output

VERSION = b"\x08\x08"  # field 1 (ir_version), a number: 8
PRODUCER = b"\x12\x02me"  # field 2, two bytes
NODE = b"\x0a\x01n"  # field 1 of the graph, one byte


def test_the_output_is_appended_to_the_graph_and_the_rest_stays() -> None:
    """Field 12 of field 7, with the name as its field 1; the graph's length grows by it."""
    model = VERSION + b"\x3a\x03" + NODE + PRODUCER
    output = b"\x62\x05" + b"\x0a\x03abc"
    assert with_output(model, "abc") == VERSION + b"\x3a\x0a" + NODE + output + PRODUCER


def test_a_length_over_127_takes_two_bytes() -> None:
    """Lengths are written seven bits at a time, the lowest first."""
    node = b"\x0a\x7e" + b"x" * 126  # 128 bytes
    changed = with_output(b"\x3a\x80\x01" + node, "abc")
    assert changed == b"\x3a\x87\x01" + node + b"\x62\x05\x0a\x03abc"


@pytest.mark.parametrize(
    "model",
    [b"", VERSION, b"\x3a\x00\x3a\x00", b"\x3a\x09short", b"RIFF....WAVEfmt", b"\x3a\xff"],
    ids=["empty", "no graph", "two graphs", "cut short", "a sound file", "half a length"],
)
def test_what_is_not_a_model_is_refused(model: bytes) -> None:
    """Never a silent half-change of somebody's file."""
    with pytest.raises(ValueError, match="not an ONNX model"):
        with_output(model, "abc")
