"""The bots that Pipecat's runner serves."""

from __future__ import annotations

import importlib.util
import inspect
import json
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.running_bot import ROOT, running_bot

from jev_turn.page.mount import lines, source

BOTS = ["duplex", "finish_turn"]


@pytest.mark.bots
@pytest.mark.parametrize("name", BOTS)
def test_a_bot_serves_its_page_and_says_what_it_runs_on(name: str, tmp_path: Path) -> None:
    """Started without a key it says so, prints its address and the six lines, and has the page."""
    with running_bot(ROOT / f"bots/{name}.py", tmp_path) as running:
        with urlopen(running.url, timeout=10) as answer:
            assert answer.read().decode() == source(barge_in=name == "duplex")
        with urlopen(running.url + "status", timeout=10) as answer:
            assert {"webrtc", "twilio", "websocket"} <= set(json.load(answer)["transports"])
        told = running.log.read_text()
    assert "recogniser: embedded (DEEPGRAM_API_KEY is not set)" in told
    assert running.url in told
    assert all(line in told for line in lines(barge_in=name == "duplex"))


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_is_what_the_runner_looks_for(name: str) -> None:
    """`bot(runner_args)` is a coroutine function, and importing the file starts nothing."""
    spec = importlib.util.spec_from_file_location(f"a_bot_{name}", ROOT / f"bots/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert inspect.iscoroutinefunction(module.bot)
    assert list(inspect.signature(module.bot).parameters) == ["runner_args"]
