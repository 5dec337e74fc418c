"""Pipecat's own evals, which speak to the bots and listen to them over their WebSocket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pipecat.evals.scenario import EvalScenarioFile, EvalScriptScenario
from pipecat.evals.session import EvalSession, EvalSessionParams
from support.running_bot import ROOT, Running, running_bot

pytestmark = [pytest.mark.bots, pytest.mark.speech]

FOLDER = ROOT / "tests/bots/evals"
SCENARIOS = {
    one.name: one
    for path in sorted(FOLDER.glob("*.yaml"))
    for one in EvalScenarioFile.load(path)
    if isinstance(one, EvalScriptScenario)
}


@pytest.fixture(scope="module")
def duplex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run the bot that all scenarios call, one after the other."""
    with running_bot(ROOT / "bots/duplex.py", tmp_path_factory.mktemp("bot")) as running:
        yield running


@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_scenario_passes(name: str, duplex: Running, tmp_path: Path) -> None:
    """Every expectation of its file is met."""
    params = EvalSessionParams(default_timeout_ms=30_000, cache_dir=str(tmp_path))
    url = duplex.url.replace("http", "ws") + "ws"
    result = await EvalSession.from_scenario(SCENARIOS[name], url, params=params).run()
    assert result.passed, "\n".join([str(one) for one in result.failures] + result.debug_log)
