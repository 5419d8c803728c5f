"""The Makefile creates and repairs .venv and reports what is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYTHON = """\
#!/bin/sh
echo "$*" >> log
case "$*" in
*" venv "*) test -z "$NO_VENV" && mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
*version_info*) test -z "$OLD" ;;
*"pip install"*) test -z "$NO_NET" ;;
esac
"""
"""Logs its arguments and fails where an environment variable requests it."""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def folder(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    write_program(tmp_path / "python", PYTHON)
    return tmp_path


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make(folder, target, **environment):
    command = ["make", target, "PYTHON=./python"]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
    )


def installed(folder):
    lines = (folder / "log").read_text().splitlines()
    return [line.rpartition(" ")[2] for line in lines if "pip install" in line]


def test_run_installs_only_what_the_page_needs(folder):
    assert make(folder, ".venv/.ready").returncode == 0
    assert installed(folder) == [".[nets]"]
    assert make(folder, ".venv/.dev").returncode == 0
    assert installed(folder) == [".[nets]", ".[dev]"]
    assert "is up to date" in make(folder, ".venv/.ready").stdout


def test_failed_installation_is_retried(folder):
    assert make(folder, ".venv/.ready", NO_NET="1").returncode != 0
    assert not (folder / ".venv" / ".ready").exists()
    assert make(folder, ".venv/.ready").returncode == 0


def test_venv_without_pip_is_recreated(folder):
    write_program(folder / ".venv" / "bin" / "python", "#!/bin/sh\nexit 1\n")
    assert make(folder, ".venv/.ready").returncode == 0
    assert "-m venv --clear .venv" in (folder / "log").read_text()


@pytest.mark.parametrize(
    ("fault", "message"),
    [("OLD", "Python 3.11 or newer is required"), ("NO_VENV", "apt install python3-venv")],
)
def test_reports_missing_requirements(folder, fault, message):
    done = make(folder, ".venv/.ready", **{fault: "1"})
    assert done.returncode != 0
    assert message in done.stderr
    assert not (folder / ".venv" / ".ready").exists()


def test_help_lists_every_target(folder):
    output = make(folder, "help").stdout
    phony = next(line for line in (ROOT / "Makefile").open() if line.startswith(".PHONY:"))
    assert [line.split()[1] for line in output.splitlines()] == phony.split()[1:]
