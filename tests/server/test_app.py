"""The routes: who is refused, how, and what a call gets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from aiortc import RTCPeerConnection
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pipecat.runner.types import RunnerArguments, WebSocketRunnerArguments
from starlette.testclient import TestClient, WebSocketDenialResponse

from jev_turn.policy import load_policy
from jev_turn.server.access import Access
from jev_turn.server.app import create_app
from jev_turn.server.config import ServerConfig
from jev_turn.server.desk import Bot, Desk

TOKEN = "0123456789abcdef"
WS = "ws://127.0.0.1:7860"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


async def greeter(args: RunnerArguments) -> None:
    """Tells the caller what it was given, and stays for one more message."""
    assert isinstance(args, WebSocketRunnerArguments)
    await args.websocket.send_json({"kind": args.transport_type, "body": args.body})
    await args.websocket.receive_text()


def app_for(bot: Bot = greeter, access: Access | None = None, **limits: int) -> FastAPI:
    """Make a server's application with some limits of its own."""
    policy = load_policy(request={f"server.{key}": value for key, value in limits.items()}, env={})
    return create_app(Desk.of(bot, ServerConfig.of(policy), access or Access()))


def client_of(app: FastAPI) -> TestClient:
    """Call it as a program on this machine does."""
    return TestClient(app, base_url="http://127.0.0.1:7860")


@pytest.fixture
def guarded() -> Iterator[TestClient]:
    """A server with a token and the packaged limits."""
    with client_of(app_for(access=Access(TOKEN))) as client:
        yield client


def refused(client: TestClient, path: str, **more: Any) -> tuple[int, str | None]:
    """Return status and Retry-After of a WebSocket that is not let in."""
    with (
        pytest.raises(WebSocketDenialResponse) as caught,
        client.websocket_connect(WS + path, **more),
    ):
        pass
    return caught.value.status_code, caught.value.headers.get("retry-after")


OPEN = {"/healthz", "/readyz"}
BY_TICKET = {"/sessions/{session}/api/offer"}


def test_every_route_that_begins_a_call_asks_for_the_token() -> None:
    """A new route is guarded, or listed here with a reason to be open."""
    app = app_for(access=Access(TOKEN))
    desk = app.state.desk
    found = list(app.router.routes)
    for one in app.router.routes:
        found += getattr(one, "original_router", app.router).routes
    routes = [one for one in found if isinstance(one, APIRoute)]
    free = {
        route.path
        for route in routes
        if desk.authorised not in [one.dependency for one in route.dependencies]
    }
    assert {"/start", "/api/offer"} <= {route.path for route in routes}
    assert free == OPEN | BY_TICKET


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/start"), ("POST", "/api/offer"), ("PATCH", "/api/offer")]
)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer fedcba9876543210"}])
def test_without_the_token_nothing_begins(
    guarded: TestClient, method: str, path: str, headers: dict[str, str]
) -> None:
    """401, whatever the body is."""
    assert guarded.request(method, path, json={}, headers=headers).status_code == 401


@pytest.mark.parametrize("path", ["/ws", "/ws-client", "/ws/guess", "/ws-client/guess"])
def test_without_the_token_no_socket_opens(guarded: TestClient, path: str) -> None:
    """A WebSocket is refused before it is accepted; a ticket that was never issued is none."""
    assert refused(guarded, path)[0] == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_needs_no_token_and_tells_no_secret(guarded: TestClient, path: str) -> None:
    """Whatever watches the process can ask."""
    assert guarded.get(path).json() == {"live": True, "ready": True, "calls": 0}


def test_a_ticket_opens_one_socket_and_brings_its_body(guarded: TestClient) -> None:
    """What `/start` was given reaches the bot; the same ticket is refused afterwards."""
    wanted = {"transport": "websocket", "body": {"name": "Ada"}}
    said = guarded.post("/start", json=wanted, headers=BEARER).json()
    path = f"/ws-client/{said['token']}"
    assert said["wsUrl"] == f"ws://127.0.0.1:7860{path}"
    with guarded.websocket_connect(WS + path) as socket:
        assert socket.receive_json() == {"kind": "websocket", "body": {"name": "Ada"}}
        socket.send_text("bye")
    assert refused(guarded, path)[0] == 401


def test_the_token_itself_opens_a_socket(guarded: TestClient) -> None:
    """A program that has the token needs no ticket, and its kind is found out by the bot."""
    with guarded.websocket_connect(f"{WS}/ws", headers=BEARER) as socket:
        assert socket.receive_json() == {"kind": None, "body": {}}
        socket.send_text("bye")


def test_a_public_url_is_what_clients_are_sent_to() -> None:
    """Behind a proxy that ends TLS, the address is the proxy's."""
    access = Access(TOKEN, url="https://voice.example")
    with client_of(app_for(access=access)) as client:
        said = client.post("/start", json={"transport": "websocket"}, headers=BEARER).json()
    assert said["wsUrl"].startswith("wss://voice.example/ws-client/")


def test_a_full_server_says_when_to_try_again() -> None:
    """503 with Retry-After, by socket, by `/start` and by offer; a place that is free again is given."""
    with client_of(app_for(calls_max=1, retry_ms=7_001)) as client:
        with client.websocket_connect(f"{WS}/ws") as socket:
            socket.receive_json()
            assert refused(client, "/ws") == (503, "8")
            for path in ("/start", "/api/offer"):
                answer = client.post(path, json={"sdp": "v=0", "type": "offer"})
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "8")
            assert client.get("/healthz").json()["calls"] == 1
            socket.send_text("bye")
        with client.websocket_connect(f"{WS}/ws") as socket:
            socket.receive_json()
            socket.send_text("bye")


def test_too_many_announcements_are_refused() -> None:
    """429 with Retry-After once as many calls wait to begin as may."""
    with client_of(app_for(pending_max=2)) as client:
        answers = [client.post("/start", json={}) for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "5"


def test_a_draining_server_is_alive_and_not_ready() -> None:
    """`/readyz` says 503 and nobody gets in, while `/healthz` goes on."""
    app = app_for()
    with client_of(app) as client:
        app.state.desk.calls.draining = True
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        assert client.post("/start", json={}).status_code == 503
        assert refused(client, "/ws") == (503, "5")


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("length", "status"), [(65_536, 200), (65_537, 413)])
def test_a_body_of_64_kib_is_the_longest(chunked: bool, length: int, status: int) -> None:
    """Said in advance or found out on the way, a longer one is refused."""
    body = b"{}".ljust(length)
    headers = {"Content-Type": "application/json"}
    content: Any = iter([body[:40_000], body[40_000:]]) if chunked else body
    with client_of(app_for()) as client:
        assert client.post("/start", content=content, headers=headers).status_code == status


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example:7860"}, {"Origin": "https://evil.example"}]
)
def test_a_foreign_page_reaches_nothing(headers: dict[str, str]) -> None:
    """Neither by request nor by WebSocket, which no browser asks about before."""
    with client_of(app_for()) as client:
        assert client.post("/start", json={}, headers=headers).status_code == 403
        assert refused(client, "/ws", headers=headers)[0] == 403


def test_a_listed_page_may_call() -> None:
    """Its browser is told so before the request, with the token's header allowed."""
    origin = "https://shop.example"
    asks = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    asks["Access-Control-Request-Headers"] = "authorization"
    with client_of(app_for(access=Access(TOKEN, (origin,)))) as client:
        told = client.options("/start", headers=asks)
        assert told.headers["access-control-allow-origin"] == origin
        assert client.post("/start", json={}, headers={**BEARER, "Origin": origin}).is_success


@pytest.mark.parametrize("data", [{}, {"sdp": "m=audio x", "type": "offer"}, {"sdp": 1, "type": 2}])
def test_an_unreadable_offer_takes_no_place(data: dict[str, Any]) -> None:
    """400, and the next caller finds the place free."""
    app = app_for(calls_max=1)
    with client_of(app) as client:
        assert client.post("/api/offer", json=data).status_code == 400
        assert len(app.state.desk.calls) == 0


def test_an_unknown_session_is_no_session() -> None:
    """An id that `/start` did not give gets 404, for offers and for candidates."""
    with client_of(app_for()) as client:
        for method in ("POST", "PATCH"):
            answer = client.request(
                method, "/sessions/guess/api/offer", json={"sdp": "", "type": ""}
            )
            assert answer.status_code == 404


async def idle(_args: RunnerArguments) -> None:
    """Stays until its call is ended."""
    await asyncio.Event().wait()


def browser_offer() -> dict[str, Any]:
    """Return what a browser offers; it never connects."""

    async def offered() -> dict[str, Any]:
        peer = RTCPeerConnection()
        peer.addTransceiver("audio")
        await peer.setLocalDescription(await peer.createOffer())
        said = peer.localDescription
        await peer.close()
        return {"sdp": said.sdp, "type": said.type}

    return asyncio.run(offered())


@contextmanager
def session() -> Iterator[tuple[TestClient, str, dict[str, Any]]]:
    """Begin a call by a ticket; give the client, the session's offer route and the answer."""
    app = app_for(idle, Access(TOKEN))
    with client_of(app) as client:
        said = client.post("/start", json={}, headers=BEARER).json()
        path = f"/sessions/{said['sessionId']}/api/offer"
        yield client, path, client.post(path, json=browser_offer()).json()


@pytest.mark.parametrize("pc_id", [None, "", "another"])
def test_a_ticket_opens_one_call_by_offer(pc_id: str | None) -> None:
    """While the call of a session runs, an offer for another connection begins no second one."""
    with session() as (client, path, answer):
        assert answer["pc_id"]
        again = client.post(path, json={**browser_offer(), "pc_id": pc_id})
        assert again.status_code == 404
        assert client.get("/healthz").json()["calls"] == 1


def test_a_session_reaches_its_own_connection_alone() -> None:
    """Candidates are taken for the connection that the session began, and for no other."""
    with session() as (client, path, answer):
        wanted = {"pc_id": answer["pc_id"], "candidates": []}
        assert client.patch(path, json=wanted).status_code == 200
        direct = client.post("/api/offer", json=browser_offer(), headers=BEARER).json()
        assert client.patch(path, json={**wanted, "pc_id": direct["pc_id"]}).status_code == 404


def test_a_connection_that_is_made_anew_stays_its_sessions_own() -> None:
    """A client that has lost the network comes back, again and again, and takes no second place."""
    with session() as (client, path, answer):
        for _ in range(2):
            lost = {**browser_offer(), "pc_id": answer["pc_id"], "restart_pc": True}
            again = client.post(path, json=lost)
            assert again.status_code == 200
            answer = again.json()
            wanted = {"pc_id": answer["pc_id"], "candidates": []}
            assert client.patch(path, json=wanted).status_code == 200
            assert client.get("/healthz").json()["calls"] == 1


@pytest.mark.parametrize("candidate", ["x", 5])
def test_an_unreadable_candidate_is_refused(candidate: Any) -> None:
    """400, and no traceback that would show what was sent."""
    one = {"candidate": candidate, "sdp_mid": "0", "sdp_mline_index": 0}
    with session() as (client, path, answer):
        sent = {"pc_id": answer["pc_id"], "candidates": [one]}
        assert client.patch(path, json=sent).status_code == 400


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_connection_that_is_no_text_is_refused(method: str) -> None:
    """400 for a list where an id should be."""
    sent = {"sdp": "", "type": "offer", "pc_id": [], "candidates": []}
    with client_of(app_for()) as client:
        assert client.request(method, "/api/offer", json=sent).status_code == 400


def test_a_refused_body_is_not_sent_back() -> None:
    """422 tells what is wrong and where, and holds nothing that was sent."""
    headers = {"Content-Type": "application/json"}
    with client_of(app_for()) as client:
        for value in ('"4111"', "NaN", '"\\ud800"'):
            sent = f'{{"transport": {value}}}'
            answer = client.post("/start", content=sent, headers=headers)
            assert (answer.status_code, "4111" in answer.text) == (422, False)
            assert "transport" in answer.text


def test_the_bots_own_routes_are_mounted() -> None:
    """A bot file may bring a page or a webhook along."""
    desk = Desk.of(greeter, ServerConfig.of(load_policy(env={})), Access())

    def mount(app: FastAPI) -> None:
        app.get("/hello")(lambda: "hello")

    with client_of(create_app(desk, mounts=[mount])) as client:
        assert client.get("/hello").json() == "hello"


def test_a_bot_that_fails_ends_its_call_alone() -> None:
    """The caller's socket is closed, the place is free, the server goes on."""

    async def broken(args: RunnerArguments) -> None:
        await asyncio.sleep(0)
        raise ValueError("my card number is 4111")

    app = app_for(broken)
    with client_of(app) as client:
        with client.websocket_connect(f"{WS}/ws") as socket:
            assert socket.receive()["type"] == "websocket.close"
        assert client.get("/healthz").json()["calls"] == 0
