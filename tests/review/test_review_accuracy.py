"""Reviews of a professional game with KataGo's b6c96: no saw-tooth, and stable mistakes."""

import tarfile
from dataclasses import replace

import numpy as np
import pytest

from tengen.engine import EngineSettings, create_engine
from tengen.nets.katago import import_net
from tengen.records import read_bytes
from tengen.review import review_game
from tengen.search import SearchLimit

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
VISITS = 100
COMPARED_MOVES = 60
"""Moves that are reviewed again with twice the visits."""

pytestmark = [pytest.mark.kernels, pytest.mark.slow, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def game(reference_data):
    """Return a professional game of 118 moves."""
    with tarfile.open(reference_data / "games" / "pro.tar.xz") as archive:
        member = next(one for one in archive if one.name.endswith("pro-000.sgf"))
        return next(iter(read_bytes(archive.extractfile(member).read(), member.name)))


@pytest.fixture(scope="module")
def net(reference_data, tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "b6c96.onnx"
    import_net(reference_data / NET, path)
    return path


def reviewed(game, net, visits):
    words = ["threads=1", "seed=1", "memory_mib=256", f"net={net}"]
    engine = create_engine(EngineSettings().with_overrides(words))
    return review_game(game, engine, lambda: SearchLimit(simulations=visits))


@pytest.fixture(scope="module")
def review(game, net):
    return reviewed(game, net, VISITS)


def autocorrelation(steps):
    """Return the lag-1 autocorrelation."""
    deviations = steps - steps.mean()
    return (deviations[1:] * deviations[:-1]).sum() / (deviations**2).sum()


@pytest.mark.parametrize("name", ["winrate", "lead"])
def test_values_do_not_alternate(review, name):
    values = np.array([getattr(estimate, name) for estimate in review.estimates])
    assert autocorrelation(np.diff(values)) > -0.2


def test_every_position_has_the_same_visits(review):
    assert {estimate.visits for estimate in review.estimates} == {VISITS}


def test_twice_the_visits_find_about_the_same_mistakes(game, net, review):
    again = reviewed(replace(game, moves=game.moves[:COMPARED_MOVES]), net, 2 * VISITS)
    few = sum(move.is_mistake for move in review.moves[:COMPARED_MOVES])
    many = sum(move.is_mistake for move in again.moves)
    assert few >= 3
    assert abs(many - few) < few / 3
