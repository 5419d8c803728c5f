"""The lab of paper 001: who plays whom with which settings, and a run of each experiment."""

import re
import signal
import sys

import numpy as np
import pytest

from tengen.board.position import Position
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.lab.adaptive import contests, sizes
from tengen.lab.adaptive.contests import Sides
from tengen.lab.adaptive.spsa import on_the_way, theta_text
from tengen.lab.study import Table
from tengen.match.store import Store
from tengen.records.writer import record_from_position, write_games

SIDES = Sides("playouts", 400, "default", "threads=1")
OPPONENT = "tengen playouts=10"


def settings_of(player):
    name, *words = player.split()
    assert name == "tengen"
    return EngineSettings().with_words(words)


def all_contests():
    return [
        *contests.weights(SIDES, OPPONENT),
        *contests.depths(SIDES, OPPONENT, "default"),
        *contests.mixes(SIDES, OPPONENT),
        *contests.both(SIDES),
        *contests.matches(SIDES, "-0.01,0.5,0.3", "0,0,0.2", ["tengen playouts=3"]),
    ]


def test_every_player_can_be_made_and_every_contest_has_its_name():
    names = [contest.name for contest in all_contests()]
    assert len(set(names)) == len(names)
    for contest in all_contests():
        for player in contest.players:
            assert settings_of(player).play.playouts > 0


def test_weights_are_the_papers():
    found = contests.weights(SIDES, OPPONENT)
    use = [settings_of(contest.players[0]).net for contest in found]
    assert [one.net_weight for one in use] == [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]
    assert {one.playout_share for one in use} == {1.0}
    assert [contest.paper for contest in found] == [31, 34, 32, 8, 0, 0, 0]


def test_depths_have_two_nets():
    timed = contests.depths(Sides("seconds", 1, "slow.onnx"), OPPONENT, "fast.onnx")
    play = [settings_of(contest.players[0]).play for contest in timed]
    assert [one.net_depth for one in play] == [4, 6, 8, 10, 12, 14]
    assert {(one.net, one.net_below, one.seconds) for one in play} == {
        ("slow.onnx", "fast.onnx", 1.0)
    }
    assert [contest.paper for contest in timed][:3] == [10, None, 25]


def test_the_adaptive_weights_are_capped_as_in_the_paper():
    found = {c.name: c for c in contests.matches(SIDES, "-0.01,0.5,0.3", "0,0.1,0.2", [])}
    first, second = (settings_of(player).net for player in reversed(found["V2-V1"].players))
    assert (first.net_turn, first.net_value, first.net_weight, first.net_cap) == (
        -0.01,
        0.5,
        0.3,
        1.0,
    )
    assert (second.net_value, second.net_cap) == (0.1, 0.25)
    assert settings_of(found["V2-more"].players[1]).play.playouts == 1000
    both = [settings_of(player).play for player in found["both-more"].players]
    assert [play.playouts for play in both] == [1000, 1000]
    assert [play.net for play in both] == ["default", "none"]


def test_playouts_are_whole_numbers():
    few, many = Sides("playouts", 25, "default"), Sides("playouts", 1_000_000, "default")
    assert settings_of(few.alone(contests.MORE)).play.playouts == 62
    assert settings_of(many.alone()).play.playouts == 1_000_000
    assert settings_of(many.with_net("")).play.playouts == 1_000_000
    assert Sides("seconds", 0.1, "default").alone(2.5).startswith("tengen seconds=0.25 ")


@pytest.mark.parametrize("theta", ["", "1,2", "a,b,c", "1,2,3,4"])
def test_a_theta_that_is_none_is_refused(theta):
    with pytest.raises(TengenError, match="write theta as a,b,c"):
        contests.theta_words(theta, 1.0)


def test_thetas_on_the_way():
    history = [[0.0, 0.0, float(step)] for step in range(11)]
    found = on_the_way(history, 4, SIDES, 1.0)
    assert [contest.name for contest in found] == ["theta0", "theta4", "theta8"]
    assert settings_of(found[1].players[1]).net.net_weight == 4
    assert settings_of(found[1].players[0]).net.net_weight == 10
    assert theta_text([0.5, -0.25, 1e-5]) == "0.5,-0.25,1e-05"


QUICK = ["--size", "7", "--playouts", "4", "--games", "2", "--engine", "threads=1 memory_mib=8"]


def test_an_experiment_is_played_and_gone_on_with(tmp_path, capsys):
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
        (["matches", "--other", "no-such-engine --mode gtp"], "no program 'no-such-engine' here"),
        (["matches", "--other", "tengen playout=5"], "other1: unknown setting 'playout'"),
        (["weights", "--opponent", "no-such-engine"], "no program 'no-such-engine' here"),
        (["both", "--size", "9,13"], "9,13"),
        (["both", "--sprt", "0;20"], "invalid sprt"),
        (["both", "--size", "5"], "nets know boards from 7x7 on"),
        (["both", "--games", "3"], "3 games: use an even number"),
        (["both", "--openings", "chance"], "chance"),
        (["depth"], "the slow net is the fast one"),
    ],
)
def test_mistakes_are_told_before_the_first_game(tmp_path, words, complaint):
    command = ["lab", "adaptive", words[0], "-o", str(tmp_path / "out"), *QUICK, *words[1:]]
    with pytest.raises(TengenError, match=complaint):
        main(command)
    assert not list(tmp_path.glob("**/*.sqlite"))


def test_a_mistake_does_not_claim_the_folder(tmp_path, capsys):
    command = ["lab", "adaptive", "both", "-o", str(tmp_path), *QUICK]
    with pytest.raises(TengenError, match="unknown setting"):
        main([*command, "--engine", "thread=1"])
    assert main(command) == 0
    capsys.readouterr()


def test_the_report_is_written_when_a_contest_is_stopped(tmp_path, monkeypatch, capsys):
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


def test_thetas_to_meet_are_one_in_so_many(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["lab", "adaptive", "spsa", "--positions", str(tmp_path), "--every", "0"])
    assert "'0' is not a whole number from 1 up" in capsys.readouterr().err


def test_theta_is_tuned_by_a_judge(tmp_path, capsys):
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


SMALL_NETS = ["--nets", "1x16,2x16", "--hours", "1", "--steps", "2", "--seconds", "0.01"]


@pytest.fixture
def games(tmp_path):
    """Two files of random games on 7x7, to learn from and to ask about."""
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


def test_sizes_are_trained_asked_and_played(games, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.setattr(sizes, "CALIBRATION_GAMES", 1)
    out = games / "my study"
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), "-o", str(out), *SMALL_NETS]
    command += ["--unseen", str(games / "unseen.sgf"), "--positions", "40", "--size", "7"]
    command += ["--games", "2", "--opponent", "tengen playouts=2 threads=1 memory_mib=8"]
    assert main(command) == 0
    rows = Table(out / "nets.csv", sizes.COLUMNS).rows
    assert [(row["net"], row["steps"]) for row in rows] == [("1x16", "2"), ("2x16", "2")]
    assert int(rows[0]["weights"]) < int(rows[1]["weights"])
    shares = [float(rows[0][f"top{place}"]) for place in sizes.PLACES]
    assert shares == sorted(shares)
    assert shares[-1] > shares[0]
    stores = {path.stem for path in out.glob("*.sqlite")}
    assert stores == {"1x16-policy", "2x16-policy", "2x16-1x16"}
    page = (out / "report.html").read_text()
    assert "2x16 - 1x16, 0.01 s a move each" in page
    assert "12 layers of 128" in page
    before = (out / "2x16" / "net.onnx").stat().st_mtime_ns
    assert main(command) == 0
    assert (out / "2x16" / "net.onnx").stat().st_mtime_ns == before
    assert len(Table(out / "nets.csv", sizes.COLUMNS).rows) == 2
    capsys.readouterr()


def test_ctrl_c_in_a_training_ends_the_study_with_a_report(games, monkeypatch, capsys):
    pytest.importorskip("torch")
    from tengen.network.training import session

    def stopped(folder, trainer, material, show, stop):
        signal.raise_signal(signal.SIGINT)
        assert stop()

    monkeypatch.setattr(session, "train", stopped)
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), *SMALL_NETS]
    with pytest.raises(KeyboardInterrupt):
        main([*command, "--unseen", str(games / "unseen.sgf"), "-o", str(games / "out")])
    assert (games / "out" / "report.html").exists()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--nets", "4-32"], "BLOCKSxCHANNELS"),
        (["--nets", "4x8"], "16 channels or more"),
        (["--nets", "99x32"], "blocks"),
        (["--opponent", "no-such-engine"], "no program 'no-such-engine' here"),
        (["--unseen", "gone.sgf"], "cannot read"),
        (["--seconds", "0.001"], "seconds must be"),
        (["--size", "6"], "nets know boards from 7x7 on"),
    ],
)
def test_mistakes_of_sizes_are_told_before_the_training(games, words, complaint):
    command = ["lab", "adaptive", "sizes", str(games / "learn.sgf"), "-o", str(games / "out")]
    with pytest.raises(TengenError, match=complaint):
        main([*command, "--unseen", str(games / "unseen.sgf"), *words])
    assert not (games / "out").exists()


def test_sizes_without_games_leave_nothing_behind(games):
    (games / "empty").mkdir()
    learn, unseen, empty = (str(games / name) for name in ("learn.sgf", "unseen.sgf", "empty"))
    command = ["lab", "adaptive", "sizes", "-o", str(games / "out")]
    with pytest.raises(TengenError, match="no game to learn from in"):
        main([*command, empty, "--unseen", unseen])
    with pytest.raises(TengenError, match="no position to ask about in"):
        main([*command, learn, "--unseen", empty])
    assert not (games / "out").exists()
