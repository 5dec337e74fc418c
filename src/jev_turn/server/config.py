"""Names, units and ranges of the server's settings; the values live in the policy."""

from __future__ import annotations

from dataclasses import dataclass, fields

from jev_turn.policy import Policy


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What one process lets its callers do.

    Attributes:
        calls_max: Calls at the same time, >= 1.
        call_max_ms: Length of a call, ms > 0.
        llm_starts_max: Runs of the language model in one call, >= 1.
        judge_calls_max: Requests to the judge in one call, >= 1.
        pending_max: Calls announced by ``/start`` that have not begun, >= 1.
        pending_ms: An announced call that has not begun by then is forgotten, ms > 0.
        retry_ms: What somebody who is refused is told to wait, ms > 0.
        message_max_bytes: Size of a request's body, and of a message by WebSocket or WebRTC,
            bytes > 0.
        stall_ms: A WebSocket whose other side takes nothing for so long is cut, ms > 0.
        drain_ms: After SIGTERM, calls may end by themselves this long, ms >= 0.
        end_ms: A call that is told to end gets this long to finish its sentence, and then as long
            again to be cut off, ms > 0.
    """

    calls_max: int
    call_max_ms: int
    llm_starts_max: int
    judge_calls_max: int
    pending_max: int
    pending_ms: int
    retry_ms: int
    message_max_bytes: int
    stall_ms: int
    drain_ms: int
    end_ms: int

    @classmethod
    def of(cls, policy: Policy) -> ServerConfig:
        """Read the settings in force."""
        return cls(**{field.name: policy.value(f"server.{field.name}") for field in fields(cls)})

    @property
    def retry_s(self) -> int:
        """``retry_ms`` as the header ``Retry-After`` has it: whole seconds, at least one."""
        return max(1, -(-self.retry_ms // 1000))
