"""Names, units and ranges of the judge's settings; the values live in the policy."""

from __future__ import annotations

from dataclasses import dataclass, fields

from jev_turn.errors import ConfigError


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """Settings of one judge. Build it with ``jev_turn.policy``, not by hand.

    Attributes:
        deadline_ms: An answer that takes longer is ignored, and the ask has failed, ms > 0.
        in_flight: Asks on their way at once while the agent is silent, >= 1.
        in_flight_speaking: The same while the agent speaks, >= 1.
        breaker_failures: Failures in a row after which the judge is left to rest, >= 1.
        breaker_reset_ms: Length of the rest before one ask tries again, ms > 0.
        history_messages: Messages of the conversation that the judge sees, >= 0.
        history_tokens: Tokens (estimated) that those messages may have together, >= 0.
        trajectory_length: Earlier versions of the transcript that the judge sees, >= 0.
        transcript_max_chars: Characters of a text that the judge sees, its end kept, >= 1.
        keepalive_s: An idle connection is kept open this long, seconds > 0.
        requests_per_minute: What one account may ask in a minute, all its calls together, >= 1.
        tokens_per_second: What those asks may hold, tokens >= 1.
        warm_connections: Connections opened before the first ask, >= 0.
        agent_name: What people call the agent; empty when it has no name.
        strip_auto_punctuation: Take off the full stop that a recogniser puts at the end.
    """

    deadline_ms: int
    in_flight: int
    in_flight_speaking: int
    breaker_failures: int
    breaker_reset_ms: int
    history_messages: int
    history_tokens: int
    trajectory_length: int
    transcript_max_chars: int
    keepalive_s: float
    requests_per_minute: int
    tokens_per_second: int
    warm_connections: int
    agent_name: str
    strip_auto_punctuation: bool

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, str) and value < _LEAST.get(field.name, 1):
                raise ConfigError(f"judge.{field.name}: {value!r} is too low")


_LEAST = {
    "history_messages": 0,
    "history_tokens": 0,
    "trajectory_length": 0,
    "keepalive_s": 0,
    "warm_connections": 0,
    "strip_auto_punctuation": 0,
}
