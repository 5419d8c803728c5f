"""Levels: ranks, calibration, sampling, resigning and passing."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tengen.board import PASS, Color, Position, Rules, column_of, parse_vertex
from tengen.engine import (
    LEVELS,
    MAX_SKILL,
    MIN_SKILL,
    RANKS,
    Clock,
    EngineSettings,
    MoveReason,
    TimeControl,
    calibration,
    create_engine,
    level_named,
    rank_name,
    rank_number,
)
from tengen.engine.levels.parameters import level_parameters
from tengen.engine.levels.sampling import choose_move, entropy
from tengen.engine.levels.table import nearest_size, rank_skill
from tengen.nets import Evaluation
from tengen.search import SearchLimit
from tengen.util import TengenError

QUICK = ["threads=1", "memory_mib=8", "seed=5"]


def engine(*words):
    return create_engine(
        EngineSettings().with_overrides([*QUICK, "net=none", "playouts=200", *words])
    )


def test_finds_each_level_by_name():
    assert [level_named(level.name.upper()) for level in LEVELS] == list(LEVELS)
    with pytest.raises(TengenError, match="use 30k to 1k, 1d to 9d, auto or strongest"):
        level_named("pro")


def test_levels_are_ordered_by_rank():
    ranks = [rank_number(level.name) for level in LEVELS if level.is_rank]
    assert ranks == list(range(-29, 10))
    assert [rank_name(number) for number in (-29, 0, 1, 9)] == ["30k", "1k", "1d", "9d"]
    assert LEVELS[0].rank == "30 kyu"


def test_level_is_a_setting():
    settings = EngineSettings().with_overrides(["threads=1", "level=25K"])
    assert settings.overrides() == ["play.level=25k", "search.threads=1"]
    assert EngineSettings().with_overrides(["level=strongest"]) == EngineSettings()
    with pytest.raises(TengenError, match="unknown level '9p'"):
        EngineSettings().with_overrides(["level=9p"])


def test_moves_are_sampled_by_visits():
    """The search is the same each time; only the sampling differs."""
    player = engine("temperature=1")
    report = player.think(Position(9)).report
    drawn = Counter(player._sample(report).move for _ in range(4000))
    visits = {c.move: c.visits for c in report.candidates if c.move != PASS and c.visits}
    total = sum(visits.values())
    assert set(drawn) <= set(visits)
    for move, count in visits.items():
        spread = 5 * np.sqrt(4000 * count / total)
        assert drawn[move] == pytest.approx(4000 * count / total, abs=spread + 1)


def test_low_temperature_plays_the_best_move():
    player = engine("temperature=0.01")
    report = player.think(Position(9)).report
    most = max(c.visits for c in report.candidates)
    drawn = {player._sample(report).move for _ in range(50)}
    assert drawn <= {c.move for c in report.candidates if c.visits > 0.9 * most}


def test_same_seed_samples_the_same_moves():
    games = []
    for _ in range(2):
        player, position = engine("temperature=3"), Position(7)
        for _ in range(8):
            position.play(player.think(position).move)
        games.append(position.moves)
    assert games[0] == games[1]


WALLS = ("C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4")
REST = ("C5", "D5", "A2", "E2", "A4", "E4", "B3")


@pytest.mark.parametrize("level", ["25k", "13k", "3d"])
@pytest.mark.parametrize(
    ("moves", "komi", "wanted"),
    [(WALLS, 100.5, MoveReason.RESIGNED), ((*WALLS, *REST), 7.5, MoveReason.GAME_OVER)],
)
def test_levels_resign_and_pass_on_small_boards(level, moves, komi, wanted):
    """A game lost by a hundred points, and a finished one."""
    position = Position(5, rules=Rules(komi=komi))
    for vertex in moves:
        position.play(parse_vertex(vertex, 5, 5))
    assert engine(f"level={level}").think(position).reason is wanted


# Calibration


@pytest.mark.parametrize("size", [9, 13, 19])
def test_skill_rises_with_rank(size):
    skills = [rank_skill(number, size, size) for number in range(-29, 10)]
    assert skills == sorted(skills)
    measured = [name for name in RANKS if calibration()[size][name].games]
    inside = [rank_skill(rank_number(name), size, size) for name in measured]
    assert sorted(set(inside)) == inside
    elo = [calibration()[size][name].elo for name in measured]
    assert elo == sorted(elo)
    assert calibration()[size]["10k"].elo == 0


@pytest.mark.parametrize(
    ("rows", "columns", "nearest"),
    [(7, 7, 9), (9, 13, 9), (10, 13, 13), (17, 17, 19), (19, 19, 19)],
)
def test_other_boards_use_the_nearest_calibrated_size(rows, columns, nearest):
    assert nearest_size(rows, columns) == nearest
    assert rank_skill(-9, rows, columns) == rank_skill(-9, nearest, nearest)


def test_parameters_change_smoothly_from_weak_to_strong():
    skills = np.arange(MIN_SKILL, MAX_SKILL, 0.5)
    rows = [level_parameters(skill, 361) for skill in skills]
    for name in ("temperature", "naive_share", "tolerance", "oversight", "visits_temperature"):
        values = [getattr(row, name) for row in rows]
        assert values == sorted(values, reverse=True)
    for name in ("visits", "candidates"):
        values = [getattr(row, name) for row in rows]
        assert values == sorted(values)
    assert level_parameters(10, 81).tolerance < level_parameters(10, 361).tolerance


# Moves


def position_of(text, to_play=Color.BLACK):
    position = Position.from_diagram(text)
    position.to_play = to_play
    return position


ATARI = """
. . . . . . . . .
. . X . . . X . .
. . . . . . . . .
. . O O O O O . .
. O X X X X . X .
. . O O O O O . .
. . . . . . . . .
. . X . . . X . .
. . . . . . . . .
"""
"""Four black stones with one liberty, where Black connects or White captures."""


def uniform(policy_at=None, rows=9, columns=9):
    """Return an evaluation of an even position, with its policy on one point or uniform."""
    policy = np.full((rows, columns), 1 / (rows * columns), np.float32)
    if policy_at is not None:
        policy[:] = 1e-6
        policy[policy_at] = 1.0
    return Evaluation(policy, 0.0, 0.5, 0.0, np.zeros((rows, columns), np.float32))


def losses(counts, tolerance, **changes):
    """Count the moves of a player; odd columns lose ten points."""

    def evaluate(positions):
        return [
            replace(uniform(), lead_to_play=10.0 if column_of(p.last_move) % 2 else 0.0)
            for p in positions
        ]

    rng, found = np.random.default_rng(1), Counter()
    parameters = replace(level_parameters(5, 81), naive_share=0.0, tolerance=tolerance, **changes)
    for _ in range(counts):
        choice = choose_move(Position(9), uniform(), parameters, evaluate, rng)
        found[column_of(choice.move) % 2] += 1
    return found


def test_tolerance_bounds_the_loss_of_a_move():
    assert losses(200, tolerance=1.0, oversight=0.0, candidates=8)[1] <= 4
    kept = losses(400, tolerance=10.0, oversight=0.0, candidates=1)
    # A losing move is drawn in 36 of 81 cases and kept in one of e.
    assert kept[1] == pytest.approx(400 * 36 / 81 * np.exp(-1), rel=0.35)


def test_oversights_are_rarer_in_simple_positions():
    simple, complicated = (_policy_entropy(at) for at in ((4, 4), None))
    assert simple < 0.05 < 0.95 < complicated
    assert losses(200, 3.0, oversight=0.35, candidates=1)[1] > 2 * max(
        losses(200, 3.0, oversight=0.0, candidates=1)[1], 1
    )


def _policy_entropy(at):
    return entropy(uniform(at).policy.reshape(-1).astype(np.float64))


@pytest.mark.parametrize("to_play", list(Color))
def test_levels_pay_attention_to_large_chains_in_atari(to_play):
    """Any move but the one at the last liberty loses ten points."""

    def share(diagram):
        position = position_of(diagram, to_play)
        vital = position.parse_move("G5")
        policy = np.full((9, 9), 1 / 81, np.float32)
        policy[4, 6] = 1 / 3

        def evaluate(positions):
            return [
                replace(uniform(), lead_to_play=0.0 if p.last_move == vital else 10.0)
                for p in positions
            ]

        rng, parameters = np.random.default_rng(1), level_parameters(8, 81)
        given = replace(uniform(), policy=policy)
        moves = [choose_move(position, given, parameters, evaluate, rng).move for _ in range(200)]
        return sum(move == vital for move in moves)

    calm = ATARI.replace(". O X X X X . X .", ". . X X X X . X .")
    assert share(ATARI) > 150 > 1.5 * share(calm)


def test_never_fills_an_own_eye():
    walls = "\n".join([". X " * 4 + "."] + ["X X " * 4 + "X"] + [". . " * 4 + "."] * 7)
    position = position_of(walls)
    eyes = {position.parse_move(v) for v in ("A9", "C9", "E9", "G9", "J9")}
    rng = np.random.default_rng(1)
    parameters = level_parameters(MIN_SKILL, 81)
    moves = {
        choose_move(position, uniform(), parameters, lambda p: [uniform()] * len(p), rng).move
        for _ in range(300)
    }
    assert moves
    assert not moves & eyes


def test_self_atari_of_a_large_group_needs_the_advice_of_the_policy():
    diagram = """
. X X X X X X . .
O O O O O O O O .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
"""
    position = position_of(diagram)
    fatal = position.parse_move("A9")
    rng = np.random.default_rng(1)

    def share(parameters, evaluation):
        choices = [
            choose_move(position, evaluation, parameters, lambda p: [uniform()] * len(p), rng)
            for _ in range(300)
        ]
        return sum(choice.move == fatal for choice in choices)

    strong = replace(level_parameters(15, 81), candidates=30)
    assert share(strong, uniform()) == 0
    assert share(strong, uniform((0, 0))) > 250


def test_passes_when_the_game_is_over():
    rows = [". X . X X O . O ."] + ["X X X X X O O O O"] * 7 + [". X . X X O . O ."]
    position = Position.from_diagram("\n".join(rows))
    position.play(PASS) if position.to_play is Color.WHITE else None
    for level in ("30k", "15k", "5k", "1d"):
        player = engine(f"level={level}")
        assert player.think(position).reason is MoveReason.GAME_OVER, level


def test_analysis_ignores_the_level():
    report = engine("level=30k", "playouts=50").analyze(Position(5), SearchLimit(simulations=50))
    assert report.visits == 50


def test_search_respects_the_clock():
    clock = Clock(TimeControl.from_kgs("absolute", [0.5]))
    decision = engine("level=9d").think(Position(9), clock)
    full = level_parameters(rank_skill(9, 9, 9), 81).visits
    assert decision.report.visits < full
