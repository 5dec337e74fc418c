"""Examples from the word-timed meetings of MRDA: ends, pauses, backchannels, interruptions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seeds import Example

PAUSE_S = 0.25
LAST_WORDS = 40


@dataclass(frozen=True, slots=True)
class Segment:
    """One dialogue act with its timed words."""

    start: float
    end: float
    act: str
    speaker: str
    words: tuple[tuple[float, float, str], ...]

    @property
    def text(self) -> str:
        """The words."""
        return " ".join(word for _, _, word in self.words)

    @property
    def nod(self) -> bool:
        """Whether it is a backchannel or a bare acknowledgement."""
        return self.act.startswith("b") or (self.act in ("s^bk", "s^aa") and len(self.words) <= 2)

    @property
    def broken(self) -> bool:
        """Whether it is abandoned, interrupted, or only holds the floor."""
        return "%" in self.act or self.act.split("|")[-1] in ("fh", "fg", "h")


def read_meeting(path: Path) -> list[Segment]:
    """Return the segments of one ``.dadb`` file by start."""
    segments = []
    for line in path.read_text(errors="replace").splitlines():
        fields = line.split(",")
        if len(fields) < 8 or not fields[4]:
            continue
        words = tuple(w for w in map(_word, fields[4].split("|")) if w)
        if words:
            start, end = words[0][0], words[-1][1]
            segments.append(Segment(start, end, fields[5], fields[7], words))
    return sorted(segments, key=lambda segment: segment.start)


def _word(item: str) -> tuple[float, float, str] | None:
    parts = item.split("+", 2)
    if len(parts) != 3:
        return None
    try:
        return float(parts[0]), float(parts[1]), parts[2].rstrip("-")
    except ValueError:
        return None


def turns(segments: list[Segment]) -> Iterator[tuple[str, list[Segment], Segment | None]]:
    """Yield the agent's last words, the segments of one person's turn, and what comes next."""
    said: list[Segment] = []
    before = ""
    for segment in (item for item in segments if not item.nod):
        if said and segment.speaker != said[-1].speaker:
            yield before, said, segment
            before = " ".join(" ".join(item.text for item in said).split()[-LAST_WORDS:])
            said = []
        said.append(segment)


def end_examples(segments: list[Segment], rng: random.Random) -> Iterator[Example]:
    """Yield whether the person had finished, at pauses and at ends of turns."""
    for before, said, following in turns(segments):
        so_far: list[str] = []
        for place, segment in enumerate(said):
            last = place == len(said) - 1
            for number, (_, end, word) in enumerate(segment.words):
                so_far.append(word)
                inside = number + 1 < len(segment.words)
                if inside and segment.words[number + 1][0] - end >= PAUSE_S:
                    yield _pair(before, so_far, 0.03, 0.06, "mrda_mid")
                elif inside and rng.random() < 0.02:
                    yield _pair(before, so_far, 0.05, 0.06, "mrda_mid")
            yield from _segment_end(
                before, so_far, segment, said, place, following if last else None
            )


def _segment_end(
    before: str,
    so_far: list[str],
    segment: Segment,
    said: list[Segment],
    place: int,
    following: Segment | None,
) -> Iterator[Example]:
    if place < len(said) - 1:
        if said[place + 1].start - segment.end >= PAUSE_S:
            tc = 0.03 if segment.broken else 0.4
            hold = 0.85 if segment.act == "h" else None
            yield _pair(before, so_far, tc, tc, "mrda_trp", hold)
    elif following is not None and following.start >= segment.end - 0.2 and not segment.broken:
        yield _pair(before, so_far, 0.96, 0.92, "mrda_end")


def _pair(
    agent: str, words: list[str], tc: float, ea: float, source: str, hold: float | None = None
) -> Example:
    labels = {"turn_complete": tc, "turn_finished": tc, "enough_to_answer": ea}
    if agent:
        labels["addressed_to_agent"] = 0.93
    if hold is not None:
        labels["holding_floor"] = hold
    return Example(agent, " ".join(words[-LAST_WORDS - 20 :]), labels, source)


def overlap_examples(segments: list[Segment], rng: random.Random) -> Iterator[Example]:
    """Yield whether words over somebody's speech took the floor."""
    for place, segment in enumerate(segments):
        holder = _under(segments, place)
        if holder is None:
            continue
        heard = " ".join([w for s, _, w in holder.words if s < segment.start][-LAST_WORDS:])
        if segment.nod:
            yield Example(heard, segment.text, {"taking_floor": 0.03}, "mrda_nod")
        elif len(segment.words) >= 3 and _floor_changed(segments, place, holder):
            words = segment.text.split()
            count = rng.randint(1, min(len(words), 10))
            likely = (0.6, 0.85)[count - 1] if count < 3 else 0.95
            user = " ".join(words[:count])
            yield Example(heard, user, {"taking_floor": likely}, "mrda_barge")


def _under(segments: list[Segment], place: int) -> Segment | None:
    segment = segments[place]
    for other in reversed(segments[max(0, place - 12) : place]):
        apart = other.speaker != segment.speaker and not other.nod
        if apart and other.start + 0.5 < segment.start < other.end - 0.3:
            return other
    return None


def _floor_changed(segments: list[Segment], place: int, holder: Segment) -> bool:
    segment = segments[place]
    if segment.end < holder.end:
        return "%" in holder.act
    later = segments[place + 1 : place + 25]
    back = (o for o in later if o.speaker == holder.speaker and not o.nod)
    return all(other.start > holder.end + 2.0 for other in back)
