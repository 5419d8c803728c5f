"""Compiling for all layers in a process beside the page."""

import pytest

from tengen.view import warming


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_all_layers_are_made_once(cache, monkeypatch):
    made = []
    monkeypatch.setattr(warming, "make_layer", lambda name, position: made.append(name))
    warming.warm_up()
    assert {"bigmove.p1", "potential", "shape", "net.policy", "metric.ed4"} < set(made)
    assert not {"search.visits", "experts"} & set(made)
    assert warming.warm_up_beside() is None


def test_a_process_does_it(cache, monkeypatch):
    """With a Python that does nothing in the place of ours."""
    monkeypatch.setattr(warming.sys, "executable", "true")
    process = warming.warm_up_beside()
    assert process is not None
    assert process.wait(timeout=60) == 0


def test_without_a_cache_there_is_nothing_to_do(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert warming.warm_up_beside() is None
