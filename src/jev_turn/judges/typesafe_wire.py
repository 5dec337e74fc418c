"""Between Pipecat's questions and results and those of ``typesafe-sdk``."""

from __future__ import annotations

from collections.abc import Mapping

from pipecat.classifiers.base_classifier import (
    ClassifierError,
    ClassifierQuestion,
    ClassifierResult,
    YesNoQuestion,
    YesNoResult,
)
from pipecat.metrics.metrics import LLMTokenUsage
from typesafe_sdk import (
    Noul,
    NoulAnswer,
    NoulCriteria,
    SystemOneResponse,
    TypeSafeAPIConnectionError,
    TypeSafeAPIError,
    TypeSafeAPIResponseValidationError,
    TypeSafeError,
    TypeSafeRateLimitError,
)

from jev_turn.errors import UnreadableVerdict
from jev_turn.judges.failure import (
    AccessDenied,
    AnswerTimeout,
    RateLimited,
    RequestRefused,
    Unreachable,
    UnreadableAnswer,
)
from jev_turn.turn.verdict import probability


def noul(name: str, question: ClassifierQuestion) -> Noul:
    """Return ``question`` as the SDK takes it, its texts untouched."""
    if not isinstance(question, YesNoQuestion):
        raise ClassifierError(f"{name}: TypeSafeClassifier answers yes/no questions only")
    criteria = NoulCriteria()
    if question.yes is not None:
        criteria["true"] = question.yes
    if question.no is not None:
        criteria["false"] = question.no
    return Noul(instructions=question.instructions, criteria=criteria or None)


def results(
    response: SystemOneResponse, asked: Mapping[str, ClassifierQuestion]
) -> dict[str, ClassifierResult]:
    """Return the answer to every question asked.

    The SDK leaves out a missing answer and lets any number through, hence the checks.

    Raises:
        UnreadableAnswer: If one is missing, of another type or no probability.
    """
    found: dict[str, ClassifierResult] = {}
    for name in asked:
        answer = response.answers.get(name)
        if not isinstance(answer, NoulAnswer):
            raise UnreadableAnswer(f"{name}: {type(answer).__name__} is not a noul")
        try:
            found[name] = YesNoResult(probability=probability(answer.noul, name))
        except UnreadableVerdict as error:
            raise UnreadableAnswer(str(error)) from None
    return found


def usage(response: SystemOneResponse) -> LLMTokenUsage | None:
    """Return the tokens of one call, if the server counted them."""
    read, written = response.usage.input_tokens, response.usage.output_tokens
    if read is None and written is None:
        return None
    read, written = read or 0, written or 0
    return LLMTokenUsage(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)


def failure(error: TypeSafeError | TimeoutError) -> ClassifierError:
    """Return our error for the SDK's, without a word of what the server wrote in it."""
    if isinstance(error, TypeSafeAPIResponseValidationError):
        return UnreadableAnswer(f"invalid answer at {error.field_path!r}")
    if isinstance(error, TimeoutError):
        return AnswerTimeout("no answer in time")
    if isinstance(error, TypeSafeAPIConnectionError):
        return Unreachable("no connection")
    if isinstance(error, TypeSafeAPIError):
        if isinstance(error, TypeSafeRateLimitError):
            return RateLimited(_told(error), _seconds(error.retry_after_ms))
        default = Unreachable if error.status >= 500 else RequestRefused
        return _BY_STATUS.get(error.status, default)(_told(error))
    return RequestRefused(f"the request could not be made: {type(error).__name__}")


def _told(error: TypeSafeAPIError) -> str:
    return f"HTTP {error.status}, request id {error.request_id or 'none'}"


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


_BY_STATUS: dict[int, type[Unreachable]] = {
    401: AccessDenied,
    403: AccessDenied,
}
