"""Self-play without search."""

import numpy as np
import pytest
from stones import Stones
from test_quantization import Even, small_tower

from tengen.board import PASS, Position
from tengen.cli import net as net_play
from tengen.cli.main import main
from tengen.nets import Evaluation, Net, NetSettings, onnx_model, play_out, self_play
from tengen.nets.onnx_graph import save_model
from tengen.nets.self_play import LONGEST, draw_move
from tengen.records import read_games
from tengen.util import TengenError


@pytest.fixture
def net_file(tmp_path, monkeypatch):
    monkeypatch.setitem(onnx_model.FEATURES, "stones", "stones:Stones")
    save_model(small_tower(), tmp_path / "tower.onnx")
    return tmp_path / "tower.onnx"


def even_net():
    return Net("even", Stones(), Even(), NetSettings(batch=4))


def test_plays_games_to_the_end():
    games = [Position(7) for _ in range(5)]
    finished = []
    play_out(even_net(), games, np.random.default_rng(1), on_progress=finished.append)
    longest = int(LONGEST * 49)
    assert all(game.is_over or len(game.moves) == longest for game in games)
    assert sum(game.is_over for game in games) >= finished[-1]
    assert finished == sorted(finished)
    assert len({tuple(game.moves) for game in games}) == 5


def test_temperature_sharpens_the_policy():
    policy = np.zeros((7, 7), dtype=np.float32)
    policy[2, 3] = 0.75
    evaluation = Evaluation(policy, 0.25, 0.5, 0.0, policy)
    random = np.random.default_rng(1)
    drawn = [draw_move(evaluation, random, 0.5) for _ in range(2000)]
    assert drawn.count(PASS) / 2000 == pytest.approx(0.1, abs=0.03)  # 1 / (1 + 3^2)
    assert PASS not in [draw_move(evaluation, random, 0.01) for _ in range(100)]


def test_play_command_writes_games(net_file, tmp_path, capsys):
    words = ["net", "play", str(net_file), "--games", "3", "--size", "7", "--komi", "5.5"]
    for name in ("one.sgf", "two.sgf"):
        assert main([*words, "-o", str(tmp_path / name)]) == 0
    assert "3 games in" in capsys.readouterr().out
    games = list(read_games(str(tmp_path / "one.sgf"), pytest.fail))
    assert [(game.rows, game.komi) for game in games] == [(7, 5.5)] * 3
    assert sum(len(game.moves) for game in games) > 10
    assert (tmp_path / "one.sgf").read_bytes() == (tmp_path / "two.sgf").read_bytes()


def test_interrupt_keeps_finished_games(net_file, tmp_path, monkeypatch, capsys):
    def one_ends(net, going, random, temperature):
        if len(going) == 2:
            raise KeyboardInterrupt
        going[0].play(PASS)
        going[0].play(PASS)

    monkeypatch.setattr(self_play, "play_round", one_ends)
    words = ["net", "play", str(net_file), "--games", "3", "-o", str(tmp_path / "games.sgf")]
    assert main(words) == 130
    assert "1 games in" in capsys.readouterr().out
    assert len(list(read_games(str(tmp_path / "games.sgf"), pytest.fail))) == 1


def test_interrupt_without_games_keeps_the_old_file(net_file, tmp_path, monkeypatch):
    def interrupted(net, arguments, games):
        raise KeyboardInterrupt

    monkeypatch.setattr(net_play, "_play", interrupted)
    (tmp_path / "games.sgf").write_text("older")
    assert main(["net", "play", str(net_file), "-o", str(tmp_path / "games.sgf")]) == 130
    assert (tmp_path / "games.sgf").read_text() == "older"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-o", "gone/games.sgf"], "no such folder: gone"),
        (["-o", "."], "is a folder"),
        (["-o", "games.sgf", "--size", "5"], "boards from 7x7"),
        (["-o", "games.sgf", "--size", "25"], "25"),
        (["-o", "games.sgf", "--komi", "0.3"], "komi"),
    ],
)
def test_rejects_invalid_arguments(net_file, tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TengenError, match=complaint):
        main(["net", "play", str(net_file), *words])
    assert not (tmp_path / "games.sgf").exists()
