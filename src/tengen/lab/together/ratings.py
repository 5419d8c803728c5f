"""A round robin of all players at equal time, with other programs; rated by maximum likelihood."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from rich.console import Console

from tengen.board.colour import BLACK, WHITE
from tengen.lab.terms import Terms
from tengen.lab.together.pictures import plot_differences, title_of
from tengen.match.play import play_match
from tengen.match.report import PRIOR_DRAWS
from tengen.match.stats import Z_95, bradley_terry
from tengen.match.store import GameRow, Store
from tengen.match.table import live_table
from tengen.match.tally import black_scores, score_of_player, time_use


def play_round_robin(path: Path, players: Mapping[str, str], terms: Terms, size: int) -> None:
    """Play the games that are missing: `terms.games` for each pairing."""
    config = terms.match(players, str(size))
    play_match(config, path, terms.workers, terms.cluster, live_table(Console(stderr=True)))


def games_of(path: Path) -> list[GameRow]:
    """Return the games of a store."""
    store = Store(path)
    try:
        return store.results()
    finally:
        store.close()


def rating_rows(names: list[str], rows: list[GameRow]) -> list[dict[str, object]]:
    """Return a line for each player, the strongest first; Elo against the first of `names`."""
    fit = bradley_terry(len(names), black_scores(rows), PRIOR_DRAWS)
    found: list[dict[str, object]] = []
    for player in np.argsort(-fit.elo).tolist():
        score = score_of_player(rows, player)
        colours = [score_of_player(rows, player, colour) for colour in (BLACK, WHITE)]
        use = time_use(rows, player)
        error = fit.difference_error(player, 0)
        found.append(
            {
                "player": names[player],
                "Elo": f"{fit.elo[player] - fit.elo[0]:+.0f} ± {Z_95 * error:.0f}",
                "games": score.games,
                "won": f"{score.wins}/{score.games}",
                "as Black": f"{colours[0].wins}/{colours[0].games}",
                "as White": f"{colours[1].wins}/{colours[1].games}",
                "seconds a move": f"{use.time_s / max(use.moves, 1):.3f}",
            }
        )
    return found


def plot_ratings(axes: Axes, names: list[str], rows: list[GameRow]) -> None:
    """Draw each player's Elo above the first of `names`, with its interval."""
    fit = bradley_terry(len(names), black_scores(rows), PRIOR_DRAWS)
    differences = {
        name: (float(fit.elo[player] - fit.elo[0]), fit.difference_error(player, 0))
        for player, name in enumerate(names)
    }
    plot_differences(axes, differences, f"Elo above {title_of(names[0])}")
