"""Where TypeSafeClassifier's settings come from, and what it never shows."""

from __future__ import annotations

import json

import pytest
from support.fake_judges import config, jump
from support.fake_typesafe import KEY, ONE, Wire, classifier

from jev_turn.errors import ConfigError
from jev_turn.judges.typesafe import PINNED_MODEL, TypeSafeClassifier

ENV = {
    "TYPESAFE_API_KEY": f" {KEY}\n",
    "TYPESAFE_BASE_URL": "https://openrouter.ai/api",
    "TYPESAFE_DEFAULT_MODEL": "jev-1.13",
}


def test_the_environment_names_key_address_and_model() -> None:
    """So that another server of the same protocol serves too."""
    line = Wire()
    jump(TypeSafeClassifier(config(), env=ENV, transport=line).ask("so", ONE))
    (request,) = line.requests
    assert str(request.url) == "https://openrouter.ai/api/v1/systemone"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.content)["model"] == "jev-1.13"


def test_arguments_win_over_the_environment() -> None:
    """What the bot's author wrote down counts first."""
    line = Wire()
    ours = TypeSafeClassifier(
        config(),
        api_key="other",
        base_url="http://127.0.0.1:9/",
        model="local",
        env=ENV,
        transport=line,
    )
    jump(ours.ask("so", ONE))
    (request,) = line.requests
    assert (ours.model, str(request.url)) == ("local", "http://127.0.0.1:9/v1/systemone")
    assert request.headers["authorization"] == "Bearer other"


@pytest.mark.parametrize("env", [{}, {"TYPESAFE_API_KEY": "  "}])
def test_a_missing_key_is_said_clearly(env: dict[str, str]) -> None:
    """When the bot is built, by the name of the variable."""
    with pytest.raises(ConfigError, match="TYPESAFE_API_KEY is not set"):
        TypeSafeClassifier(config(), env=env, transport=Wire())


@pytest.mark.parametrize("key", ["sk never-shown", "sk-never-shown\u00e9", "sk-never\x00shown"])
def test_a_broken_key_is_refused_unseen(key: str) -> None:
    """Neither message nor cause nor context holds it."""
    with pytest.raises(ConfigError, match="TYPESAFE_API_KEY holds no key") as caught:
        TypeSafeClassifier(config(), api_key=key, env={}, transport=Wire())
    assert "shown" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "url", ["api.typesafe.ai", "ftp://host", "https://", "https://u:p@host", "http://host\x00"]
)
def test_a_broken_address_is_refused_unseen(url: str) -> None:
    """An address with a login would end up in every log line."""
    with pytest.raises(ConfigError, match="TYPESAFE_BASE_URL") as caught:
        TypeSafeClassifier(config(), api_key=KEY, base_url=url, env={}, transport=Wire())
    assert url not in str(caught.value)


def test_the_key_is_in_no_repr() -> None:
    """Not of the classifier, nor of anything that hangs on it."""
    ours = classifier(Wire())
    shown = [repr(ours), str(ours), repr(vars(ours)), repr(vars(ours._client))]
    assert not [text for text in shown if KEY in text]


def test_the_packaged_policy_serves_without_settings() -> None:
    """A plain bot needs a key and nothing else; idle connections stay for four minutes."""
    ours = TypeSafeClassifier(env={"TYPESAFE_API_KEY": KEY})
    assert ours.model == PINNED_MODEL == "jev-1.13.0"
    pool = ours._client._http_client._transport._pool  # type: ignore[attr-defined]
    assert pool._keepalive_expiry == 240.0


def test_connections_are_kept_as_long_as_the_policy_says() -> None:
    """The SDK's own 30 s would make most first questions of a turn cold."""
    ours = TypeSafeClassifier(config(keepalive_s=123.0), api_key=KEY, env={})
    pool = ours._client._http_client._transport._pool  # type: ignore[attr-defined]
    assert pool._keepalive_expiry == 123.0
    assert (pool._http1, pool._http2) == (True, False)
