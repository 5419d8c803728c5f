"""Experiments of paper 003: search, games, population and remarks."""

import itertools

import numpy as np
import pytest

from tengen.board import BLACK, PASS, WHITE, Position
from tengen.cli.main import main
from tengen.lab.metric import evolve, games, sections, tables as ranks
from tengen.lab.metric.evolve import DuelRecord, influences
from tengen.lab.metric.games import (
    AREA,
    COLUMNS,
    RULES,
    Entry,
    MetricSearcher,
    PairedMatch,
    Phases,
    Program,
    counts_of,
    margin_of,
    play_out,
)
from tengen.lab.metric.scale import depth_one
from tengen.lab.metric.settings import EvolveSettings
from tengen.lab.study import Study
from tengen.match import Sprt
from tengen.sources import ALL_EVALUATIONS, Metric, evaluate
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

MIXES = [AREA, Metric.only(a2=1), Metric(), Metric.only(a0=1, b8=3, life=True)]


@pytest.fixture(scope="module")
def searcher():
    return MetricSearcher()


def random_position(seed, size, moves):
    rng = np.random.default_rng(seed)
    position = Position(size, rules=RULES)
    for _ in range(moves):
        legal = position.legal_moves()
        position.play(int(rng.choice(legal)) if legal else PASS)
    return position


# Search


def test_games_of_any_length_can_be_searched(searcher):
    position = Position(19, rules=RULES)
    rng = np.random.default_rng(1)
    while len(position.moves) < 4 * 19 * 19 - 1:
        legal = position.legal_moves()
        position.play(int(rng.choice(legal)) if legal else PASS)
    assert searcher.search(position, AREA, 2, 100).depth >= 1


def minimax(position, mix, depth):
    """Return the minimax value for the side to move."""
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
def test_alpha_beta_matches_minimax(searcher, mix, depth):
    """Up to depth two the table has no deeper results, so values must be equal."""
    for seed in range(4):
        position = random_position(seed, 3, 4 + seed)
        found = searcher.search(position, mix, depth, 10**6)
        assert found.depth == depth
        assert found.value == pytest.approx(minimax(position, mix, depth))


@pytest.mark.parametrize(("size", "value", "nodes"), [(1, 0, 1000), (2, 1, 5000), (3, 9, 300_000)])
def test_values_of_table_7(searcher, size, value, nodes):
    assert searcher.search(Position(size, rules=RULES), AREA, 60, nodes).value == value


def test_searches_are_independent(searcher):
    position = random_position(1, 4, 6)
    first = searcher.search(position, Metric(), 60, 800)
    searcher.search(random_position(2, 5, 6), AREA, 60, 800)
    assert searcher.search(position, Metric(), 60, 800) == first


def test_too_few_nodes_result_in_a_pass(searcher):
    found = searcher.search(Position(4, rules=RULES), AREA, 60, 3)
    assert (found.move, found.depth) == (PASS, 0)


def test_repetition_is_avoided(searcher):
    position = Position.from_diagram(".XO./XO.O/.XO./....", BLACK, RULES)
    position.play(position.legal_moves()[2])
    for depth in (1, 2, 3):
        found = searcher.search(position, AREA, depth, 10**5)
        assert position.is_legal(found.move)


# Games and referees


def test_programs_play_until_two_passes(searcher):
    program = Program(Phases(), 300)
    end = play_out(program.chooser(searcher), program.chooser(searcher))
    assert end.is_over
    assert len(end.moves) < 64


def test_searching_referee_captures_dead_stones(searcher):
    """White's dead corner stone counts for White on the board and for Black after a search."""
    position = Position.from_diagram("O.X./XXXX/.X.X/XXXX", WHITE, RULES)
    assert margin_of(position, searcher, "e1") == 13
    assert margin_of(position, searcher, "search") == 16


def test_depth_one_passes_without_a_good_move():
    position = Position.from_diagram("X.X/XXX/X.X", BLACK, RULES)
    assert depth_one(Metric())(position) == PASS


# Paired matches


def test_paired_match_is_resumed(tmp_path):
    players = {"a": depth_one(Metric.only(b4=1)), "b": depth_one(AREA)}
    entry = Entry("a", "b", 3)

    def contest():
        table = Study(tmp_path, "contest", {}).table("games", COLUMNS)
        made = PairedMatch(table, players, lambda end: evaluate(end, AREA).e1, "random:1", 1)
        return table, made

    table, first = contest()
    first.play(entry, 2, None, lambda: None)
    before = list(table.rows)
    table, again = contest()
    standing = again.play(entry, 3, Sprt(0, 400), lambda: None)
    assert table.rows[:2] == before
    assert sum(standing.counts) == len(table.rows) <= 3
    assert counts_of(table, Entry("b", "a", 3)) == [0] * 5


# Population


def test_eras_create_programs():
    early = games.early_phases({"a1": 1, "a2": 2, "b4": 3, "b8": 4})
    assert early.at(1) == early.at(40)
    assert early.opening == Metric.only(a1=1, a2=2, b4=3, b8=4, infinity=1024)
    late = games.late_phases(
        {"depthOpening": 2, "endOpening": 7, "openEndGame": 3, "bOpening": 64, "bEndgame": 8}
    )
    assert late.at(7) == (Metric.only(a1=8, a2=1, b4=64, b8=32, infinity=512), 2)
    assert late.at(8) == (Metric.only(a1=8, a2=1, b4=8, b8=4, infinity=512), 60)


def test_era_lengths_of_the_paper():
    assert EvolveSettings().lengths == (400, 200, 200)
    with pytest.raises(TengenError, match="referee"):
        EvolveSettings(referee="nobody")


def test_repeated_duels_are_not_played_again():
    player = evolve.DuelPlayer(EvolveSettings(nodes=200))
    one, other = (games.early_phases({"a1": a, "a2": 0, "b4": 1, "b8": 0}) for a in (0, 9))
    first = player.play_duel(one, other)
    assert player.games == 2
    again = player.play_duel(other, one)
    assert player.games == 2
    assert (again.score, again.margin) == (1 - first.score, -first.margin)


def test_killed_evolution_is_resumed(tmp_path, monkeypatch):
    settings = EvolveSettings(nodes=200, tournaments=4, pairs=1)
    monkeypatch.setattr(evolve, "DEPTHS", range(1, 3))
    monkeypatch.setattr(evolve, "OPENING_NODES", 200)
    whole = evolve.run(tmp_path / "whole", settings)
    play_duel, count = evolve.DuelPlayer.play_duel, itertools.count()

    def failing(*arguments):
        if next(count) == 40:
            raise KeyboardInterrupt
        return play_duel(*arguments)

    monkeypatch.setattr(evolve.DuelPlayer, "play_duel", failing)
    with pytest.raises(KeyboardInterrupt):
        evolve.run(tmp_path / "cut", settings)
    assert "Running: 1 tournaments" in (tmp_path / "cut" / "report.html").read_text()
    monkeypatch.setattr(evolve.DuelPlayer, "play_duel", play_duel)
    cut = evolve.run(tmp_path / "cut", settings)
    for name in ("duels_early.csv", "duels_late.csv", "round_robin_evaluations.csv"):
        assert (cut.parent / name).read_text() == (whole.parent / name).read_text()
    assert "table 11" in whole.read_text()


def test_influences_find_the_useful_weight():
    rng = np.random.default_rng(1)
    duels = []
    for _ in range(200):
        first, second = ({n: float(rng.integers(17)) for n in ("good", "idle")} for _ in range(2))
        score = np.clip(0.5 + 0.02 * (first["good"] - second["good"]) + rng.normal(0, 0.1), 0, 1)
        duels.append(DuelRecord(first, second, float(score)))
    found = influences(duels)
    assert found["good"].slope == pytest.approx(0.02, abs=0.003)
    assert abs(found["idle"].slope) < 3 * found["idle"].error
    assert influences(duels * 5) == found, "repeated duels count once"
    assert influences(duels[:3]) == {}


# Remarks


def test_line_without_captures_alternates_colors():
    line = sections.NoCapture(3, lambda e: e.e0).line()
    places = [move for move in line.moves if move != sections.NO_MOVE]
    assert len(places) == len(set(places))
    assert places[0] in (0, 2, 6, 8), "a corner is far from all the rest"
    assert places[1] == 8 - places[0], "and the opposite one from the opponent's"


def test_no_capture_2x2_by_hand():
    """With E1 alone each side fills two points."""
    line = sections.NoCapture(2, lambda e: e.e1).line()
    assert line.value == 0
    assert sorted(line.moves) == [0, 1, 2, 3]


def test_scaling_to_the_star_points():
    assert [sections.scaled(place, 3, 19) for place in (0, 4, 5)] == [(3, 3), (9, 9), (9, 15)]
    assert sections.scaled(8, 3, 9) == (6, 6)


def test_ranks_by_hand():
    change = np.array([[1.0, 3.0], [3.0, np.nan]])
    assert ranks.rank(change, 0, 0) == 0.0
    assert ranks.rank(change, 0, 1) == 0.75
    assert ranks.rank(np.array([[5.0]]), 0, 0) == 0.5


def test_ranks_of_a_game(tmp_path):
    moves = "".join(f";{'BW'[n % 2]}[{'abcdefg'[n % 7]}{'abcdefg'[n // 7]}]" for n in range(35))
    (tmp_path / "game.sgf").write_text(f"(;GM[1]SZ[7]{moves})")
    table = ranks.rank_games(Study(tmp_path / "study", "ranks", {}), tmp_path, 5, 1)
    assert [row["phase"] for row in table.rows] == list(ranks.PHASES)
    assert all(0 <= float(row[name]) <= 1 for row in table.rows for name in ranks.NAMES)
    with pytest.raises(TengenError, match="no games with at least 30 moves"):
        ranks.rank_games(Study(tmp_path / "empty", "ranks", {}), tmp_path / "study", 5, 1)


def test_game_is_ranked_completely(tmp_path, monkeypatch):
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


# Commands


def test_tables_from_the_command_line(tmp_path, capsys):
    words = ["lab", "metric", "tables", "-o", str(tmp_path), "--solve", "2"]
    assert main([*words, "--nodes", "5000"]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "-31644 (paper -31640)" in page
    assert page.count("(paper ") == 1
    assert str(tmp_path) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(["--sizes", "5,x"], "sizes must be integers"), (["--prior", "no-such"], "the prior: ")],
)
def test_errors_are_reported_before_the_first_test(tmp_path, words, complaint):
    folder = tmp_path / "out"
    with pytest.raises(TengenError, match=complaint):
        main(["lab", "metric", "scale", "-o", str(folder), *words])
    assert not folder.exists()


def test_scale_from_the_command_line(tmp_path):
    words = ["lab", "metric", "scale", "-o", str(tmp_path), "--sizes", "3", "--pairs", "2"]
    assert main([*words, "--prior", ""]) == 0
    assert "Ed8" in (tmp_path / "report.html").read_text()
    assert main([*words[:-1], "3", "--workers", "2", "--prior", ""]) == 0, "resumes with more pairs"


def test_phases_of_table_11():
    endgame = Metric(b4=12.0, b8=6.0)
    phases = Phases()
    assert phases.at(4) == (Metric(), 1)
    assert phases.at(5) == (Metric(), phases.depth)
    assert phases.at(10) == (endgame, phases.depth)
    assert Phases.same(ALL_EVALUATIONS, 3).at(1) == (ALL_EVALUATIONS, 3)
