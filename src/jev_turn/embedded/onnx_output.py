"""Shows an inner value of an ONNX model as one more output, without the ``onnx`` package.

A model file is a protocol buffer: fields of a tag and a value. The graph is field 7 of the
model, an output is field 12 of the graph, and an output's name is field 1 of the output. Adding
an output therefore means appending one field to the graph and correcting the graph's length.
"""

from __future__ import annotations

from collections.abc import Iterator

_GRAPH = 7
_OUTPUT = 12
_NAME = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def with_output(model: bytes, value: str) -> bytes:
    """Return the model with the inner value ``value`` as its last output.

    Args:
        model: An ONNX file.
        value: Name of the value inside the graph; the runtime checks that it exists.

    Raises:
        ValueError: ``model`` is not an ONNX file with one graph.
    """
    graphs = [field for field in _fields(model) if field[0] == _GRAPH]
    if len(graphs) != 1:
        raise ValueError(f"not an ONNX model: {len(graphs)} graphs")
    _, start, body, end = graphs[0]
    graph = model[body:end] + _field(_OUTPUT, _field(_NAME, value.encode()))
    return model[:start] + _field(_GRAPH, graph) + model[end:]


def _fields(message: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Walk a message: field number, where it starts, where its value starts, where it ends."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _varint(message, at)
        kind = tag & 7
        body = at
        if kind == _VARINT:
            _, at = _varint(message, at)
        elif kind == _BYTES:
            size, body = _varint(message, at)
            at = body + size
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"not an ONNX model: wire type {kind} at byte {start}")
        if at > len(message):
            raise ValueError(f"not an ONNX model: cut short at byte {start}")
        yield tag >> 3, start, body, at


def _field(number: int, body: bytes) -> bytes:
    return _as_varint(number << 3 | _BYTES) + _as_varint(len(body)) + body


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
    raise ValueError("not an ONNX model: cut short")


def _as_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))
