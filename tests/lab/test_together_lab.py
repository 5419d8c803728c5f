"""All ideas in one engine: the players, their ratings and costs, and a small run."""

import pytest
from matplotlib.figure import Figure

from tengen.board.position import Position
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.lab.opponents import check_program
from tengen.lab.study import Table
from tengen.lab.together import compare
from tengen.lab.together.costs import COLUMNS, PHASES, measure_costs, phase_positions
from tengen.lab.together.ideas import ideas, players
from tengen.lab.together.pictures import plot_differences
from tengen.lab.together.ratings import games_of, rating_rows
from tengen.match.tally import score_of_player


def settings_of(player):
    return EngineSettings().with_words(player.split()[1:])


def test_nothing_knows_nothing_and_all_knows_everything():
    found = players("playouts=5")
    nothing, everything = settings_of(found["none"]), settings_of(found["all"])
    assert [source.name for source in nothing.compiled_sources()] == ["even"]
    assert nothing.play.net == "none"
    names = {source.name for source in everything.compiled_sources()}
    assert {"tactics", "shape", "bigmove", "potential", "metric"} < names
    assert everything.play.net == "default"


def test_each_idea_stands_alone_and_is_left_out_once():
    found = players("playouts=5")
    assert list(found) == ["none", *ideas(), "all", *(f"-{name}" for name in ideas())]
    assert settings_of(found["-net"]).play.net == "none"
    assert settings_of(found["-shape"]).priors.shape == 0
    assert settings_of(found["shape"]).priors.shape == 80
    assert len({*found.values()}) == len(found)


def test_ideas_can_be_left_out_altogether():
    found = players("playouts=5", without=("net", "metric"))
    assert not {"net", "-net", "metric", "-metric"} & set(found)
    assert settings_of(found["all"]).play.net == "none"
    with pytest.raises(TengenError, match="unknown idea 'nets'"):
        players("playouts=5", without=("nets",))


def test_positions_of_each_phase():
    found = phase_positions(5)
    assert list(found) == list(PHASES)
    assert len(found["opening"].moves) == 0
    assert len(found["middle"].moves) == 9
    assert found["end"].moves[:9] == found["middle"].moves
    assert isinstance(found["end"], Position)


def test_a_small_comparison(tmp_path, capsys):
    words = ["--size", "5", "--playouts", "10", "--games", "2", "--cost-seconds", "0.02"]
    words += ["--without", "net,metric,filter,potential,engine"]
    command = ["lab", "together", "compare", "-o", str(tmp_path), *words]
    assert main(command) == 0
    rows = games_of(tmp_path / "games-5.sqlite")
    names = ["none", "bigmove", "shape", "all"]
    assert len(rows) == 2 * 6
    rated = rating_rows(names, rows)
    assert {row["player"] for row in rated} == set(names)
    for row in rated:
        score = score_of_player(rows, names.index(row["player"]))
        assert row["won"] == f"{score.wins}/6"
    assert next(row for row in rated if row["player"] == "none")["Elo"] == "+0 ± 0"
    costs = (tmp_path / "costs.csv").read_text()
    assert costs.count("\n") == 1 + len(names) * len(PHASES)
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert main(command) == 0, "a comparison that is done is only reported"
    assert (tmp_path / "costs.csv").read_text() == costs
    capsys.readouterr()


def test_an_opponent_has_a_name(tmp_path):
    command = ["lab", "together", "compare", "-o", str(tmp_path), "--opponent", "gnugo"]
    with pytest.raises(TengenError, match="write it as NAME:COMMAND, not 'gnugo'"):
        main(command)


@pytest.mark.parametrize(
    ("opponents", "complaint"),
    [
        (["net:tengen playouts=5"], "'net' is one of Tengen's own players"),
        (["a:tengen playouts=5", "a:tengen playouts=6"], "two are called 'a'"),
        (["a:tengen playout=5"], "a: unknown setting 'playout'"),
        (["a:no-such.toml"], "a: .*no-such.toml"),
    ],
)
def test_opponents_that_cannot_be(tmp_path, opponents, complaint):
    command = ["lab", "together", "compare", "-o", str(tmp_path)]
    for opponent in opponents:
        command += ["--opponent", opponent]
    with pytest.raises(TengenError, match=complaint):
        main(command)


def test_a_settings_file_is_an_opponent(tmp_path):
    (tmp_path / "mine.toml").write_text("playouts = 5\n")
    check_program("mine", str(tmp_path / "mine.toml"))


def test_costs_are_those_of_players_in_this_process(tmp_path, monkeypatch, capsys):
    measured = {}
    monkeypatch.setattr(compare, "measure_costs", lambda _t, _s, own, _: measured.update(own))
    monkeypatch.setattr(compare, "play_round_robin", lambda *_arguments: None)
    (tmp_path / "mine.toml").write_text("playouts = 5\n")
    words = ["--opponent", "old:tengen gtp playouts=5", "--opponent", f"mine:{tmp_path}/mine.toml"]
    assert main(["lab", "together", "compare", "-o", str(tmp_path / "out"), *words]) == 0
    assert {"none", "all", "mine"} < set(measured)
    assert "old" not in measured
    capsys.readouterr()


def test_costs_of_a_settings_file_are_its_own(tmp_path):
    (tmp_path / "mine.toml").write_text("net = '/no/such.onnx'\n")
    table = Table(tmp_path / "costs.csv", COLUMNS)
    with pytest.raises(TengenError, match=r"no/such.onnx"):
        measure_costs(table, 5, {"mine": f"{tmp_path}/mine.toml"}, 0.01)


def test_the_report_is_written_when_the_games_are_stopped(tmp_path, monkeypatch):
    def stopped(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "play_round_robin", stopped)
    monkeypatch.setattr(compare, "measure_costs", lambda *_arguments: None)
    written = []
    monkeypatch.setattr(compare, "write_report", lambda *_arguments: written.append(1))
    with pytest.raises(KeyboardInterrupt):
        main(["lab", "together", "compare", "-o", str(tmp_path), "--size", "5"])
    assert len(written) == 2, "before the games, and when they are stopped"


def test_a_picture_has_the_best_on_top():
    axes = Figure().add_subplot()
    plot_differences(axes, {"none": (0.0, 0.0), "net": (0.3, 0.1), "-net": (0.1, 0.1)}, "worth")
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "nothing",
        "all but net",
        "net",
    ]
    assert axes.get_xlabel() == "worth (95 % intervals)"
