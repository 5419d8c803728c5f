"""Experiments of paper 001: players, settings and a small run of each."""

import re
import signal
import sys

import numpy as np
import pytest

from tengen.board import Position
from tengen.cli.main import main
from tengen.engine import EngineSettings
from tengen.lab.adaptive import matches as comparisons, sizes
from tengen.lab.adaptive.matches import Sides, intermediate_comparisons, theta_text
from tengen.lab.study import CsvTable
from tengen.match import Store
from tengen.records import record_from_position, write_games
from tengen.util import TengenError

SIDES = Sides("playouts", 400, "default", "threads=1")
OPPONENT = "tengen playouts=10"


def settings_of(player):
    name, *words = player.split()
    assert name == "tengen"
    return EngineSettings().with_overrides(words)


def all_contests():
    return [
        *comparisons.weights(SIDES, OPPONENT),
        *comparisons.depths(SIDES, OPPONENT, "default"),
        *comparisons.mixes(SIDES, OPPONENT),
        *comparisons.both(SIDES),
        *comparisons.matches(SIDES, "-0.01,0.5,0.3", "0,0,0.2", ["tengen playouts=3"]),
    ]


def test_players_start_and_comparisons_have_unique_names():
    names = [comparison.name for comparison in all_contests()]
    assert len(set(names)) == len(names)
    for comparison in all_contests():
        for player in comparison.players:
            assert settings_of(player).play.playouts > 0


def test_weights_of_the_paper():
    found = comparisons.weights(SIDES, OPPONENT)
    use = [settings_of(comparison.players[0]).net for comparison in found]
    assert [one.net_weight for one in use] == [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]
    assert {one.playout_share for one in use} == {1.0}
    assert [comparison.paper for comparison in found] == [31, 34, 32, 8, 0, 0, 0]


def test_depths_use_two_networks():
    timed = comparisons.depths(Sides("seconds", 1, "slow.onnx"), OPPONENT, "fast.onnx")
    play = [settings_of(comparison.players[0]).play for comparison in timed]
    assert [one.net_depth for one in play] == [4, 6, 8, 10, 12, 14]
    assert {(one.net, one.net_below, one.seconds) for one in play} == {
        ("slow.onnx", "fast.onnx", 1.0)
    }
    assert [comparison.paper for comparison in timed][:3] == [10, None, 25]


def test_adaptive_weights_are_capped():
    found = {c.name: c for c in comparisons.matches(SIDES, "-0.01,0.5,0.3", "0,0.1,0.2", [])}
    first, second = (settings_of(player).net for player in reversed(found["V2-V1"].players))
    assert (first.net_turn, first.net_value, first.net_weight, first.net_max_weight) == (
        -0.01,
        0.5,
        0.3,
        1.0,
    )
    assert (second.net_value, second.net_max_weight) == (0.1, 0.25)
    assert settings_of(found["V2-more"].players[1]).play.playouts == 1000
    both = [settings_of(player).play for player in found["both-more"].players]
    assert [play.playouts for play in both] == [1000, 1000]
    assert [play.net for play in both] == ["default", "none"]


def test_playouts_are_integers():
    few, many = Sides("playouts", 25, "default"), Sides("playouts", 1_000_000, "default")
    assert settings_of(few.alone(comparisons.MORE)).play.playouts == 62
    assert settings_of(many.alone()).play.playouts == 1_000_000
    assert settings_of(many.with_net("")).play.playouts == 1_000_000
    assert Sides("seconds", 0.1, "default").alone(2.5).startswith("tengen seconds=0.25 ")


@pytest.mark.parametrize("theta", ["", "1,2", "a,b,c", "1,2,3,4"])
def test_rejects_invalid_theta(theta):
    with pytest.raises(TengenError, match="theta must be three numbers a,b,c"):
        comparisons.theta_words(theta, 1.0)


def test_final_theta_plays_intermediate_ones():
    history = [[0.0, 0.0, float(step)] for step in range(11)]
    found = intermediate_comparisons(history, 4, SIDES, 1.0)
    assert [comparison.name for comparison in found] == ["theta0", "theta4", "theta8"]
    assert settings_of(found[1].players[1]).net.net_weight == 4
    assert settings_of(found[1].players[0]).net.net_weight == 10
    assert theta_text([0.5, -0.25, 1e-5]) == "0.5,-0.25,1e-05"


QUICK = ["--size", "7", "--playouts", "4", "--games", "2", "--engine", "threads=1 memory_mib=8"]


def test_experiment_is_played_and_resumed(tmp_path, capsys):
    command = ["lab", "adaptive", "both", "-o", str(tmp_path), *QUICK]
    assert main(command) == 0
    page = (tmp_path / "report.html").read_text()
    assert "as Black" in page
    assert {path.stem for path in tmp_path.glob("*.sqlite")} == {"search", "engine"}
    assert main(command) == 0
    assert "report.html" in capsys.readouterr().out
    with pytest.raises(TengenError, match="other settings"):
        main([*command, "--seed", "2"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["matches", "--other", "no-such-engine --mode gtp"],
            "program not found: 'no-such-engine'",
        ),
        (["matches", "--other", "tengen playout=5"], "other1: unknown setting 'playout'"),
        (["weights", "--opponent", "no-such-engine"], "program not found: 'no-such-engine'"),
        (["both", "--size", "9,13"], "9,13"),
        (["both", "--sprt", "0;20"], "invalid sprt"),
        (["both", "--size", "5"], "networks need boards of at least 7x7"),
        (["both", "--games", "3"], "games must be an even number"),
        (["both", "--openings", "chance"], "chance"),
        (["depth"], "the slow and the fast network are the same"),
    ],
)
def test_errors_are_reported_before_the_first_game(tmp_path, words, complaint):
    command = ["lab", "adaptive", words[0], "-o", str(tmp_path / "out"), *QUICK, *words[1:]]
    with pytest.raises(TengenError, match=complaint):
        main(command)
    assert not list(tmp_path.glob("**/*.sqlite"))


def test_failed_start_leaves_the_folder_usable(tmp_path, capsys):
    command = ["lab", "adaptive", "both", "-o", str(tmp_path), *QUICK]
    with pytest.raises(TengenError, match="unknown setting"):
        main([*command, "--engine", "thread=1"])
    assert main(command) == 0
    capsys.readouterr()


def test_report_is_written_after_an_interruption(tmp_path, monkeypatch, capsys):
    command = ["lab", "adaptive", "both", "-o", str(tmp_path), *QUICK]
    assert main(command) == 0
    (tmp_path / "report.html").unlink()

    def stopped(_store):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "results", stopped)
    with pytest.raises(KeyboardInterrupt):
        main(command)
    assert "as Black" in (tmp_path / "report.html").read_text()
    capsys.readouterr()


def test_rejects_nonpositive_every(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["lab", "adaptive", "spsa", "--positions", str(tmp_path), "--every", "0"])
    assert "'0' is not a positive integer" in capsys.readouterr().err


def test_theta_is_tuned_with_a_judge(tmp_path, capsys):
    games = tmp_path / "games"
    games.mkdir()
    (games / "a.sgf").write_text("(;SZ[7]KM[7.5];B[dd];W[cc];B[ed];W[dc];B[ec];W[ce])")
    settings = "playouts=2 net=none threads=1 memory_mib=8"
    judge = f"{sys.executable} -m tengen.cli.main gtp {settings}"
    command = ["lab", "adaptive", "spsa", "-o", str(tmp_path / "out"), *QUICK]
    command += ["--judge", judge, "--positions", str(games), "--iterations", "2", "--every", "2"]
    command += ["--sprt", "0,20"]
    assert main(command) == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.search("<td[^>]*>sprt</td><td[^>]*>0,20</td>", page)
    assert "theta " in capsys.readouterr().out
    assert (tmp_path / "out" / "tuning" / "path.svg").exists()
    assert (tmp_path / "out" / "theta0.sqlite").exists()


SMALL_NETS = ["--nets", "1x16,2x16", "--steps", "2", "--seconds", "0.01"]


@pytest.fixture
def games(tmp_path):
    """Two files of random 7x7 games, for training and held out."""
    for name, seed in (("learn.sgf", 1), ("unseen.sgf", 2)):
        random = np.random.default_rng(seed)
        records = []
        for _ in range(60):
            position = Position(7)
            for _ in range(16):
                position.play(int(random.choice(position.legal_moves())))
            records.append(record_from_position(position, result="B+R"))
        write_games(tmp_path / name, records)
    return tmp_path


def test_sizes_train_measure_and_play(games, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.setattr(sizes, "CALIBRATION_GAMES", 1)
    out = games / "my study"
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), "-o", str(out), *SMALL_NETS]
    command += ["--held-out", str(games / "unseen.sgf"), "--positions", "40", "--size", "7"]
    command += ["--games", "2", "--opponent", "tengen playouts=2 threads=1 memory_mib=8"]
    assert main(command) == 0
    rows = CsvTable(out / "nets.csv", sizes.COLUMNS).rows
    assert [(row["net"], row["steps"]) for row in rows] == [("1x16", "2"), ("2x16", "2")]
    assert int(rows[0]["weights"]) < int(rows[1]["weights"])
    shares = [float(rows[0][f"top{place}"]) for place in sizes.PLACES]
    assert shares == sorted(shares)
    assert shares[-1] > shares[0]
    stores = {path.stem for path in out.glob("*.sqlite")}
    assert stores == {"1x16-policy", "2x16-policy", "2x16-1x16"}
    page = (out / "report.html").read_text()
    assert "2x16 vs. 1x16, 0.01 s per move" in page
    assert "12 layers of 128" in page
    before = (out / "2x16" / "net.onnx").stat().st_mtime_ns
    assert main(command) == 0
    assert (out / "2x16" / "net.onnx").stat().st_mtime_ns == before
    assert len(CsvTable(out / "nets.csv", sizes.COLUMNS).rows) == 2
    capsys.readouterr()


def test_interrupted_training_writes_a_report(games, monkeypatch, capsys):
    pytest.importorskip("torch")

    def stopped(folder, trainer, material, show, stop):
        signal.raise_signal(signal.SIGINT)
        assert stop()

    monkeypatch.setattr("tengen.nets.training.train", stopped)
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), *SMALL_NETS]
    with pytest.raises(KeyboardInterrupt):
        main([*command, "--held-out", str(games / "unseen.sgf"), "-o", str(games / "out")])
    assert (games / "out" / "report.html").exists()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--nets", "4-32"], "BLOCKSxCHANNELS"),
        (["--nets", "4x8"], "at least 16 channels"),
        (["--nets", "99x32"], "blocks"),
        (["--opponent", "no-such-engine"], "program not found: 'no-such-engine'"),
        (["--held-out", "gone.sgf"], "cannot read"),
        (["--seconds", "0.001"], "seconds must be"),
        (["--size", "6"], "networks need boards of at least 7x7"),
    ],
)
def test_errors_are_reported_before_training(games, words, complaint):
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), "-o", str(games / "out")]
    with pytest.raises(TengenError, match=complaint):
        main([*command, "--held-out", str(games / "unseen.sgf"), *words])
    assert not (games / "out").exists()


def test_sizes_without_games_write_nothing(games):
    (games / "empty").mkdir()
    learn, unseen, empty = (str(games / name) for name in ("learn.sgf", "unseen.sgf", "empty"))
    command = ["lab", "adaptive", "sizes", "-o", str(games / "out")]
    with pytest.raises(TengenError, match="no games to train on in"):
        main([*command, empty, "--held-out", unseen])
    with pytest.raises(TengenError, match="no held-out positions in"):
        main([*command, learn, "--held-out", empty])
    assert not (games / "out").exists()
