"""Calibration of the levels: schedule, ratings, ranks and the command."""

import numpy as np
import pytest

from tengen.cli.main import main
from tengen.engine import RANKS, rank_name
from tengen.engine.levels.table import LEVEL_COLUMNS
from tengen.lab.levels.calibrate import level_rows, pairing_rows
from tengen.lab.levels.fit import fit_ratings, rank_scales
from tengen.lab.levels.games import ANCHORS, COLUMNS, LevelGame, command_of
from tengen.lab.levels.schedule import SizePlan, calibration_games, check_games
from tengen.util import TengenError, read_results

SKILLS = ("0", "4", "8", "12", "16", "20", "24")
STONE = 80.0
RANK_STEP = 3.0
"""Handicap stones, and so ranks, between neighboring players."""


class Table:
    """The rows of played games."""

    def __init__(self):
        self.rows = []

    def add(self, game, score):
        values = (*game.key, 1, score, "score", "", 100)
        self.rows.append(dict(zip(COLUMNS, map(str, values), strict=True)))


def elo_of(player, size):
    elo_per_rank = STONE * size / 19
    return elo_per_rank * RANK_STEP * (float(player) / 4 if player in SKILLS else 3.5)


def simulated(size, rounds, seed=1, anchors=("gnugo-10",)):
    """Play a calibration with known ratings: `gnugo-10` has skill 14."""
    rng, table = np.random.default_rng(seed), Table()
    for game in calibration_games([SizePlan(size, rounds, 24)], anchors)(table):
        bonus = STONE * (game.handicap - 0.5) if game.handicap else 0.0
        difference = elo_of(game.black, size) - elo_of(game.white, size) + bonus
        table.add(game, float(rng.random() < 1 / (1 + 10 ** (-difference / 400))))
    return table.rows


@pytest.fixture(scope="module")
def rows():
    return [row for size in (9, 13, 19) for row in simulated(size, 120)]


@pytest.fixture(scope="module")
def ratings(rows):
    return {size: fit_ratings(size, rows, list(ANCHORS)) for size in (9, 13, 19)}


def test_fit_recovers_ratings(ratings):
    for size, rated in ratings.items():
        assert list(rated.skills) == [float(skill) for skill in SKILLS]
        found = rated.players(rated.best)
        known = np.array([elo_of(skill, size) for skill in SKILLS])
        spread = np.array([rated.players(one) for one in rated.samples]).std(axis=0)
        assert (np.abs(found - known) <= 4 * spread + 1).all()
        assert (np.diff(found) > 0).all()
        assert 5 < spread[-1] < 0.2 * known[-1]
    assert ratings[19].stone(12.0, ratings[19].best) == pytest.approx(STONE, rel=0.25)


def test_one_stone_is_one_rank_and_the_anchor_is_8k(ratings):
    scales = rank_scales(ratings)
    known = -7 + RANK_STEP * (np.array([0, 4, 8, 12, 16, 20, 24]) - 14) / 4
    for size, scale in scales.items():
        ranks = np.interp([float(skill) for skill in SKILLS], scale.skills, scale.rank)
        assert ranks == pytest.approx(known, abs=2.5), size
        assert rank_name(scale.anchors["gnugo-10"]) == "8k"
        assert scale.skill_of(-7) == pytest.approx(14, abs=1)


def test_table_has_all_levels_in_order(rows, ratings):
    scales = rank_scales(ratings)
    drawn = [rank_scales(ratings, sample) for sample in range(20)]
    table = level_rows(rows, scales, drawn)
    assert [(row["size"], row["rank"]) for row in table] == [
        (size, rank) for size in (9, 13, 19) for rank in RANKS
    ]
    assert tuple(table[0]) == LEVEL_COLUMNS
    for size in (9, 13, 19):
        skills = [float(row["skill"]) for row in table if row["size"] == size]
        assert skills == sorted(skills)
        eight = next(row for row in table if (row["size"], row["rank"]) == (size, "8k"))
        assert eight["games"] > 100
        assert 0 < float(eight["error"]) < 2
    assert next(row for row in table if row["rank"] == "9d")["games"] == 0, "not measured"


def test_anchor_meets_players_of_its_strength():
    opponents = [
        float(player)
        for row in simulated(9, 60)
        for player in (row["black"], row["white"])
        if "gnugo-10" in (row["black"], row["white"]) and player != "gnugo-10"
    ]
    assert len(opponents) == 60
    assert np.mean(opponents[10:]) == pytest.approx(14, abs=2)


def test_schedule_has_equal_colors_and_handicap_on_19x19():
    games = list(calibration_games([SizePlan(19, 4, 8), SizePlan(9, 2, 8)], [])(Table()))
    assert len({game.key for game in games}) == len(games)
    even = [game for game in games if game.size == 19 and not game.handicap]
    assert sum(float(game.black) < float(game.white) for game in even) == len(even) / 2 == 4
    handicap = [game for game in games if game.handicap]
    assert {(game.size, game.black, game.white) for game in handicap} == {
        (19, "0", "4"),
        (19, "4", "8"),
    }


def test_check_pairs_neighbors_and_ranks_with_handicap():
    games = list(check_games(19, 0, RANKS))
    assert len([game for game in games if not game.handicap]) == len(RANKS) - 1
    pairs = [(game.black, game.white) for game in games if game.handicap]
    assert ("13k", "9k") in pairs
    assert not [game for game in check_games(9, 0, RANKS) if game.handicap]


def test_commands_of_players():
    assert command_of("12", {}).startswith("tengen level=skill:12 ")
    assert command_of("3k", {}).startswith("tengen level=3k ")
    assert command_of("gnugo-1", {"gnugo-1": "gnugo --level 1"}) == "gnugo --level 1"


def test_scores_are_of_the_stronger_player():
    table = Table()
    table.add(LevelGame(9, "4", "8", 0, 0), 0.0)
    table.add(LevelGame(9, "8", "4", 0, 1), 1.0)
    table.add(LevelGame(9, "4", "8", 4, 0), 1.0)
    rows = pairing_rows(table.rows)
    assert [(row["player"], row["opponent"], row["games"]) for row in rows] == [
        ("8", "4", 2),
        ("8", "4", 1),
    ]
    assert rows[0]["score"].startswith("100.0%")
    assert rows[1]["score"].startswith("0.0%")


def test_check_command_resumes(tmp_path):
    words = ["lab", "levels", "check", "--size", "7", "--ranks", "25k,10k", "-o", str(tmp_path)]
    for games in ("1", "2"):
        assert main([*words, "--games", games]) == 0
    lines = (tmp_path / "games.csv").read_text().splitlines()
    assert [line.split(",")[1:3] for line in lines[1:]] == [["25k", "10k"], ["10k", "25k"]]
    (row,) = read_results(tmp_path / "tables" / "levels-check.csv").rows
    assert (row["player"], row["games"]) == ("10k", "2")


def test_study_with_other_settings_is_refused(tmp_path):
    words = ["lab", "levels", "check", "--size", "7", "--ranks", "25k,10k", "-o", str(tmp_path)]
    assert main([*words, "--games", "1"]) == 0
    with pytest.raises(TengenError, match="other settings"):
        main([*words, "--games", "1", "--seed", "2"])
