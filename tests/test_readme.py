"""What README and env.example promise exists."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

from jev_turn.policy import load_policy

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _ours(snippet: str) -> list[tuple[str, str]]:
    nodes = [node for node in ast.walk(ast.parse(snippet)) if isinstance(node, ast.ImportFrom)]
    return [
        (node.module, alias.name)
        for node in nodes
        for alias in node.names
        if node.module and node.module.startswith("jev_turn")
    ]


@pytest.mark.parametrize(("module", "name"), [one for text in SNIPPETS for one in _ours(text)])
def test_what_a_snippet_imports_exists(module: str, name: str) -> None:
    """Copying a snippet from README does not end in an ImportError."""
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(jev_turn(?:\.\w+)+)`", README))))
def test_a_public_module_exists(name: str) -> None:
    """Every module that README calls public can be found."""
    assert importlib.util.find_spec(name)


@pytest.mark.parametrize(
    "target", [one for one in re.findall(r"\]\(([^)]+)\)", README) if "://" not in one]
)
def test_a_link_leads_somewhere(target: str) -> None:
    """A relative link names a file of this repository."""
    assert (ROOT / target).exists()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"^make ([\w-]+)", README, re.MULTILINE))))
def test_a_make_target_exists(target: str) -> None:
    """Every `make` command in README is a target."""
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_the_example_environment_is_accepted() -> None:
    """Every line of env.example, uncommented, is a setting that the policy takes."""
    text = (ROOT / "env.example").read_text()
    pairs = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", text, re.MULTILINE))
    assert "TYPESAFE_API_KEY" in pairs
    policy = load_policy(env=pairs)
    assert policy.source("gate.hold_ms") != "default"
