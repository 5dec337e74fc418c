"""What a user installs: the wheel, built here and imported from a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCK = tomllib.loads((ROOT / "uv.lock").read_text())


def _run(*command: str | Path, cwd: Path = ROOT, path: Path | None = None) -> str:
    """Runs offline (nothing is resolved or fetched) and shows what the command said if it fails."""
    env = os.environ | {"PIP_NO_INDEX": "1", "PYTHONPATH": str(path or "")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _build(source: Path, target: str, into: Path) -> Path:
    _run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into, cwd=source)
    (made,) = into.iterdir()
    return made


def _files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    return _build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the wheel's files as an installer lays them."""
    target = tmp_path_factory.mktemp("installed")
    _run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel)
    return target


@pytest.mark.packaging
def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    """Each file under the source folders is in the wheel, under `jev_turn` alone."""
    sources = {"src/jev_turn": "", "processors": "processors/", "questions": "questions/"}
    wanted = {
        f"jev_turn/{prefix}{path.relative_to(ROOT / folder).as_posix()}"
        for folder, prefix in sources.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    templates = {f"jev_turn/templates/{name}.py" for name in ("duplex", "finish_turn")}
    held = {name for name in _files(wheel) if ".dist-info/" not in name}
    assert held == wanted | templates


@pytest.mark.packaging
def test_the_bots_that_new_writes_travel_with_the_wheel(installed: Path) -> None:
    """`jev-turn new` needs no checkout."""
    code = "from jev_turn.template import template; print(template('finish-turn'), end='')"
    written = _run(sys.executable, "-c", code, path=installed)
    # Its docstring says how to run it without a checkout.
    ours = (ROOT / "bots/finish_turn.py").read_text()
    assert written.split('"""', 2)[2] == ours.split('"""', 2)[2]


@pytest.mark.packaging
def test_the_wheel_holds_files_and_no_links(wheel: Path) -> None:
    """The links of an editable install would be dangling in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        modes = {item.filename: item.external_attr >> 16 for item in archive.infolist()}
    assert not [name for name, mode in modes.items() if mode & 0o170000 == 0o120000]


@pytest.mark.packaging
def test_the_licences_travel_with_the_wheel(wheel: Path) -> None:
    """The licences and NOTICE are in the metadata, where redistributors look for them."""
    names = {Path(name).name for name in _files(wheel) if "/licenses/" in name}
    assert names == {"LICENSE", "Apache-2.0.txt", "NOTICE"}


@pytest.mark.packaging
def test_a_wheel_from_the_source_archive_is_the_same(wheel: Path, tmp_path: Path) -> None:
    """Whoever builds from the source archive gets the same files, byte for byte."""
    archive = _build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert _files(_build(source, "wheel", tmp_path / "again")) == _files(wheel)


@pytest.mark.packaging
def test_the_installed_package_works_without_the_checkout(installed: Path) -> None:
    """Processors, questions and the version come from the installed folder."""
    code = (
        "import jev_turn, jev_turn.processors, jev_turn.policy, json;"
        "print(json.dumps([jev_turn.__version__, jev_turn.__file__, jev_turn.processors.__file__,"
        " sorted(jev_turn.policy.load_questions())]))"
    )
    said = _run(sys.executable, "-c", code, cwd=installed, path=installed)
    version, package, processors, questions = json.loads(said)
    assert version == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert Path(package).is_relative_to(installed) and Path(processors).is_relative_to(installed)
    assert len(questions) == 6


@pytest.mark.packaging
def test_the_command_is_installed(installed: Path) -> None:
    """`jev-turn` is an entry point that can be loaded."""
    code = (
        "from importlib.metadata import distribution;"
        "(one,) = distribution('pipecat-jev-turn').entry_points;"
        "print(one.name, callable(one.load()))"
    )
    assert _run(sys.executable, "-c", code, cwd=installed, path=installed).split() == [
        "jev-turn",
        "True",
    ]


def test_the_lock_names_public_sources_only() -> None:
    """Anybody can install from the lock: every package comes from PyPI, or is this one."""
    sources = [package["source"] for package in LOCK["package"]]
    assert sources.count({"editable": "."}) == 1
    assert all(
        source in ({"editable": "."}, {"registry": "https://pypi.org/simple"}) for source in sources
    )


def test_every_file_of_the_lock_has_a_hash() -> None:
    """What is installed from the lock is what was locked, whoever serves it."""
    files = [
        file
        for package in LOCK["package"]
        for file in [*package.get("wheels", []), *filter(None, [package.get("sdist")])]
    ]
    assert files and all(file["hash"].startswith("sha256:") for file in files)


def test_the_constraints_are_the_locks() -> None:
    """`make` installs the versions that uv would; `make lock` renews both."""
    locked = {(package["name"], package["version"]) for package in LOCK["package"]}
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {tuple(pin.split(";")[0].strip().split("==")) for pin in pins}
    assert pinned and pinned <= locked


def test_nothing_heavy_is_installed_by_default() -> None:
    """Neither the default install nor one with an embedded recogniser brings torch along."""
    by_name = {package["name"]: package for package in LOCK["package"]}
    ours = by_name["pipecat-jev-turn"]
    extras = ours["optional-dependencies"]
    todo = [*ours["dependencies"], *extras["embedded"], *extras["whisper"]]
    seen: set[str] = set()
    while todo:
        name = todo.pop()["name"]
        if name not in seen:
            seen.add(name)
            todo += by_name[name].get("dependencies", [])
    assert "onnxruntime" in seen
    assert not {name for name in seen if name == "torch" or name.startswith("nvidia")}
