"""Players built from ideas, ratings, costs and a small run."""

import pytest
from matplotlib.figure import Figure

from tengen.board import Position
from tengen.cli.main import main
from tengen.engine import EngineSettings
from tengen.lab.matches import check_player
from tengen.lab.study import CsvTable
from tengen.lab.together import compare
from tengen.lab.together.compare import games_of, rating_rows
from tengen.lab.together.ideas import (
    COLUMNS,
    PHASES,
    ideas,
    measure_costs,
    phase_positions,
    players,
    plot_differences,
)
from tengen.match import score_of_player
from tengen.util import TengenError


def settings_of(player):
    return EngineSettings().with_overrides(player.split()[1:])


def test_players_none_and_all():
    found = players("playouts=5")
    nothing, everything = settings_of(found["none"]), settings_of(found["all"])
    assert [source.name for source in nothing.compiled_sources()] == ["even"]
    assert nothing.play.net == "none"
    names = {source.name for source in everything.compiled_sources()}
    assert {"tactics", "shape", "bigmove", "potential", "metric"} < names
    assert everything.play.net == "default"


def test_each_idea_is_tested_alone_and_left_out():
    found = players("playouts=5")
    assert list(found) == ["none", *ideas(), "all", *(f"-{name}" for name in ideas())]
    assert settings_of(found["-net"]).play.net == "none"
    assert settings_of(found["-shape"]).priors.shape == 0
    assert settings_of(found["shape"]).priors.shape == 80
    assert len({*found.values()}) == len(found)


def test_ideas_can_be_omitted():
    found = players("playouts=5", without=("net", "metric"))
    assert not {"net", "-net", "metric", "-metric"} & set(found)
    assert settings_of(found["all"]).play.net == "none"
    with pytest.raises(TengenError, match="unknown idea 'nets'"):
        players("playouts=5", without=("nets",))


def test_phase_positions():
    found = phase_positions(5)
    assert list(found) == list(PHASES)
    assert len(found["opening"].moves) == 0
    assert len(found["middle"].moves) == 9
    assert found["end"].moves[:9] == found["middle"].moves
    assert isinstance(found["end"], Position)


def test_compare_small_run(tmp_path, capsys):
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
    assert main(command) == 0, "a finished comparison is only reported"
    assert (tmp_path / "costs.csv").read_text() == costs
    capsys.readouterr()


def test_opponent_needs_a_name(tmp_path):
    command = ["lab", "together", "compare", "-o", str(tmp_path), "--opponent", "gnugo"]
    with pytest.raises(TengenError, match="expected NAME:COMMAND, got 'gnugo'"):
        main(command)


@pytest.mark.parametrize(
    ("opponents", "complaint"),
    [
        (["net:tengen playouts=5"], "'net' is the name of a built-in player"),
        (["a:tengen playouts=5", "a:tengen playouts=6"], "duplicate name 'a'"),
        (["a:tengen playout=5"], "a: unknown setting 'playout'"),
        (["a:no-such.toml"], "a: .*no-such.toml"),
    ],
)
def test_rejects_invalid_opponents(tmp_path, opponents, complaint):
    command = ["lab", "together", "compare", "-o", str(tmp_path)]
    for opponent in opponents:
        command += ["--opponent", opponent]
    with pytest.raises(TengenError, match=complaint):
        main(command)


def test_settings_file_as_opponent(tmp_path):
    (tmp_path / "mine.toml").write_text("playouts = 5\n")
    check_player("mine", str(tmp_path / "mine.toml"))


def test_costs_are_measured_in_process(tmp_path, monkeypatch, capsys):
    measured = {}
    monkeypatch.setattr(compare, "measure_costs", lambda _t, _s, own, _: measured.update(own))
    monkeypatch.setattr(compare, "play_round_robin", lambda *_arguments: None)
    (tmp_path / "mine.toml").write_text("playouts = 5\n")
    words = ["--opponent", "old:tengen gtp playouts=5", "--opponent", f"mine:{tmp_path}/mine.toml"]
    assert main(["lab", "together", "compare", "-o", str(tmp_path / "out"), *words]) == 0
    assert {"none", "all", "mine"} < set(measured)
    assert "old" not in measured
    capsys.readouterr()


def test_costs_use_the_settings_file(tmp_path):
    (tmp_path / "mine.toml").write_text("net = '/no/such.onnx'\n")
    table = CsvTable(tmp_path / "costs.csv", COLUMNS)
    with pytest.raises(TengenError, match=r"no/such.onnx"):
        measure_costs(table, 5, {"mine": f"{tmp_path}/mine.toml"}, 0.01)


def test_report_is_written_after_interrupted_games(tmp_path, monkeypatch):
    def stopped(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "play_round_robin", stopped)
    monkeypatch.setattr(compare, "measure_costs", lambda *_arguments: None)
    written = []
    monkeypatch.setattr(compare, "write_report", lambda *_arguments: written.append(1))
    with pytest.raises(KeyboardInterrupt):
        main(["lab", "together", "compare", "-o", str(tmp_path), "--size", "5"])
    assert len(written) == 2, "before the games, and when they are stopped"


def test_plot_has_the_best_on_top():
    axes = Figure().add_subplot()
    plot_differences(axes, {"none": (0.0, 0.0), "net": (0.3, 0.1), "-net": (0.1, 0.1)}, "quality")
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "nothing",
        "all but net",
        "net",
    ]
    assert axes.get_xlabel() == "quality (95% intervals)"
