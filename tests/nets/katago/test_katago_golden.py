"""KataGo's own outputs for its networks, raw, on positions of many sizes, rules and komi values."""

import os
from pathlib import Path

import golden
import numpy as np
import pytest

from tengen.board import WHITE
from tengen.nets import NetSettings, load_net
from tengen.nets.katago import import_net

TOLERANCE = 1e-3
RELATIVE = 2e-4
"""Tolerance of large leads: KataGo's rounding errors, by a computation in float64."""
NETS = [
    "b7c96h3tfrs-test5-cnorm",
    "b10c384h6nbttflrs",
    "g170-b6c96-s175395328-d26788732",
    "g170e-b15c192-s1672170752-d466197061",
]
GAMES, OUTPUTS = golden.load()


@pytest.fixture
def net_file(request, reference_data):
    """The model file of a network, from the reference data or the user's folder of networks."""
    folders = [reference_data / "nets", Path(os.environ.get("TENGEN_NET_DIR", "."))]
    for folder in folders:
        if (path := folder / f"{request.param}.bin.gz").is_file():
            return path
    return pytest.skip(f"needs {request.param}.bin.gz: put it in the folder TENGEN_NET_DIR names")


@pytest.mark.kernels
@pytest.mark.parametrize("net_file", NETS, indirect=True)
def test_outputs(net_file, tmp_path):
    import_net(net_file, tmp_path / "net.onnx")
    net = load_net(tmp_path / "net.onnx", NetSettings(cache_mib=0))
    expected = OUTPUTS[net_file.name.removesuffix(".bin.gz")]
    positions = [golden.position_of(game) for game in GAMES[: len(expected)]]
    for position, found, wanted in zip(positions, net.evaluate(positions), expected, strict=True):
        policy, white_win, white_lead, white_ownership = wanted
        is_white = position.to_play is WHITE
        sign = 1 if is_white else -1
        assert np.append(found.policy, found.pass_probability) == pytest.approx(
            np.nan_to_num(policy), abs=TOLERANCE
        )
        assert np.array_equal(np.isnan(policy[:-1]), ~position.legal_grid().reshape(-1))
        win = found.win_to_play if is_white else 1 - found.win_to_play
        assert win == pytest.approx(white_win, abs=TOLERANCE)
        assert sign * found.lead_to_play == pytest.approx(white_lead, abs=TOLERANCE, rel=RELATIVE)
        assert sign * found.ownership_to_play.reshape(-1) == pytest.approx(
            white_ownership, abs=TOLERANCE
        )


def test_positions_are_varied():
    """The comparison covers sizes, rules, kos, passes and handicap."""
    positions = [golden.position_of(game) for game in GAMES]
    assert {(p.rows, p.columns) for p in positions} == {(9, 9), (13, 13), (19, 19), (9, 13)}
    assert len({p.rules.with_komi(0) for p in positions}) == 5
    assert len({p.rules.komi for p in positions}) >= 6
    assert sum(p.handicap > 0 for p in positions) >= 4
    assert sum(len(p.moves) > 0 and p.moves[-1].move == 0 for p in positions) >= 5
    assert sum(bool(p.block[golden.layout.KO]) for p in positions) >= 5
