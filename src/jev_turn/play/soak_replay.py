"""Shows a call of the soak: what happened when, what was decided, what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from jev_turn.play.soak_outcome import Outcome
from jev_turn.play.soak_script import Script, Step

_SHOWN = ("why", "hold", "ask", "bundle", "quiet_ms", "error", "note", "detail", "state")


def command(script: Script) -> str:
    """Return the command that plays this call again."""
    return f"jev-turn soak --seed {script.seed} --call {script.call} --turns {script.turns}"


def wrong(outcome: Outcome, *, words: bool) -> Iterator[str]:
    """Yield a line for everything that is wrong.

    Args:
        outcome: Of the call.
        words: Show what was said.
    """
    for name in ("lost", "doubled"):
        for text in getattr(outcome.oracle, name):
            yield f"{name}: {_words(text, words=words)}"
    yield from (f"stuck: {line}" for line in outcome.stuck)


def steps(script: Script, *, words: bool) -> Iterator[str]:
    """Yield a line for the call itself and one for each of its steps."""
    how = ["sound" if script.audio else "no sound", *script.sets]
    if script.cut_off:
        how.append("cut off")
    yield f"{script.turns} turns, ends at {script.ends_ms} ms ({', '.join(how)})"
    for step in script.steps:
        yield f"{step.at_ms:>7} {_step(step, words=words)}"


def timeline(outcome: Outcome, *, words: bool) -> Iterator[str]:
    """Yield everything that happened, in order of time.

    Args:
        outcome: Of the call.
        words: Show what was said.
    """
    account = outcome.account
    happened = [(s.at_ms, 0, _step(s, words=words)) for s in outcome.script.steps]
    happened += [
        (int(str(line["t"])), 1, f"    {_line(line, words=words)}")
        for line in outcome.records
        if line["kind"] not in ("level", "partial", "final", "tokens")
    ]
    happened += [(at, 2, f"        turn {_words(text, words=words)}") for at, text in account.turns]
    happened += [(at, 2, "        the model runs") for at in account.runs]
    happened += [(at, 2, "        interruption") for at in account.interrupts]
    happened += [
        (at, 2, f"        nod {_words(text, words=words)}") for at, text in account.backchannels
    ]
    yield from (f"{at:>7} {what}" for at, _, what in sorted(happened))


def _step(step: Step, *, words: bool) -> str:
    match step.kind:
        case "heard":
            kind = "final" if step.final else "interim"
            return f"{kind} of segment {step.segment}: {_words(step.text, words=words)}"
        case "say":
            return f"agent says {len(step.text.split())} words"
        case "sound" | "mute" | "stall":
            return f"{step.kind} for {step.lasts_ms} ms"
        case "judge":
            return f"judge: {step.text}, within {step.lasts_ms} ms"
        case _:
            return f"{step.kind}: {step.text}"


def _line(line: dict[str, object], *, words: bool) -> str:
    parts = [str(line.get("name") or line["kind"])]
    parts += [f"{key}={line[key]}" for key in _SHOWN if key in line]
    if isinstance(given := line.get("probabilities"), dict):
        parts.append(" ".join(f"{name}={value:.2f}" for name, value in given.items()))
    if isinstance(text := line.get("text"), str):
        parts.append(_words(text, words=words))
    return " ".join(parts)


def _words(text: str, *, words: bool) -> str:
    return repr(text) if words else f"{len(text.split())} words"
