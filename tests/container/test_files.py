"""What the container's files say agrees with each other and with the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from jev_turn.policy import load_policy
from jev_turn.server.config import ServerConfig

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
KILLED_AFTER_MS = 10_000
"""``docker stop`` kills after ten seconds unless it is told otherwise."""


def ms(text: str) -> int:
    """Return a duration such as ``15s``."""
    return int(text.removesuffix("s")) * 1000


def test_the_image_is_made_of_extras_that_exist() -> None:
    """A renamed extra would leave a part out without a word."""
    (extras,) = re.findall(r'^ARG EXTRAS="(.*)"$', DOCKERFILE, re.MULTILINE)
    assert set(extras.split()) <= PROJECT["optional-dependencies"].keys()


def test_what_is_copied_is_there_and_not_ignored() -> None:
    """The build context holds exactly what the Dockerfile copies from it."""
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == names
    assert all((ROOT / name).exists() for name in names)


def test_the_last_stage_is_not_root_and_has_a_health_check() -> None:
    """The image's own settings, which every way of running it takes over."""
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last and "apt-get" not in last


def test_a_drain_is_over_before_the_container_is_killed() -> None:
    """Both with docker's own patience and with the compose file's."""
    config = ServerConfig.of(load_policy(env={}))
    takes_ms = config.drain_ms + 2 * config.end_ms
    assert takes_ms < KILLED_AFTER_MS
    assert takes_ms < ms(COMPOSE["services"]["bot"]["stop_grace_period"])


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_compose_publishes_on_loopback_only(name: str) -> None:
    """The database is not published at all."""
    ports = COMPOSE["services"][name].get("ports", [])
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert bool(ports) is (name == "bot")


def test_compose_waits_for_a_healthy_database() -> None:
    """The bot starts when the database answers, and needs a token by file."""
    bot, db = COMPOSE["services"]["bot"], COMPOSE["services"]["db"]
    assert bot["depends_on"]["db"]["condition"] == "service_healthy" and "healthcheck" in db
    assert bot["environment"]["JEV_SERVER_TOKEN_FILE"] == "/run/secrets/server_token"
    assert {"bot", "db"} == COMPOSE["volumes"].keys()


def test_compose_starts_a_bot_that_exists() -> None:
    """The command is a file of the image."""
    (path,) = COMPOSE["services"]["bot"]["command"]
    assert (ROOT / Path(path).relative_to("/app")).is_file()


def test_pipecat_cloud_is_told_no_secret() -> None:
    """Keys come from the secret set; the Dockerfile that the comment names is there."""
    text = (ROOT / "pcc-deploy.toml").read_text()
    cloud = tomllib.loads(text)
    assert {"agent_name", "image", "secret_set"} <= cloud.keys()
    assert (ROOT / "deploy" / "pipecat-cloud.Dockerfile").is_file()
    assert "deploy/pipecat-cloud.Dockerfile" in text
