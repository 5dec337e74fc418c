"""Ways in which a judge gives no verdict, and the word that each one leaves in the record.

Those that a classifier of ours raises are Pipecat's ``ClassifierError`` too.
"""

from __future__ import annotations

from pipecat.classifiers.base_classifier import ClassifierError

from jev_turn.errors import JudgeError, JudgeTimeout, JudgeUnavailable, UnreadableVerdict


class UnreadableAnswer(UnreadableVerdict, ClassifierError):
    """The server answered, and not with a probability for everything that was asked."""


class AnswerTimeout(JudgeTimeout, ClassifierError):
    """The server took longer than the transport waits."""


class Unreachable(JudgeUnavailable, ClassifierError):
    """No connection, or the server failed."""


class RateLimited(Unreachable):
    """The account's requests or tokens are used up: the server said so (429), or we kept to it."""

    kind = "rate_limited"

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """How long the server asks to wait, s."""


class AccessDenied(Unreachable):
    """The key is missing at the server, wrong, or not allowed to ask (401, 403)."""

    kind = "auth"


class RequestRefused(Unreachable):
    """The server will not take this request, model or address, however often it is sent."""

    kind = "refused"


class BreakerOpen(JudgeUnavailable):
    """The judge failed several times in a row and is left to rest."""

    kind = "breaker_open"


class AsksSpent(JudgeUnavailable):
    """This call has used up the requests that it may send."""

    kind = "spent"


class JudgeClosed(JudgeUnavailable):
    """The call ended before the answer came."""

    kind = "closed"


def kind_of(error: BaseException) -> str:
    """Return the word that stands in the record for ``error``, whoever raised it.

    Args:
        error: From ours or from any other classifier, which says most by its causes; one that
            says nothing is an ``error``.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, JudgeError):
            return cause.kind
        name = type(cause).__name__
        if isinstance(cause, TimeoutError) or "Timeout" in name:
            return JudgeTimeout.kind
        if isinstance(cause, OSError) or "Connect" in name:
            return JudgeUnavailable.kind
        if cause is not error and isinstance(cause, ValueError | TypeError | KeyError):
            return UnreadableVerdict.kind
        cause = cause.__cause__
    return JudgeError.kind
