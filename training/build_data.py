"""Write train.jsonl and valid.jsonl from seeds, chat text, meetings and questions."""

from __future__ import annotations

import argparse
import collections
import json
import random
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from meetings import end_examples, overlap_examples, read_meeting
from seeds import HEADS, Example, Seeds, cut

TRAILERS = ("and", "but", "so", "because", "um", "uh", "or", "like", "and um", "so uh", "you know")
CLOSING = re.compile(r"\b(bye|goodbye|see (you|ya)|good ?night|take care|talk to you later)\b")
ASKS_TIME = re.compile(r"\b(hold|wait|sec|second|moment|minute|let me|hmm+|think)\b")
NODS = frozenset("ok okay yeah yes yep sure right cool nice wow lol haha oh great true".split())
LIMITS = {
    "mrda_mid": 2600,
    "mrda_trp": 1200,
    "mrda_end": 3200,
    "mrda_nod": 1600,
    "mrda_barge": 1900,
}
CHAT_MESSAGES, BESIDE_THE_POINT, QUESTIONS = 7000, 800, 1500


def main() -> None:
    """Build the two files."""
    args = arguments()
    rng = random.Random(args.seed)
    seeds = Seeds(seed=args.seed)
    everything = list(seeds.examples())
    everything += chat(args.chitchat, seeds.prompts(), rng)
    everything += questions(args.disfl_qa, rng) if args.disfl_qa else []
    everything += meetings(args.mrda, "train", LIMITS, rng) if args.mrda else []
    rng.shuffle(everything)
    held = len(everything) // 25
    write(args.out / "valid.jsonl", everything[:held])
    write(args.out / "train.jsonl", everything[held:])
    if args.mrda:
        limits = dict.fromkeys(LIMITS, 1500)
        write(args.out / "mrda_test.jsonl", meetings(args.mrda, "test", limits, rng))
    counts = collections.Counter(example.source for example in everything)
    print(json.dumps(dict(counts.most_common()), indent=1))


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chitchat", type=Path, required=True, help="chitchat-dataset wheel")
    parser.add_argument("--mrda", type=Path, help="unpacked MRDA folder (archive, train, test)")
    parser.add_argument("--disfl-qa", type=Path, help="train.json of Disfl-QA")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def write(path: Path, examples: Iterable[Example]) -> None:
    """Write examples as JSON lines; a label that is not trained is null."""
    with path.open("w") as file:
        for example in examples:
            labels = [example.labels.get(head) for head in HEADS]
            row = {"agent": example.agent, "user": example.user, "y": labels, "src": example.source}
            file.write(json.dumps(row) + "\n")


def chat(wheel: Path, prompts: list[str], rng: random.Random) -> Iterator[Example]:
    """Yield chat messages, whole and broken off, with the message before.

    Some remarks follow a question of an agent that they have nothing to do with: they are more
    likely somebody else's.
    """
    with zipfile.ZipFile(wheel) as archive:
        conversations = json.loads(archive.read("chitchat_dataset/dataset.json"))
    rows = []
    for conversation in conversations.values():
        before = ""
        for turn in conversation["messages"]:
            texts = [message["text"].strip() for message in turn]
            rows += [(before, text, n < len(texts) - 1) for n, text in enumerate(texts)]
            before = " ".join(" ".join(texts).split()[-40:])
    usable = [row for row in rows if 1 <= len(row[1].split()) <= 28 and row[1].isascii()]
    for before, text, goes_on in rng.sample(usable, CHAT_MESSAGES):
        yield from chat_message(before, text, goes_on, rng)
    remarks = [row[1] for row in usable if 3 <= len(row[1].split()) <= 14 and "?" not in row[1]]
    for text in rng.sample(remarks, BESIDE_THE_POINT):
        yield Example(rng.choice(prompts), text, {"addressed_to_agent": 0.35}, "chat_elsewhere")


def chat_message(before: str, text: str, goes_on: bool, rng: random.Random) -> Iterator[Example]:
    """Yield one message, whole, and one way in which it might be unfinished."""
    words = re.sub(r"[^\w' ]", " ", text.lower()).split()
    if not words:
        return
    nod = all(word in NODS for word in words)
    whole = 0.6 if goes_on else 0.85 if nod else 0.95
    labels = {"turn_complete": whole, "turn_finished": whole}
    labels["addressed_to_agent"] = 0.95 if before else 0.9
    labels["enough_to_answer"] = 0.1 if CLOSING.search(text.lower()) else 0.6 if nod else 0.92
    if not ASKS_TIME.search(text.lower()):
        labels["holding_floor"] = 0.02
    yield Example(before, text, labels, "chat")
    if rng.random() < 0.35:
        trailing = f"{text} {rng.choice(TRAILERS)}"
        unfinished = labels | {"turn_complete": 0.04, "turn_finished": 0.04}
        yield Example(before, trailing, unfinished | {"enough_to_answer": 0.15}, "chat_trail")
    else:
        yield from cut(rng, before, " ".join(words), "chat")


def questions(path: Path, rng: random.Random) -> Iterator[Example]:
    """Yield questions with disfluencies, whole and broken off."""
    rows = rng.sample(sorted(json.loads(path.read_text()).values(), key=str), QUESTIONS)
    greetings = ("", "", "hi how can i help you", "ask me anything", "what else")
    labels = dict.fromkeys(("turn_complete", "turn_finished", "enough_to_answer"), 0.97)
    labels |= {"addressed_to_agent": 0.97, "holding_floor": 0.03}
    for row in rows:
        agent = rng.choice(greetings)
        text = row[rng.choice(("original", "disfluent"))].rstrip("? ")
        yield Example(agent, text, labels, "disfl")
        yield from cut(rng, agent, text.lower(), "disfl")


def meetings(folder: Path, split: str, limits: dict[str, int], rng: random.Random) -> list[Example]:
    """Return examples of one split, at most so many of each kind."""
    kinds: dict[str, list[Example]] = {kind: [] for kind in limits}
    for name in sorted(path.stem for path in (folder / split).glob("*.txt")):
        segments = read_meeting(folder / "archive/database" / f"{name}.dadb")
        for example in (*end_examples(segments, rng), *overlap_examples(segments, rng)):
            kinds[example.source].append(example)
    chosen = (rng.sample(rows, min(len(rows), limits[kind])) for kind, rows in kinds.items())
    return [example for rows in chosen for example in rows]


if __name__ == "__main__":
    main()
