"""Measure the packaged weights: hand-written cases, MRDA's test meetings, Switchboard (report only)."""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnxruntime
from seeds import HEADS

from jev_turn.judges.embedded_text import encode
from jev_turn.judges.wordpiece import WordPiece

WEIGHTS = Path(__file__).parents[1] / "src/jev_turn/judges/weights"
HELDOUT = Path(__file__).parent / "heldout"
Pair = tuple[str, str, dict[str, float]]
Ask = Callable[[str, str], list[float]]


def main() -> None:
    """Print one Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--mrda-test", type=Path, help="mrda_test.jsonl of build_data.py")
    parser.add_argument("--switchboard", type=Path, help="switchboard_dev folder; only measured")
    parser.add_argument("--misses", action="store_true", help="show hand-written cases that fail")
    args = parser.parse_args()
    ask = asker(args.weights)
    print("| set | output | positives / all | AUC | accuracy at .5 | Brier |")
    print("|---|---|---|---|---|---|")
    for name in ("fresh", "plain", "cases"):
        report(f"hand-written, {name}", list(cases(HELDOUT / f"{name}.tsv")), ask, args.misses)
    if args.mrda_test:
        report("MRDA test", list(rows(args.mrda_test)), ask)
    if args.switchboard:
        for name, pairs in switchboard(args.switchboard):
            report(f"Switchboard dev, {name}", pairs, ask)
    print(f"\n{milliseconds(ask):.1f} ms per ask (median of 200, one thread, all outputs)")


def asker(weights: Path) -> Ask:
    """Return a function from the agent's and the user's words to probabilities."""
    pieces = WordPiece.load(weights / "vocab.txt")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(weights / "model.onnx"), options)

    def ask(agent: str, user: str) -> list[float]:
        ids, segments = encode(pieces, agent, user)
        inputs = {"ids": np.array([ids]), "segments": np.array([segments])}
        return [float(value) for value in session.run(None, inputs)[0][0]]

    return ask


def cases(path: Path) -> Iterator[Pair]:
    """Yield the hand-written cases."""
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            agent, user, *values = line.split("\t")
            labels = dict(zip(HEADS, values, strict=True))
            yield agent, user, {head: float(v) for head, v in labels.items() if v != "-"}


def rows(path: Path) -> Iterator[Pair]:
    """Yield the rows of a file of build_data.py whose label is clear."""
    for row in map(json.loads, path.read_text().splitlines()):
        labels = zip(HEADS, row["y"], strict=True)
        clear = {head: y for head, y in labels if y is not None and not 0.2 < y < 0.8}
        if clear and row["src"] != "mrda_trp":
            yield row["agent"], row["user"], {head: float(y > 0.5) for head, y in clear.items()}


def switchboard(folder: Path) -> Iterator[tuple[str, list[Pair]]]:
    """Yield named sets of pairs; nothing here is ever trained on."""

    def lines(name: str) -> list[dict[str, object]]:
        with gzip.open(folder / f"swb_{name}_dev.jsonl.gz", "rt") as file:
            return [json.loads(line) for line in file]

    for kind in ("mid", "trp"):
        yield (
            f"pauses `{kind}` against ends",
            [
                (row["agent_prev"], words_until(row, pause["after_word"]), {"turn_complete": label})
                for row in lines("eot_turns")[:600]
                for pause in row["silences"]
                if (label := float(pause["label"] == "eot")) or pause["kind"] == kind
            ],
        )
    nods = [(row["said"], row["caller"], {"taking_floor": 0.0}) for row in lines("backchannel")]
    for name in ("bargein", "short_overlap_floor_taken"):
        taken = [(row["said"], row["caller"], {"taking_floor": 1.0}) for row in lines(name)]
        yield f"backchannels against {name}", nods[:800] + taken[:800]
    aside = [
        (row["before"], row["caller"], {"addressed_to_agent": 0.0}) for row in lines("side_talk")
    ]
    turns = lines("eot_turns")[:300]
    meant = [
        (r["agent_prev"], words_until(r, len(r["words"])), {"addressed_to_agent": 1.0})
        for r in turns
    ]
    yield "asides against turns", aside + meant


def words_until(row: dict[str, object], count: int) -> str:
    """Return the first words of a turn."""
    return " ".join(word for _, _, word in row["words"][:count])


def report(name: str, pairs: list[Pair], ask: Ask, misses: bool = False) -> None:
    """Print one line per output that the set has labels for."""
    answers = [ask(agent, user) for agent, user, _ in pairs]
    for place, head in enumerate(HEADS):
        chosen = [
            (a[place], p[2][head], p) for a, p in zip(answers, pairs, strict=True) if head in p[2]
        ]
        if len({label for _, label, _ in chosen}) < 2:
            continue
        p, y = (np.array([item[n] for item in chosen]) for n in (0, 1))
        right, brier = np.mean((p >= 0.5) == (y > 0.5)), np.mean((p - y) ** 2)
        share = f"{int(y.sum())} / {len(y)}"
        print(f"| {name} | {head} | {share} | {auc(p, y):.2f} | {right:.2f} | {brier:.3f} |")
        for value, label, (agent, user, _) in chosen if misses else ():
            if (value >= 0.5) != (label > 0.5):
                print(f"    {value:.2f} not {label:.0f}: {agent!r} / {user!r}")


def auc(p: np.ndarray, y: np.ndarray) -> float:
    """Return the area under the ROC curve (ties count half)."""
    high, low = p[y > 0.5], p[y <= 0.5]
    if not len(high) or not len(low):
        return float("nan")
    return float((high[:, None] > low).mean() + 0.5 * (high[:, None] == low).mean())


def milliseconds(ask: Ask) -> float:
    """Return the median time of one ask."""
    taken = []
    for _ in range(200):
        began = time.perf_counter()
        ask("would you like the morning or the afternoon", "the afternoon would be better for me")
        taken.append(time.perf_counter() - began)
    return float(np.median(taken)) * 1000


if __name__ == "__main__":
    main()
