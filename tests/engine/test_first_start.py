"""The first start: a helper process compiles some of the kernels."""

import subprocess
import sys

import pytest

from tengen.engine import EngineSettings, create_engine, first_start


@pytest.fixture
def started(monkeypatch, tmp_path):
    """An empty cache and two cores; yields the commands that are started."""
    commands = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: commands.append(command))
    return commands


def make_engine():
    return create_engine(EngineSettings().with_overrides(["net=none", "memory_mib=1"]))


def test_only_the_first_engine_starts_a_helper(started):
    make_engine()
    make_engine()
    assert started == [[sys.executable, "-c", first_start.HELPER.format(has_net=False)]]


@pytest.mark.parametrize("cores", [1, None])
def test_one_core_compiles_alone(started, monkeypatch, cores):
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    make_engine()
    assert started == []


def test_no_helper_without_a_cache(started, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    make_engine()
    assert started == []


def test_a_helper_that_cannot_start_is_ignored(started, monkeypatch):
    def fail(command, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", fail)
    assert make_engine().settings.play.net == "none"


@pytest.mark.parametrize(
    ("has_net", "first"), [(True, "_compile_net"), (False, "_compile_sources")]
)
def test_helper_begins_with_what_is_needed_first(has_net, first, monkeypatch):
    steps = []
    for name in ("_compile_net", "_compile_endgame", "_compile_sources"):
        monkeypatch.setattr(first_start, name, lambda name=name: steps.append(name))
    exec(first_start.HELPER.format(has_net=has_net), {})
    assert steps[0] == first
    assert len(steps) == 3


def test_helper_compiles_without_an_engine():
    first_start.compile_others(has_net=True)
