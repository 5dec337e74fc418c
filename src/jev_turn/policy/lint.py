"""Everything that is wrong with a folder of question and policy files, at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jev_turn.errors import PolicyFileError
from jev_turn.policy.block import read_block
from jev_turn.policy.document import Entries, read_defaults, read_tables
from jev_turn.policy.keys import config_classes, keys_by_field
from jev_turn.policy.load import QUESTIONS
from jev_turn.policy.policy import Policy
from jev_turn.policy.question import QUESTION_IDS, Question, load_question
from jev_turn.policy.schema import read_entry
from jev_turn.policy.wording import STATE_FIELDS, question_problems, wording_problems

_NO_QUESTIONS = ("README", "policy")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        file: The file.
        key: Dotted key in its block; empty when the whole file is meant.
        message: What is wrong.
    """

    file: str
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.key, self.message) if part)


def lint(folder: Path | None = None) -> list[Problem]:
    """Check every question file and ``policy.md`` of a folder.

    Args:
        folder: The folder; the packaged one if ``None``.

    Returns:
        The problems, none if all is well.
    """
    folder = QUESTIONS if folder is None else folder
    problems: list[Problem] = []
    entries = _policy(folder / "policy.md", problems)
    questions = _questions(folder, problems)
    for question in questions:
        problems += _wording(question)
    problems += _thresholds(questions, entries)
    return problems


def _policy(path: Path, problems: list[Problem]) -> Entries:
    try:
        block = read_block(path)
        values = read_tables(block, str(path))["values"]
    except PolicyFileError as error:
        problems.append(_problem(error))
        return {}
    checked = (_refused(key, raw, str(path)) for key, raw in values.items())
    wrong = [problem for problem in checked if problem is not None]
    problems += wrong
    problems += [Problem(str(path), key, text) for key, text in _coverage(values)]
    if wrong:
        return {}
    try:
        entries, defaults = read_defaults(block, str(path))
        for model in ("", *defaults.overrides):
            Policy(entries, (defaults,)).for_judge(model)
    except PolicyFileError as error:
        problems.append(_problem(error))
        return {}
    return entries


def _refused(key: str, raw: object, source: str) -> Problem | None:
    try:
        read_entry(key, raw, source)
    except PolicyFileError as error:
        return _problem(error)
    return None


def _coverage(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    sections, known = set[str](), set[str]()
    for config, owned in config_classes().items():
        sections |= set(owned)
        known |= set(keys_by_field(config, owned, values).values())
    for key in sorted(known - values.keys()):
        yield key, "missing key"
    for key in sorted(values.keys() - known):
        if key.split(".")[0] in sections or key.count(".") != 1:
            yield key, "unknown key"


def _questions(folder: Path, problems: list[Problem]) -> list[Question]:
    found = []
    names = {path.stem for path in folder.glob("*.md")}
    for stem in sorted(names - {*QUESTION_IDS, *_NO_QUESTIONS}):
        problems.append(Problem(str(folder / f"{stem}.md"), "", "unknown question"))
    for stem in QUESTION_IDS:
        try:
            found.append(load_question(folder / f"{stem}.md"))
        except PolicyFileError as error:
            problems.append(_problem(error))
    return found


def _wording(question: Question) -> Iterator[Problem]:
    key = "instructions" if isinstance(question.instructions, str) else "instructions.question"
    for message in question_problems(question.text):
        yield Problem(question.source, key, message)
    for answer, text in (("true", question.criteria_true), ("false", question.criteria_false)):
        for message in wording_problems(text):
            yield Problem(question.source, f"criteria.{answer}", message)
    for number, example in enumerate(question.examples):
        for name in sorted(example.keys() - STATE_FIELDS - {"answer"}):
            example_key = f"instructions.examples.{number}.{name}"
            yield Problem(question.source, example_key, "no field of the state")


def _thresholds(questions: list[Question], entries: Entries) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for question in questions:
        key = question.threshold_key
        if entries and key not in entries:
            yield Problem(question.source, "threshold", f"{key} is no key of policy.md")
        elif entries and entries[key].unit != "probability":
            yield Problem(question.source, "threshold", f"{key} is no probability")
        owner = owners.setdefault(key, question.id)
        if owner != question.id:
            yield Problem(question.source, "threshold", f"{key} belongs to {owner}")


def _problem(error: PolicyFileError) -> Problem:
    return Problem(error.source, error.key, f"{error.value!r}: {error.reason}")
