"""16-bit PCM to the level of each whole analysis frame, whatever the chunks it comes in."""

from __future__ import annotations

from typing import Final

import numpy as np

SAMPLE_RATES: Final = (8_000, 16_000, 24_000, 48_000)
"""Rates at which every whole millisecond is a whole number of samples and a transport runs."""

_FULL_SCALE: Final = 32_768.0


def frame_bytes(sample_rate: int, frame_ms: int) -> int:
    """Size of one analysis frame of mono 16-bit sound."""
    return sample_rate * frame_ms // 1_000 * 2


def levels(pcm: bytes, size: int) -> list[float]:
    """Level of each frame of ``pcm``.

    The sums are exact (squares of 16-bit whole numbers in float64), so a frame has the same
    level however it was batched, and exactly 0.0 when and only when all its samples are zero.

    Args:
        pcm: Mono little-endian 16-bit samples, a whole number of frames.
        size: Bytes in a frame.

    Returns:
        Root mean square of the samples as numbers between -1 and 1, one per frame.
    """
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64).reshape(-1, size // 2)
    energy = np.einsum("ij,ij->i", samples, samples) / samples.shape[1]
    result: list[float] = (np.sqrt(energy) / _FULL_SCALE).tolist()
    return result


def split(carry: bytes, chunk: bytes, size: int) -> tuple[list[float], bytes]:
    """Cut ``carry + chunk`` into frames.

    Args:
        carry: What the chunk before left over.
        chunk: New samples.
        size: Bytes in a frame.

    Returns:
        The level of each whole frame, and what is left over for the next chunk.
    """
    sound = carry + chunk if carry else chunk
    whole = len(sound) - len(sound) % size
    return (levels(sound[:whole], size) if whole else []), sound[whole:]


def fault(sample_rate: int, channels: int, size: int) -> str:
    """Say what keeps a chunk from being heard; empty when nothing does.

    Args:
        sample_rate: Samples per second.
        channels: Number of channels.
        size: Bytes in the chunk.
    """
    if channels != 1:
        return f"{channels} channels"
    if sample_rate not in SAMPLE_RATES:
        return f"{sample_rate} Hz"
    return "an odd number of bytes" if size % 2 else ""
