"""What errors of server and network become."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from support.fake_judges import config, jump
from support.fake_typesafe import ONE, Wire, answers, classifier, failure_of, wire

from jev_turn.errors import JudgeError
from jev_turn.judges.failure import AccessDenied, RateLimited, kind_of
from jev_turn.judges.typesafe import TypeSafeClassifier


@pytest.mark.parametrize(
    ("status", "kind", "tries"),
    [
        (302, "refused", 1),
        (400, "refused", 1),
        (401, "auth", 1),
        (402, "refused", 1),
        (403, "auth", 1),
        (404, "refused", 1),
        (408, "refused", 1),
        (413, "refused", 1),
        (422, "refused", 1),
        (429, "rate_limited", 1),
        (500, "unavailable", 2),
        (501, "unavailable", 1),
        (502, "unavailable", 2),
        (503, "unavailable", 2),
        (504, "unavailable", 2),
        (529, "unavailable", 2),
    ],
)
def test_a_status_has_a_kind_and_a_number_of_tries(status: int, kind: str, tries: int) -> None:
    """Only what a second connection may cure is tried once more, and soon."""
    line = wire(status, {"detail": "no"})
    error, seconds = failure_of(line)
    assert kind_of(error) == kind
    assert len(line.requests) == tries
    assert seconds <= 0.1


@pytest.mark.parametrize(
    "headers", [{"retry-after": "2"}, {"retry-after": "60"}, {"retry-after-ms": "10"}, {}]
)
@pytest.mark.parametrize("status", [429, 503])
def test_nobody_waits_as_long_as_a_server_asks(status: int, headers: dict[str, str]) -> None:
    """By then the words have changed; the silence rule takes over at once."""
    line = wire(status, {}, headers)
    error, seconds = failure_of(line)
    assert isinstance(error, RateLimited) == (status == 429)
    assert seconds <= 0.1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "2"}, 2.0), ({"retry-after-ms": "1500"}, 1.5), ({}, None)],
)
def test_what_the_server_asks_to_wait_is_kept(
    headers: dict[str, str], seconds: float | None
) -> None:
    """All calls of the account rest as long."""
    error, _ = failure_of(wire(429, {}, headers))
    assert isinstance(error, RateLimited) and error.retry_after_s == seconds


@pytest.mark.parametrize(
    ("error", "kind", "tries"),
    [
        (httpx2.ConnectError("refused"), "unavailable", 2),
        (httpx2.ReadError("reset"), "unavailable", 2),
        (httpx2.RemoteProtocolError("closed"), "unavailable", 2),
        (httpx2.ReadTimeout("slow"), "timeout", 1),
        (httpx2.ConnectTimeout("slow"), "timeout", 1),
        (httpx2.PoolTimeout("full"), "timeout", 1),
    ],
)
def test_a_broken_connection_is_tried_once_more(error: Exception, kind: str, tries: int) -> None:
    """A connection that was closed while idle costs 50 ms; a slow server is not asked again."""

    async def reply(_: httpx2.Request) -> httpx2.Response:
        raise error

    line = Wire(reply)
    raised, _ = failure_of(line)
    assert kind_of(raised) == kind
    assert len(line.requests) == tries


def test_a_second_try_may_answer() -> None:
    """One lost connection is no failure."""
    tries = 0

    async def reply(request: httpx2.Request) -> httpx2.Response:
        nonlocal tries
        tries += 1
        return httpx2.Response(503) if tries == 1 else answers(request.content)

    assert jump(classifier(Wire(reply)).yes_no("so", ONE))["turn_complete"].probability == 0.25


def test_a_server_that_never_ends_is_given_up() -> None:
    """Every classifier answers or raises within a bound of its own; ours is ten seconds."""

    async def reply(_: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(3_600)
        raise AssertionError

    error, seconds = failure_of(Wire(reply))
    assert kind_of(error) == "timeout"
    assert seconds == 10.0


def test_an_error_says_what_to_look_for_and_no_words() -> None:
    """Status and request id lead to the server's own log; its message may repeat the transcript."""
    line = wire(422, {"detail": "cannot read 'zanzibar'"}, {"x-typesafe-request-id": "req_7"})
    error, _ = failure_of(line)
    assert "422" in str(error) and "req_7" in str(error)
    assert "zanzibar" not in str(error)
    assert error.__cause__ is error.__context__ is None
    assert isinstance(error, JudgeError) and not isinstance(error, AccessDenied)


def test_accounts_are_told_apart_without_their_keys() -> None:
    """Another key or another server has rates of its own; neither stands in what tells them apart."""
    made = [
        TypeSafeClassifier(config(), api_key=key, base_url=url)
        for key, url in (
            ("one", "http://a"),
            ("one", "http://a"),
            ("two", "http://a"),
            ("one", "http://b"),
        )
    ]
    first, same, *others = [one.account for one in made]
    assert first == same and len({first, *others}) == 3
    assert "one" not in first
