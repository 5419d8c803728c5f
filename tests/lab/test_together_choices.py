"""Judged positions, move choices and tuning."""

import json

import numpy as np
import pytest

from tengen.board import PASS, parse_vertex
from tengen.cli.main import main
from tengen.engine import EngineSettings, create_engine
from tengen.lab.labels import judged_positions
from tengen.lab.study import CsvTable
from tengen.lab.together import tune
from tengen.lab.together.ideas import phase_of
from tengen.lab.together.losses import CHOICES, choice_quality, choice_rows, move_qualities, paired
from tengen.lab.together.tune import STARTS, ChoiceObjective, parameters_from, template
from tengen.match.tuning import Duel, Spsa, SpsaSettings
from tengen.util import TengenError

MOVES = ["C3", "C2", "B2", "D3", "D2", "C4", "B3", "D4", "B4", "C1", "D1", "B1", "E2", "E3"]
TURNS = range(4, 12)


@pytest.fixture
def labels(tmp_path):
    """A held-out 5x5 game and another one; the judge prefers the next move."""
    folder = tmp_path / "labels"
    folder.mkdir()
    game = {"size": 5, "komi": 6.5, "moves": " ".join(MOVES)}
    (folder / "games.json").write_text(json.dumps([game, game]))
    rows = [(which, turn) for which in (0, 1) for turn in TURNS]
    next_moves = [index_of(MOVES[turn]) for _, turn in rows]
    np.savez(
        folder / "labels-5.npz",
        game=np.array([which for which, _ in rows]),
        turn=np.array([turn for _, turn in rows]),
        policy_move=np.array([[move, 25, 0] for move in next_moves]),
        policy=np.array([[0.5, 0.25, 0.0]] * len(rows)),
        black_win=np.full(len(rows), 0.5),
        black_lead=np.zeros(len(rows)),
        ownership=np.zeros((len(rows), 25), dtype=np.int8),
    )
    return folder


def index_of(vertex):
    return (5 - int(vertex[1])) * 5 + "ABCDE".index(vertex[0])


def test_quality_is_relative_to_the_best_move(labels):
    for entry in judged_positions(labels, 5, len(TURNS), 1):
        turn = len(entry.position.moves)
        assert entry.quality_of(parse_vertex(MOVES[turn], 5, 5)) == 1
        assert entry.quality_of(PASS) == 0.5
        assert entry.quality_of(parse_vertex("A5", 5, 5)) == 0
        assert entry.position.rules.komi == 6.5
        assert phase_of(entry.position) == ("opening" if turn < 0.35 * 25 else "middle")


def test_positions_are_held_out(labels):
    with pytest.raises(TengenError, match="has only 8 suitable positions of size 5"):
        judged_positions(labels, 5, len(TURNS) + 1, 1)
    assert len(judged_positions(labels, 5, 2 * len(TURNS), 1, all_games=True)) == 2 * len(TURNS)


def test_positions_can_be_limited_to_openings(labels):
    entries = judged_positions(labels, 5, 3, 1, before=7)
    assert sorted(len(entry.position.moves) for entry in entries) == [4, 5, 6]


def test_differences_are_paired():
    difference, error = paired(np.array([1.0, 0.5, 0.9]), np.array([0.8, 0.3, 0.7]))
    assert difference == pytest.approx(0.2)
    assert error == pytest.approx(0, abs=1e-12)


def test_report_rows(tmp_path):
    table = CsvTable(tmp_path / "choices.csv", CHOICES)
    for player, values in {"none": (0, 1), "net": (1, 1)}.items():
        for number, quality in reversed(list(enumerate(values))):
            row = {"size": 9, "player": player, "number": number, "phase": "middle"}
            table.add(**row, simulations=50, quality=quality)
    assert move_qualities(table, 9, "none").tolist() == [0, 1]
    best, other = choice_rows(table, ["none", "net"], 9)
    assert (best["player"], best["quality"], best["first choices"]) == ("net", "1.000", "100%")
    assert best["vs. none"] == "+0.500 ± 0.980"
    assert (other["player"], other["simulations"]) == ("none", "50")


def test_choices_small_run(labels, tmp_path, capsys):
    folder = tmp_path / "study"
    words = ["--size", "5", "--positions", "3", "--seconds", "0.01", "--cost-seconds", "0.01"]
    words += ["--without", "net,metric,filter,potential,engine"]
    command = ["lab", "together", "choices", str(labels), "-o", str(folder), *words]
    assert main(command) == 0
    choices = (folder / "choices.csv").read_text()
    assert choices.count("\n") == 1 + 4 * 3
    assert "<svg" in (folder / "report.html").read_text()
    (folder / "choices.csv").write_text("\n".join(choices.splitlines()[:6]) + "\n")
    assert main(command) == 0
    assert (folder / "choices.csv").read_text() == choices, "the study is resumed"
    capsys.readouterr()


def test_choices_with_custom_players(labels, tmp_path, capsys):
    folder = tmp_path / "own"
    words = ["--size", "5", "--positions", "2", "--seconds", "0.01", "--cost-seconds", "0.01"]
    command = ["lab", "together", "choices", str(labels), "-o", str(folder), *words]
    assert main([*command, "--player", "with:shape=80", "--player", "without:shape=0"]) == 0
    page = (folder / "report.html").read_text()
    assert "vs. with" in page
    assert "shape=0" in page
    with pytest.raises(TengenError, match="expected NAME:SETTINGS, got 'shape=80'"):
        main([*command, "--player", "shape=80"])
    capsys.readouterr()


def test_choices_at_equal_visits(labels, tmp_path, capsys):
    folder = tmp_path / "visits"
    words = ["--size", "5", "--positions", "2", "--visits", "30"]
    players = ["--player", "with:shape=80", "--player", "without:shape=0"]
    assert (
        main(["lab", "together", "choices", str(labels), "-o", str(folder), *words, *players]) == 0
    )
    rows = CsvTable(folder / "choices.csv", CHOICES).rows
    assert [row["simulations"] for row in rows] == ["30"] * 4
    assert (folder / "costs.csv").read_text().count("\n") == 1, "costs are not measured"
    assert "CPU second" not in (folder / "report.html").read_text()
    capsys.readouterr()


def test_failing_source_aborts_choices(labels, tmp_path):
    idea = tmp_path / "ideas.py"
    idea.write_text("def fails(position):\n    raise ValueError('what now?')\n")
    engine = create_engine(EngineSettings().with_overrides(["net=none", f"prior={idea}:fails@9"]))
    with pytest.raises(TengenError, match="source fails failed in ideas.py, line 2"):
        choice_quality(engine, judged_positions(labels, 5, 2, 1)[0], 10)


def test_changed_source_file_is_rejected_on_resume(labels, tmp_path, capsys):
    idea = tmp_path / "idea.py"
    idea.write_text("def idea(position):\n    return position.legal_grid() * 0.0\n")
    words = ["--size", "5", "--positions", "2", "--seconds", "0.01", "--cost-seconds", "0.01"]
    words += ["--player", "plain:shape=0", "--player", f"mine:prior={idea}:idea@5"]
    command = ["lab", "together", "choices", str(labels), "-o", str(tmp_path / "own"), *words]
    assert main(command) == 0
    idea.write_text("def idea(position):\n    return position.legal_grid() * 0.0 + 1\n")
    with pytest.raises(TengenError, match=r"idea.py has changed; restore it, or"):
        main(command)
    capsys.readouterr()


def test_equal_settings_draw(labels):
    objective = ChoiceObjective("tengen playouts=60 threads=1", labels, 5, 8, 4, 60, 1)
    task = objective.task(Duel(3, {"tactics": 20}, {"tactics": 20}))
    assert len(set(task.numbers)) == 4
    assert task.run().score == 0.5, "the same setting chooses the same moves"


def test_better_moves_win_the_duel(labels, monkeypatch):
    def quality(text, entries, simulations):
        return 1.0 if "tactics=20" in text else 0.25

    monkeypatch.setattr(tune, "_mean_quality", quality)
    objective = ChoiceObjective("tengen playouts=60 tactics={tactics}", labels, 5, 8, 4, 60, 1)
    one, other = {"tactics": 20.0}, {"tactics": 5.0}
    assert objective.task(Duel(3, one, other)).run().score == 0.875
    assert objective.task(Duel(3, other, one)).run().score == 0.125


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("net", ["none", "default"])
def test_starting_points_are_inside_the_ranges(start, net):
    parameters = parameters_from(start, net != "none")
    assert ("net_weight" in {p.name for p in parameters}) == (net != "none")
    for parameter in parameters:
        assert parameter.low <= parameter.first <= parameter.high
    assert "{bigmove}" in template("playouts=5", net)
    assert not Spsa(parameters, SpsaSettings(2), 1).done


def test_rejects_unknown_starting_point():
    with pytest.raises(TengenError, match="unknown starting point 'other': use one of tengen"):
        parameters_from("other", has_net=False)


def test_tune_small_run(labels, tmp_path, capsys):
    folder = tmp_path / "tuned"
    words = ["--net", "none", "--starts", "low", "--iterations", "2", "--batch", "2"]
    words += ["--simulations", "10", "--positions", "4", "--size", "5", "--games", "2"]
    words += ["--pace", "playouts=10"]
    command = ["lab", "together", "tune", str(labels), "-o", str(folder), *words]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert output.startswith("low: tactics=")
    assert "report.html" in output
    assert (folder / "low" / "log.jsonl").exists()
    assert (folder / "low.sqlite").exists()
    assert main(command) == 0, "what is done is only reported"
    assert capsys.readouterr().out == output


def test_errors_are_reported_in_one_line(labels, tmp_path):
    tune = ["lab", "together", "tune", str(labels), "-o", str(tmp_path / "tuned")]
    with pytest.raises(TengenError, match="board sizes must be integers such as 9,19, got '7x9'"):
        main([*tune, "--size", "7x9"])
    for words, complaint in {
        ("--starts", "tengen,foo"): "unknown starting point 'foo'",
        ("--size", "9,13"): "9,13",
        ("--batch", "5"): "--batch 5 must not exceed --positions 4",
        ("--positions", "80"): "has only 8 suitable positions of size 5",
        ("--pace", "second=1"): "the match: unknown setting 'second'",
        ("--games", "3"): "games must be an even number",
    }.items():
        with pytest.raises(TengenError, match=complaint):
            main([*tune, "--size", "5", "--positions", "4", "--batch", "2", *words])
    assert not (tmp_path / "tuned").exists()
    choices = ["lab", "together", "choices", str(labels), "-o", str(tmp_path / "chosen")]
    with pytest.raises(TengenError, match="at least 2 positions are needed, got 1"):
        main([*choices, "--size", "5", "--positions", "1"])
    assert not (tmp_path / "chosen").exists()
