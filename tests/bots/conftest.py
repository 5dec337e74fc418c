"""What several tests of the bots need."""

from __future__ import annotations

import os

import pytest
from support.chromium import find


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the browser's program. CI installs one, so that there it must be found."""
    found = find()
    if found is None and os.environ.get("CI"):
        pytest.fail("CI has no Chromium, although .ci/run installs it")
    if found is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    return found
