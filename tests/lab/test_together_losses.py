"""Points lost per move."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tengen.board import PASS, Position, parse_vertex
from tengen.cli.main import main
from tengen.lab.together.losses import (
    column,
    comparable,
    draw_positions,
    judged_row,
    loss_rows,
    move_of,
)
from tengen.match import RESIGN
from tengen.nets import Evaluation
from tengen.util import TengenError

SCRIPT = Path(__file__).parents[1] / "match" / "scripted_engine.py"
SCRIPTED = f"{sys.executable} {SCRIPT}"
MOVES = ["CC", "EE", "CE", "EC", "DD", "CD", "DC", "ED", "DE", "BB", "FF", "BF", "FB", "AA", "GG"]


def game(size=7, moves=MOVES):
    played = "".join(f";{'BW'[n % 2]}[{move.lower()}]" for n, move in enumerate(moves))
    return f"(;SZ[{size}]KM[7]{played})"


@pytest.fixture
def games(tmp_path):
    """Two 7x7 games and one 9x9 game."""
    path = tmp_path / "games.sgf"
    path.write_text(game() + game(9) + game(moves=MOVES[:9]))
    return path


class Judge:
    """A judge for which Black leads by its number of stones and wins with 0.1 per stone."""

    def evaluate(self, positions):
        return [self._say(position) for position in positions]

    def _say(self, position):
        black = int((position.board() == 1).sum())
        side = 1 if position.to_play == 1 else -1
        nothing = np.zeros((position.rows, position.columns), dtype=np.float32)
        win = black / 10 if side == 1 else 1 - black / 10
        return Evaluation(nothing, 1.0, win, side * float(black), nothing)


@pytest.mark.parametrize(("to_play", "lost"), [("", -1.0), ("C3", 0.0)])
def test_loss_is_from_the_mover_s_point_of_view(to_play, lost):
    """Black's stone gains a point for Black; White's gains nothing."""
    position = Position(7).after(to_play)
    row = judged_row(Judge(), position, parse_vertex("E5", 7, 7))
    assert row["move"] == "E5"
    assert row["points_lost"] == lost
    assert row["win_lost"] == pytest.approx(lost / 10)
    assert judged_row(Judge(), position, PASS)["points_lost"] == 0


def test_resignations_are_omitted_for_all_players():
    row = judged_row(Judge(), Position(7), RESIGN)
    assert (row["move"], row["points_lost"]) == ("resign", "")
    rows = [
        {"player": player, "number": str(number), "move": move}
        for player, moves in {"a": ("C3", "C3"), "b": ("D4", "resign")}.items()
        for number, move in enumerate(moves)
    ]
    assert [(r["player"], r["number"]) for r in comparable(rows)] == [("a", "0"), ("b", "0")]


def test_report_rows():
    rows = [
        {
            "player": player,
            "number": str(number),
            "points_lost": str(lost),
            "win_lost": "0.1",
            "seconds": "2",
        }
        for player, losses in {"mine": (3, 1, 2), "theirs": (2, 0, 1)}.items()
        for number, lost in reversed(list(enumerate(losses)))
    ]
    assert column(rows, "mine", "points_lost").tolist() == [3, 1, 2]
    best, other = loss_rows(rows, ["mine", "theirs"])
    assert (best["player"], best["points lost"], best["win rate lost, %"]) == (
        "theirs",
        "1.00",
        "10.0",
    )
    assert best["vs. mine"] == "-1.00 ± 0.00"
    assert best["% vs. mine"] == "+0.00 ± 0.00"
    assert other["vs. mine"] == "+0.00 ± 0.00"


def wanted(games, **changes):
    usual = {"games": [str(games)], "size": 7, "positions": 6, "each": 4}
    return SimpleNamespace(**(usual | {"first": 4, "last": 12, "seed": 1} | changes))


def test_positions_respect_size_and_move_range(games):
    found = draw_positions(wanted(games))
    assert [position.rows for position in found] == [7] * 6
    turns = [len(position.moves) for position in found]
    assert all(4 <= turn < 12 for turn in turns)
    assert turns[:4] == sorted(set(turns[:4])), "four different ones of the first game"
    assert all(position.rules.komi == 7 for position in found)
    assert turns == [len(position.moves) for position in draw_positions(wanted(games))]


def test_too_few_positions_are_reported(games):
    with pytest.raises(TengenError, match="the games have only 8 suitable positions of size 7"):
        draw_positions(wanted(games, positions=9))
    with pytest.raises(TengenError, match="at least 2"):
        draw_positions(wanted(games, positions=1))


def test_player_gets_the_previous_moves():
    calls = []
    player = SimpleNamespace(
        new_game=lambda setting, seed: calls.append(setting.size_text),
        play=lambda color, move: calls.append(move),
        genmove=lambda color, limit_s: calls.append(color) or PASS,
    )
    position = Position(7).after("C3 E5 D4")
    move, _ = move_of(player, position)
    assert move == PASS
    assert calls == ["7", *(move.move for move in position.moves), position.to_play]


def test_losses_run_is_resumed(games, tmp_path, capsys):
    folder = tmp_path / "study"
    command = ["lab", "together", "losses", str(games), "--judge", "default", "-o", str(folder)]
    command += ["--size", "7", "--positions", "3", "--player", "few:tengen playouts=4 seed=1"]
    command += ["--player", f"gtp:{SCRIPTED} column=7"]
    assert main(command) == 0
    table = (folder / "losses.csv").read_text()
    assert table.count("\n") == 1 + 2 * 3
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert "vs. few" in page
    (folder / "losses.csv").write_text("\n".join(table.splitlines()[:3]) + "\n")
    assert main(command) == 0
    without_times = [line.rpartition(",")[0] for line in table.splitlines()]
    again = (folder / "losses.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in again] == without_times
    capsys.readouterr()


def test_failing_player_is_named(games, tmp_path, capsys):
    command = ["lab", "together", "losses", str(games), "--judge", "default"]
    command += ["--size", "7", "--positions", "2", "-o", str(tmp_path / "study"), "--player"]
    with pytest.raises(TengenError, match="bad: program not found: 'no-such-engine'"):
        main([*command, "bad:no-such-engine --gtp"])
    with pytest.raises(TengenError, match=r"^liar, after move \d+: .*illegal"):
        main([*command, f"liar:{SCRIPTED} illegal=1"])
    capsys.readouterr()
