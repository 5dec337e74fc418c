"""What happened in a call and when: openings, ends of turns, interruptions."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from jev_turn.demo.call import Call
from jev_turn.demo.plan import Recording, Voice
from jev_turn.play.stage import CHUNK_MS
from jev_turn.record.oracle import heard_lines


@dataclass(frozen=True, slots=True)
class Opening:
    """The gate opened.

    Attributes:
        at_ms: When the pipeline was told.
        opened_after_ms: Since the first frame over the gate began, by the clock.
        from_label_ms: Since the labelled onset of a voice; ``None`` for another sound, an unlabelled
            one, or when the gate had closed and opened again within a stretch of voice.
        held_back: The bot had only just begun to speak, or a sound over it had only just been
            looked at: the refractory time kept the gate shut on purpose.
        heard_ms: Sound from the first frame over the gate to the end of the chunk that opened it;
            what ``opened_after_ms`` has beyond it, the pipeline and the loop took.
    """

    at_ms: int
    opened_after_ms: int | None
    from_label_ms: int | None
    held_back: bool = False
    heard_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn ended.

    Attributes:
        text: What the model was given.
        last_word_ms: Labelled end of the last voice before; unlabelled, the start of the quiet.
        ended_ms: When the model's context had it.
        why: The reason on record.
    """

    text: str
    last_word_ms: int | None
    ended_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class Interruption:
    """The bot was stopped, or a reply withdrawn that nobody had heard yet.

    Attributes:
        at_ms: When the pipeline was told.
        words: What had been recognised of the turn's last words.
        silent_ms: When the loudspeaker had fallen silent.
        after_end_ms: That since the labelled end of the voice, less than 0 when it had not ended;
            ``None`` without a label.
        spoke: The bot was to be heard.
    """

    at_ms: int
    words: str
    silent_ms: int
    after_end_ms: int | None
    spoke: bool


def openings(call: Call) -> list[Opening]:
    """Return every opening of the gate, in order."""
    gate = [r for r in call.records if r["kind"] == "gate"]
    lines = [r for r in gate if r["state"] == "open"]
    refused = [r["numbers"]["stream_ms"] for r in gate if r["state"] == "refractory"]
    unmuted = [r["t"] for r in call.records if r["kind"] == "mute" and r["state"] == "stop"]
    found = []
    for number, (at_ms, label_ms) in enumerate(_from_labels(call)):
        # What MicGate lets in again of a mute's end sets the sound's own clock forward.
        if number >= len(lines) or (unmuted and lines[number]["t"] >= unmuted[0]):
            found.append(Opening(at_ms, None, label_ms))
            continue
        # The sound's own clock says where in it the first loud frame began.
        opened_ms = int(lines[number]["numbers"]["stream_ms"])
        first_ms = opened_ms - int(lines[number]["numbers"]["held_ms"])
        held_back = any(first_ms <= ms <= opened_ms for ms in refused)
        heard_ms = -(-opened_ms // CHUNK_MS) * CHUNK_MS - first_ms
        found.append(Opening(at_ms, at_ms - first_ms, label_ms, held_back, heard_ms))
    return found


def _from_labels(call: Call) -> list[tuple[int, int | None]]:
    """Return each opening's time, and how long after a labelled onset of a voice it came."""
    labels = sorted(
        (
            (stretch.onset_ms, isinstance(one.step.sound, Voice))
            for one in call.played
            for stretch in one.stretches
        ),
    )
    found: list[tuple[int, int | None]] = []
    taken = -1
    for at_ms in call.account.onsets:
        label = bisect_right(labels, at_ms, key=lambda one: one[0]) - 1
        fresh = label > taken and labels[label][1]
        found.append((at_ms, at_ms - labels[label][0] if fresh else None))
        taken = max(taken, label)
    return found


def interims(call: Call) -> list[tuple[int, str]]:
    """Return when the recogniser wrote which words that were not final yet."""
    lines = [r for r in call.records if r["kind"] == "partial" and r["text"]]
    return [(r["t"] + call.record_began_ms, r["text"]) for r in lines]


def endings(call: Call) -> list[Ended]:
    """Return every turn that ended, in order."""
    reasons = [r for r in call.records if r["kind"] == "effect" and r["name"] == "EndTurn"]
    found = []
    for at_ms, text in call.account.turns:
        before = [r for r in reasons if r["t"] + call.record_began_ms <= at_ms]
        why = before[-1]["why"] if before else ""
        found.append(Ended(text, _last_word(call, at_ms), at_ms, why))
    return found


def _last_word(call: Call, at_ms: int) -> int | None:
    if any(isinstance(one.step.sound, Recording) for one in call.played):
        quiets = [at for at in call.account.quiets if at <= at_ms]
        return quiets[-1] if quiets else None
    return _voice_end(call, at_ms)


def _voice_end(call: Call, at_ms: int) -> int | None:
    """Return the labelled end of the last voice that had begun by then."""
    voices = [one for one in call.played if isinstance(one.step.sound, Voice)]
    return max((one.end_ms for one in voices if one.onset_ms <= at_ms), default=None)


def interruptions(call: Call) -> list[Interruption]:
    """Return every interruption, in order."""
    heard = heard_lines(call.records)
    found = []
    for at_ms in call.account.interrupts:
        words = [r["text"] for r in heard if r["t"] + call.record_began_ms <= at_ms]
        spans = [span for span in call.audible if span[0] <= at_ms <= span[1]]
        silent_ms = spans[-1][1] if spans else at_ms
        end_ms = _voice_end(call, at_ms)
        after_ms = silent_ms - end_ms if end_ms is not None else None
        found.append(
            Interruption(at_ms, words[-1] if words else "", silent_ms, after_ms, bool(spans))
        )
    return found
