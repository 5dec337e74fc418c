"""Turn the hand-written seed files into labelled examples (standard library only)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HEADS = (
    "turn_complete",
    "holding_floor",
    "addressed_to_agent",
    "taking_floor",
    "enough_to_answer",
    "turn_finished",
)
SHORT = dict(zip(("tc", "hf", "aa", "tf", "ea", "fin"), HEADS, strict=True))
FOLDER = Path(__file__).parent / "seeds"
DIGIT_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
CANNOT_END = frozenset(
    "a an the my your our his her their this to for of with from in on at by about into and or "
    "but so because if when that which is are was were am be i i'd i'll i'm i've we you he she "
    "they it's can could would should will do does did have has had want need like would've not "
    "very really as than between please what how where there's let's who's whose some any every".split()
)
SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled pair.

    Attributes:
        agent: The agent's words.
        user: The user's words.
        labels: Probability per head; a missing head is not trained.
        source: Where it comes from, for the counts.
    """

    agent: str
    user: str
    labels: dict[str, float]
    source: str


@dataclass(slots=True)
class Block:
    """One heading of a seed file with the lines under it."""

    flags: dict[str, str]
    agents: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    lengths: list[tuple[int, int, dict[str, float]]] = field(default_factory=list)
    source: str = ""

    def labels(self) -> dict[str, float]:
        """Return the labels of the heading."""
        given = {SHORT[key]: value for key, value in self.flags.items() if key in SHORT}
        return {head: float(value) for head, value in given.items() if value != "-"}


class Seeds:
    """All seed files of a folder.

    Args:
        folder: Where the files are.
        seed: Of the random choices; the same seed gives the same examples.
    """

    def __init__(self, folder: Path = FOLDER, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._slots = read_slots(folder / "slots.txt")
        self._pools = read_pools(folder / "agents.txt")
        names = sorted(path for path in folder.glob("*.txt"))
        self.blocks = [
            block
            for path in names
            if path.name not in ("slots.txt", "agents.txt")
            for block in read_blocks(path)
        ]

    def examples(self) -> Iterator[Example]:
        """Yield every example."""
        for block in self.blocks:
            for _ in range(int(block.flags["n"])):
                yield from self._one(block)

    def prompts(self) -> list[str]:
        """Return questions of agents that ask for something in particular."""
        pools = ("open", "choice", "when", "id", "where", "yesno")
        return [self.fill(line) for pool in pools for line in self._pools[pool]]

    def _one(self, block: Block) -> Iterator[Example]:
        agent = self._agent(block)
        if block.lengths:
            yield self._number(block, agent)
            return
        line = self._random.choice(block.users)
        user = self.fill(line.replace("@echo", self._echo(agent)))
        yield Example(agent, user, block.labels(), block.source)
        if "cut" in block.flags:
            yield from cut(self._random, agent, user, block.source)

    def _agent(self, block: Block) -> str:
        line = self._random.choice(block.agents)
        if line == "@silent":
            return ""
        if line.startswith("@"):
            line = self._random.choice(self._pools[line[1:]])
        words = self.fill(line).split()
        if "over" in block.flags:
            words = words[: self._random.randint(min(2, len(words)), len(words))]
        return " ".join(words)

    def _echo(self, agent: str) -> str:
        words = agent.split()
        start = self._random.randint(0, max(0, len(words) - 3))
        return " ".join(words[start : start + self._random.randint(1, 5)])

    def _number(self, block: Block, agent: str) -> Example:
        low, high, labels = self._random.choice(block.lengths)
        count = self._random.randint(low, high)
        starts = (
            "",
            "",
            "it's",
            "it is",
            "um",
            "sure it's",
            "yes",
            "okay",
            "that's",
            "my number is",
        )
        digits = spoken_digits(self._random, count)
        user = f"{self._random.choice(starts)} {digits}".strip()
        if self._random.random() < 0.06:
            user, labels = f"{user} um", dict.fromkeys(labels, 0.02)
        return Example(agent, user, block.labels() | labels, block.source)

    def fill(self, line: str) -> str:
        """Return ``line`` with slots and choices filled in at random."""
        while SLOT.search(line):
            line = SLOT.sub(lambda found: self._random.choice(self._slots[found[1]]), line)
        while CHOICE.search(line):
            line = CHOICE.sub(lambda found: self._random.choice(found[1].split("|")), line)
        return " ".join(line.split())


def cut(rng: random.Random, agent: str, user: str, source: str) -> Iterator[Example]:
    """Yield ``user`` broken off at a place where a sentence cannot end, if there is one."""
    words = user.split()
    places = [n for n in range(1, len(words)) if words[n - 1] in CANNOT_END]
    early = [n for n in range(1, 1 + len(words) // 2) if n < len(words) - 1]
    if places and (not early or rng.random() < 0.75):
        end, tc = rng.choice(places), 0.03
    elif early:
        end, tc = rng.choice(early), 0.12
    else:
        return
    labels = {"turn_complete": tc, "holding_floor": 0.04, "addressed_to_agent": 0.97}
    labels |= {"enough_to_answer": tc, "turn_finished": tc}
    yield Example(agent, " ".join(words[:end]), labels, source + "_cut")


def spoken_digits(rng: random.Random, count: int) -> str:
    """Return ``count`` random digits as a recogniser may write them."""
    digits = [rng.randrange(10) for _ in range(count)]
    if rng.random() < 0.5:
        return " ".join(DIGIT_WORDS[digit] for digit in digits)
    text = "".join(map(str, digits))
    if rng.random() < 0.5:
        return text
    return " ".join(text[start : start + 3] for start in range(0, count, 3))


def read_slots(path: Path) -> dict[str, list[str]]:
    """Read ``name: one | two`` lines; a name that comes again adds to its list."""
    slots: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line and line[0] != "#":
            name, rest = line.split(":", 1)
            slots.setdefault(name, []).extend(item.strip() for item in rest.split(" | "))
    return slots


def read_pools(path: Path) -> dict[str, list[str]]:
    """Read ``## name`` headings with the lines under them."""
    pools: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            current = pools.setdefault(line[3:].strip(), [])
        elif line and line[0] != "#":
            current.append(line)
    return pools


def read_blocks(path: Path) -> list[Block]:
    """Read the blocks of one seed file."""
    blocks: list[Block] = []
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            flags = dict(item.split("=") for item in line[3:].split())
            blocks.append(Block(flags, source=path.stem))
        elif line.startswith("A: "):
            blocks[-1].agents.append(line[3:])
        elif line.startswith("U: "):
            blocks[-1].users.append(line[3:])
        elif line.startswith("LEN "):
            span, *values = line[4:].split()
            low, high = map(int, span.split("-"))
            heads = ("turn_complete", "enough_to_answer", "turn_finished")
            labels = dict(zip(heads, map(float, values), strict=True))
            blocks[-1].lengths.append((low, high, labels))
    return blocks
