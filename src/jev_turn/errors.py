"""Errors, named after whoever is at fault."""

from __future__ import annotations


class JevTurnError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(JevTurnError):
    """A setting that the bot's author made contradicts itself or cannot be read."""


class PolicyFileError(ConfigError):
    """A question or policy file, an environment value or a ``--set`` is wrong.

    Args:
        source: The file, environment name or option that holds the value.
        key: Dotted key inside the source; empty when the whole source is at fault.
        value: The offending value, shown as written.
        reason: What was expected.
    """

    def __init__(self, source: str, key: str, value: object, reason: str) -> None:
        self.source = source
        self.key = key
        self.value = value
        self.reason = reason
        where = f"{source}: {key}" if key else source
        super().__init__(f"{where}: {value!r}: {reason}")


class CaseFileError(ConfigError):
    """A case file is wrong; the message names the file, the case and the key."""


class JudgeError(JevTurnError):
    """The judge gave no verdict. It is never read as a "no".

    Attributes:
        kind: Short stable word that goes into the record (``timeout``, ``unreadable``...).
    """

    kind = "error"


class UnreadableVerdict(JudgeError):
    """The judge answered, and the answer is not a probability for what was asked."""

    kind = "unreadable"


class JudgeUnavailable(JudgeError):
    """The judge could not be reached, refused, or is resting behind the breaker."""

    kind = "unavailable"


class JudgeTimeout(JudgeUnavailable):
    """No answer within the deadline."""

    kind = "timeout"


class Superseded(JudgeError):
    """A newer ask took this one's place before it was sent."""

    kind = "superseded"


class ReplyStoreError(JevTurnError):
    """The reply list's database cannot be opened, read or written."""
