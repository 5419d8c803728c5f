"""Levels by rank: sampling, resigning and passing."""

from collections import Counter

import numpy as np
import pytest

from tengen.board import PASS, Position, Rules, parse_vertex
from tengen.engine import LEVELS, EngineSettings, MoveReason, create_engine, level_named
from tengen.util import TengenError

QUICK = ["threads=1", "memory_mib=8", "seed=5"]


def engine(*words):
    return create_engine(
        EngineSettings().with_overrides([*QUICK, "net=none", "playouts=200", *words])
    )


def test_finds_each_level_by_name():
    assert [level_named(level.name.upper()) for level in LEVELS] == list(LEVELS)
    with pytest.raises(TengenError, match="there are 25k, "):
        level_named("pro")


def test_levels_are_ordered_by_rank():
    def height(level):
        number, grade = int(level.name[:-1]), level.name[-1]
        return number if grade == "d" else -number

    heights = [height(level) for level in LEVELS[:-1]]
    assert heights == sorted(set(heights))
    assert LEVELS[0].rank == "25 kyu"


def test_level_is_a_setting():
    settings = EngineSettings().with_overrides(["threads=1", "level=25k"])
    assert settings == EngineSettings().with_overrides(["threads=1", *LEVELS[0].overrides])
    assert settings.play.temperature > 0
    strongest = EngineSettings().with_overrides(["level=strongest"])
    assert strongest == EngineSettings()


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


@pytest.mark.parametrize("level", ["25k", "13k"])
@pytest.mark.parametrize(
    ("moves", "komi", "wanted"),
    [(WALLS, 100.5, MoveReason.RESIGNED), ((*WALLS, *REST), 7.5, MoveReason.GAME_OVER)],
)
def test_weak_levels_resign_and_pass(level, moves, komi, wanted):
    """A game lost by a hundred points, and a finished one."""
    position = Position(5, rules=Rules(komi=komi))
    for vertex in moves:
        position.play(parse_vertex(vertex, 5, 5))
    assert engine(f"level={level}", "dynamic_komi=no").think(position).reason is wanted
