"""What became of each sound of a call, told from outside the processors where that is possible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jev_turn.demo.call import Call
from jev_turn.demo.microphone import Played
from jev_turn.demo.plan import Fate, Recording, Voice
from jev_turn.record import Record


@dataclass(frozen=True, slots=True)
class Opening:
    """The gate opened.

    Attributes:
        at_ms: When the pipeline was told.
        opened_after_ms: Since the first frame over the gate began.
        from_label_ms: Since the labelled onset of a voice; ``None`` for another sound, an unlabelled
            one, or when the gate had closed and opened again within a stretch of voice.
    """

    at_ms: int
    opened_after_ms: int | None
    from_label_ms: int | None


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one sound, up to the beginning of the next one.

    Attributes:
        played: The sound.
        until_ms: Beginning of the next sound; the end of the call for the last one.
        openings: Openings of the gate.
        words: What was recognised.
        ended: Turns that ended.
        interruptions: Interruptions.
        replies: Beginnings of the bot's speech.
    """

    played: Played
    until_ms: int
    openings: tuple[Opening, ...] = ()
    words: tuple[str, ...] = ()
    ended: tuple[Ended, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    replies: tuple[int, ...] = ()

    @property
    def fate(self) -> Fate:
        """What must become of it."""
        return self.played.step.fate

    @property
    def is_voice(self) -> bool:
        """It is speech, as far as anybody knows."""
        return isinstance(self.played.step.sound, Voice | Recording)


def outcomes(call: Call) -> list[Outcome]:
    """Tell what became of each sound.

    Args:
        call: A call that was held.

    Returns:
        One outcome per sound, in order.
    """
    account, played = call.account, call.played
    starts = [one.onset_ms for one in played]
    last = max(
        [0, *account.onsets, *(at for at, _ in account.turns), *(b for _, b in call.audible)]
    )
    untils = [*starts[1:], max(last, played[-1].end_ms) + 1] if played else []
    found = [Outcome(one, until) for one, until in zip(played, untils, strict=True)]

    def owner(at_ms: int) -> int:
        return max(0, bisect_right(starts, at_ms) - 1)

    openings, ended, stopped = _openings(call), _ended(call), _interruptions(call)
    for index, one in enumerate(found):
        found[index] = replace(
            one,
            openings=tuple(x for x in openings if owner(x.at_ms) == index),
            words=tuple(x.text for x in account.finals if x.text and owner(x.at_ms) == index),
            ended=tuple(x for x in ended if owner(x.ended_ms) == index),
            interruptions=tuple(x for x in stopped if owner(x.at_ms) == index),
            replies=tuple(at for at, _ in account.bot if owner(at) == index),
        )
    return found


def thoughts(found: Sequence[Outcome]) -> list[list[Outcome]]:
    """Group outcomes whose sounds are one thought: pauses inside it end no turn."""
    groups: list[list[Outcome]] = []
    goes_on = False
    for one in found:
        if goes_on:
            groups[-1].append(one)
        else:
            groups.append([one])
        goes_on = one.fate is Fate.CONTINUED
    return groups


def cut_ins(found: Sequence[Outcome]) -> int:
    """Count the turns that were ended before the caller had finished the thought."""
    return sum(
        group[0].played.onset_ms <= turn.ended_ms < group[-1].played.end_ms
        for group in thoughts(found)
        for one in group
        for turn in one.ended
    )


def _openings(call: Call) -> list[Opening]:
    lines = [r for r in call.records if r["kind"] == "gate" and r["state"] == "open"]
    labels = sorted(
        (stretch for one in call.played for stretch in one.stretches),
        key=lambda stretch: stretch.onset_ms,
    )
    voiced = {
        stretch
        for one in call.played
        if isinstance(one.step.sound, Voice)
        for stretch in one.stretches
    }
    found: list[Opening] = []
    taken = -1
    for number, at_ms in enumerate(call.account.onsets):
        after = _after_first_frame(at_ms, lines[number]) if number < len(lines) else None
        label = bisect_right(labels, at_ms, key=lambda stretch: stretch.onset_ms) - 1
        fresh = label > taken and labels[label] in voiced
        found.append(Opening(at_ms, after, at_ms - labels[label].onset_ms if fresh else None))
        taken = max(taken, label)
    return found


def _after_first_frame(at_ms: int, line: Record) -> int:
    """Count from the sound's own clock: the line says where in it the first frame began."""
    numbers = line["numbers"]
    return at_ms - int(numbers["stream_ms"] - numbers["held_ms"])


def _ended(call: Call) -> list[Ended]:
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


def _interruptions(call: Call) -> list[Interruption]:
    heard = [r for r in call.records if r["kind"] in ("partial", "final") and r["text"]]
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
