"""The experiments of paper 003: its search, its games, its population, its remarks."""

import itertools

import numpy as np
import pytest

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.knowledge.metric import Metric, Phases
from tengen.knowledge.metric_board import evaluate
from tengen.lab.small_boards import eras, evolve, no_capture, ranks, rivals
from tengen.lab.small_boards.contest import COLUMNS, Contest, Entry, counts_of
from tengen.lab.small_boards.game import RULES, margin_of, play_out
from tengen.lab.small_boards.influence import Fought, influences
from tengen.lab.small_boards.program import AREA, Program, Searcher
from tengen.lab.small_boards.scale import depth_one
from tengen.lab.small_boards.settings import EvolveSettings
from tengen.lab.study import Study
from tengen.match.stats import Sprt

pytestmark = pytest.mark.kernels

MIXES = [AREA, Metric.only(a2=1), Metric(), Metric.only(a0=1, b8=3, life=True)]


@pytest.fixture(scope="module")
def searcher():
    return Searcher()


def random_position(seed, size, moves):
    dice = np.random.default_rng(seed)
    position = Position(size, rules=RULES)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(dice.choice(legal)) if legal else PASS)
    return position


# The search


def test_a_game_of_any_length_that_is_played_out_can_be_searched(searcher):
    position = Position(19, rules=RULES)
    dice = np.random.default_rng(1)
    while len(position.moves) < 4 * 19 * 19 - 1:
        legal = position.legal_moves()
        position.play(int(dice.choice(legal)) if legal else PASS)
    assert searcher.search(position, AREA, 2, 100).depth >= 1


def minimax(position, mix, depth):
    """Return the value for the side to move, by trying everything."""
    sign = 1 if position.to_play is BLACK else -1
    if depth == 0 or position.is_over:
        measures = evaluate(position, mix)
        return sign * float(np.dot(mix.vector()[:6], measures))
    values = []
    for move in [*position.legal_moves(), PASS]:
        after = position.copy()
        after.play(move)
        values.append(-minimax(after, mix, depth - 1))
    return max(values)


@pytest.mark.parametrize("mix", MIXES, ids=str)
@pytest.mark.parametrize("depth", [1, 2])
def test_alpha_beta_against_minimax(searcher, mix, depth):
    """To depth two the table cannot answer from a deeper search, so values must be the same."""
    for seed in range(4):
        position = random_position(seed, 3, 4 + seed)
        found = searcher.search(position, mix, depth, 10**6)
        assert found.depth == depth
        assert found.value == pytest.approx(minimax(position, mix, depth))


@pytest.mark.parametrize(("size", "value", "nodes"), [(1, 0, 1000), (2, 1, 5000), (3, 9, 300_000)])
def test_the_values_of_table_7(searcher, size, value, nodes):
    assert searcher.search(Position(size, rules=RULES), AREA, 60, nodes).value == value


def test_a_search_keeps_nothing(searcher):
    position = random_position(1, 4, 6)
    first = searcher.search(position, Metric(), 60, 800)
    searcher.search(random_position(2, 5, 6), AREA, 60, 800)
    assert searcher.search(position, Metric(), 60, 800) == first


def test_too_few_nodes_give_a_pass(searcher):
    found = searcher.search(Position(4, rules=RULES), AREA, 60, 3)
    assert (found.move, found.depth) == (PASS, 0)


def test_moves_that_repeat_a_position_are_not_chosen(searcher):
    position = Position.from_diagram(".XO./XO.O/.XO./....", BLACK, RULES)
    position.play(position.legal_moves()[2])
    for depth in (1, 2, 3):
        found = searcher.search(position, AREA, depth, 10**5)
        assert position.is_legal(found.move)


# Games and referees


def test_programs_play_a_game_to_two_passes(searcher):
    program = Program(Phases(), 300)
    end = play_out(program.chooser(searcher), program.chooser(searcher))
    assert end.is_over
    assert len(end.moves) < 64


def test_the_searching_referee_takes_what_is_dead(searcher):
    """White's corner stone is lost: as it lies it counts for White, after a search for Black."""
    position = Position.from_diagram("O.X./XXXX/.X.X/XXXX", WHITE, RULES)
    assert margin_of(position, searcher, "e1") == 13
    assert margin_of(position, searcher, "search") == 16


def test_depth_one_passes_where_no_move_is_good():
    position = Position.from_diagram("X.X/XXX/X.X", BLACK, RULES)
    assert depth_one(Metric())(position) == PASS


# Contests


def test_a_contest_goes_on_where_it_was(tmp_path):
    players = {"a": depth_one(Metric.only(b4=1)), "b": depth_one(AREA)}
    entry = Entry("a", "b", 3)

    def contest():
        table = Study(tmp_path, "contest", {}).table("games", COLUMNS)
        made = Contest(table, players, lambda end: evaluate(end, AREA).e1, "random:1", 1)
        return table, made

    table, first = contest()
    first.play(entry, 2, None, lambda: None)
    before = list(table.rows)
    table, again = contest()
    standing = again.play(entry, 3, Sprt(0, 400), lambda: None)
    assert table.rows[:2] == before
    assert sum(standing.counts) == len(table.rows) <= 3
    assert counts_of(table, Entry("b", "a", 3)) == [0] * 5


# The population


def test_eras_make_programs():
    early = eras.early_phases({"a1": 1, "a2": 2, "b4": 3, "b8": 4})
    assert early.at(1) == early.at(40)
    assert early.opening == Metric.only(a1=1, a2=2, b4=3, b8=4, infinity=1024)
    late = eras.late_phases(
        {"depthOpening": 2, "endOpening": 7, "openEndGame": 3, "bOpening": 64, "bEndgame": 8}
    )
    assert late.at(7) == (Metric.only(a1=8, a2=1, b4=64, b8=32, infinity=512), 2)
    assert late.at(8) == (Metric.only(a1=8, a2=1, b4=8, b8=4, infinity=512), 60)


def test_the_papers_lengths_of_eras():
    assert EvolveSettings().lengths == (400, 200, 200)
    with pytest.raises(TengenError, match="referee"):
        EvolveSettings(referee="nobody")


def test_programs_that_met_before_are_not_played_again():
    arena = evolve.Arena(EvolveSettings(nodes=200))
    one, other = (eras.early_phases({"a1": a, "a2": 0, "b4": 1, "b8": 0}) for a in (0, 9))
    first = arena.fight(one, other)
    assert arena.games == 2
    again = arena.fight(other, one)
    assert arena.games == 2
    assert (again.score, again.margin) == (1 - first.score, -first.margin)


def test_an_evolution_that_was_killed_goes_on(tmp_path, monkeypatch):
    settings = EvolveSettings(nodes=200, tournaments=4, pairs=1)
    monkeypatch.setattr(rivals, "DEPTHS", range(1, 3))
    monkeypatch.setattr(rivals, "OPENING_NODES", 200)
    whole = evolve.run(tmp_path / "whole", settings)
    fight, fought = evolve.Arena.fight, itertools.count()

    def failing(*arguments):
        if next(fought) == 40:
            raise KeyboardInterrupt
        return fight(*arguments)

    monkeypatch.setattr(evolve.Arena, "fight", failing)
    with pytest.raises(KeyboardInterrupt):
        evolve.run(tmp_path / "cut", settings)
    assert "Under way: 1 tournaments" in (tmp_path / "cut" / "report.html").read_text()
    monkeypatch.setattr(evolve.Arena, "fight", fight)
    cut = evolve.run(tmp_path / "cut", settings)
    for name in ("duels_early.csv", "duels_late.csv", "rivals_evaluations.csv"):
        assert (cut.parent / name).read_text() == (whole.parent / name).read_text()
    assert "table 11" in whole.read_text()


def test_influences_find_the_weight_that_wins():
    dice = np.random.default_rng(1)
    duels = []
    for _ in range(200):
        first, second = ({n: float(dice.integers(17)) for n in ("good", "idle")} for _ in range(2))
        score = np.clip(0.5 + 0.02 * (first["good"] - second["good"]) + dice.normal(0, 0.1), 0, 1)
        duels.append(Fought(first, second, float(score)))
    found = influences(duels)
    assert found["good"].slope == pytest.approx(0.02, abs=0.003)
    assert abs(found["idle"].slope) < 3 * found["idle"].error
    assert influences(duels * 5) == found, "the same duels again tell nothing new"
    assert influences(duels[:3]) == {}


# Remarks


def test_a_line_without_captures_fills_the_board_in_turn():
    line = no_capture.NoCapture(3, lambda e: e.e0).line()
    places = [move for move in line.moves if move != no_capture.PASS]
    assert len(places) == len(set(places))
    assert places[0] in (0, 2, 6, 8), "a corner is far from all the rest"
    assert places[1] == 8 - places[0], "and the opposite one from the opponent's"


def test_without_captures_on_2x2_by_hand():
    """E1 alone: each side fills two points."""
    line = no_capture.NoCapture(2, lambda e: e.e1).line()
    assert line.value == 0
    assert sorted(line.moves) == [0, 1, 2, 3]


def test_scaling_to_the_star_points():
    assert [no_capture.scaled(place, 3, 19) for place in (0, 4, 5)] == [(3, 3), (9, 9), (9, 15)]
    assert no_capture.scaled(8, 3, 9) == (6, 6)


def test_ranks_by_hand():
    change = np.array([[1.0, 3.0], [3.0, np.nan]])
    assert ranks.rank(change, 0, 0) == 0.0
    assert ranks.rank(change, 0, 1) == 0.75
    assert ranks.rank(np.array([[5.0]]), 0, 0) == 0.5


def test_ranks_of_a_record(tmp_path):
    moves = "".join(f";{'BW'[n % 2]}[{'abcdefg'[n % 7]}{'abcdefg'[n // 7]}]" for n in range(35))
    (tmp_path / "game.sgf").write_text(f"(;GM[1]SZ[7]{moves})")
    table = ranks.rank_games(Study(tmp_path / "study", "ranks", {}), tmp_path, 5, 1)
    assert [row["phase"] for row in table.rows] == list(ranks.PHASES)
    assert all(0 <= float(row[name]) <= 1 for row in table.rows for name in ranks.NAMES)
    with pytest.raises(TengenError, match="no game"):
        ranks.rank_games(Study(tmp_path / "empty", "ranks", {}), tmp_path / "study", 5, 1)


def test_a_game_is_ranked_as_a_whole(tmp_path, monkeypatch):
    moves = "".join(f";{'BW'[n % 2]}[{'abcdefg'[n % 7]}{'abcdefg'[n // 7]}]" for n in range(35))
    (tmp_path / "game.sgf").write_text(f"(;GM[1]SZ[7]{moves})")
    change, called = ranks.changes, itertools.count()

    def stopped(*arguments):
        if next(called) == 2:
            raise KeyboardInterrupt
        return change(*arguments)

    monkeypatch.setattr(ranks, "changes", stopped)
    with pytest.raises(KeyboardInterrupt):
        ranks.rank_games(Study(tmp_path / "study", "ranks", {}), tmp_path, 5, 1)
    table = ranks.rank_games(Study(tmp_path / "study", "ranks", {}), tmp_path, 5, 1)
    assert [row["phase"] for row in table.rows] == list(ranks.PHASES)


# The command


def test_tables_from_the_command_line(tmp_path, capsys):
    words = ["lab", "small-boards", "tables", "-o", str(tmp_path), "--solve", "2"]
    assert main([*words, "--nodes", "5000"]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "-31644 (paper -31640)" in page
    assert page.count("(paper ") == 1
    assert str(tmp_path) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(["--sizes", "5,x"], "sizes are whole numbers"), (["--prior", "no-such"], "the prior: ")],
)
def test_mistakes_are_told_before_the_first_test(tmp_path, words, complaint):
    folder = tmp_path / "out"
    with pytest.raises(TengenError, match=complaint):
        main(["lab", "small-boards", "scale", "-o", str(folder), *words])
    assert not folder.exists()


def test_scale_from_the_command_line(tmp_path):
    words = ["lab", "small-boards", "scale", "-o", str(tmp_path), "--sizes", "3", "--pairs", "2"]
    assert main([*words, "--prior", ""]) == 0
    assert "Ed8" in (tmp_path / "report.html").read_text()
    assert main([*words[:-1], "3", "--workers", "2", "--prior", ""]) == 0, "it goes on with more"
