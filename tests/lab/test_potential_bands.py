"""Bands of switching points: a trunk counts once, however many games it has."""

from tengen.lab.potential.analysis import band_row, band_rows, games_by_trunk


def row(name, trunk, switch, black_won, size=9):
    values = {"filter": name, "trunk": trunk, "switch": switch, "black_won": black_won}
    return {key: str(value) for key, value in {**values, "size": size}.items()}


def test_games_of_one_trunk_count_once():
    """Two trunks: one wins both games of the band, the other loses its only one."""
    rows = [row("pf4", 0, 77, 1), row("pf4", 0, 73, 1), row("pf4", 1, 79, 0)]
    line = band_row(games_by_trunk(rows, 9, True), ("pf4",), 9)
    assert line["72 to 80"] == "50 ± 98% (2)"
    assert line["60 to 71"] == "-", "nothing was played there"


def test_each_game_is_in_exactly_one_band():
    switches = list(range(1, 81))
    rows = [row("pf1", trunk, switch, 1) for trunk in (0, 1) for switch in switches]
    line = band_row(games_by_trunk(rows, 9, True), ("pf1",), 9)
    bands = [tuple(map(int, title.split(" to "))) for title in line if title != "filter"]
    assert bands == [(72, 80), (60, 71), (45, 59), (0, 44)]
    assert all(line[f"{low} to {high}"] == "100 ± 0% (2)" for low, high in bands)


def test_other_boards_plain_players_and_white():
    rows = [row("pf1", n, 73, 0) for n in range(4)] + [row("pf1", 9, 73, 1, size=13)]
    rows += [row("plain", n, 81, 1) for n in range(3)]
    [line] = band_rows(games_by_trunk(rows, 9, False), 9)
    assert line["filter"] == "pf1"
    assert line["72 to 80"] == "100 ± 0%, +100 ± 0 (4)", "White filters and won them all"


def test_similar_filters_are_grouped():
    rows = [row(name, n, 73, n % 2) for name in ("random", "pf3") for n in range(8)]
    rows += [row("plain", n, 81, int(n % 4 == 0)) for n in range(100)]
    lines = {line["filter"]: line for line in band_rows(games_by_trunk(rows, 9, True), 9)}
    assert list(lines) == ["pf3", "random", "random, pf3"]
    assert lines["pf3"]["72 to 80"] == "50 ± 37%, +25 ± 38 (8)"
    assert lines["random, pf3"]["72 to 80"] == "50 ± 25%, +25 ± 27 (16)"
