"""Sweeps: verdicts, borders, allocation of games, and resuming."""

from concurrent.futures import Future

import pytest

from tengen.board import WHITE
from tengen.cli.main import main
from tengen.lab.potential.analysis import (
    PLAIN,
    Border,
    Cell,
    RateTest,
    RateVerdict,
    find_border,
    halfway,
    is_inside,
)
from tengen.lab.potential.sweep import (
    COLUMNS,
    Effort,
    GameTrunk,
    Sweep,
    SweepRules,
    SwitchCurve,
    TrunkBranch,
    first_switches,
    play_trunk,
    run_sweep,
)
from tengen.lab.potential.sweep_report import drawn_switches
from tengen.lab.study import CsvTable
from tengen.match import open_workers
from tengen.util import TengenError

OPEN, BELOW, ABOVE = RateVerdict.OPEN, RateVerdict.BELOW, RateVerdict.ABOVE


class WorkerDied(Exception):  # noqa: N818
    """Raised by the fake workers below."""


class Inline:
    """Workers and executor in one: runs tasks immediately, or fails."""

    count = 1
    failures = (WorkerDied,)
    fail_together = True

    def __init__(self, answer=play_trunk, tasks=10**6):
        self.executor, self.answer, self.left, self.ended = self, answer, tasks, ""
        self.restarts = 0

    def submit(self, _function, trunk):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        future = Future()
        try:
            future.set_result(self.answer(trunk))
        except WorkerDied as error:
            future.set_exception(error)
        return future

    def restart(self):
        self.restarts += 1

    def finish(self):
        self.ended = "finished"

    def stop(self):
        self.ended = "stopped"


def nothing(_sweep):
    pass


# Verdicts and borders


def test_verdicts_need_evidence():
    test = RateTest(0.5)
    assert test.verdict(Cell(0, 0)) is OPEN
    assert test.verdict(Cell(6, 10)) is OPEN
    assert test.verdict(Cell(70, 100)) is ABOVE
    assert test.verdict(Cell(30, 100)) is BELOW
    assert RateTest(0.7).verdict(Cell(70, 100)) is OPEN


def test_verdict_error_rate_matches_its_risk():
    """At the upper hypothesis 5% of the verdicts may be BELOW."""
    import random

    chooser, wrong = random.Random(1), 0
    for _ in range(400):
        wins = games = 0
        while (verdict := RateTest(0.5).verdict(Cell(wins, games))) is OPEN:
            games += 1
            wins += chooser.random() < 0.55
        wrong += verdict is BELOW
    assert wrong <= 0.08 * 400


@pytest.mark.parametrize(
    ("verdicts", "border", "text"),
    [
        ({}, Border(None, None), "none found"),
        ({77: OPEN, 61: OPEN}, Border(None, None), "none found"),
        ({77: ABOVE, 61: ABOVE, 41: BELOW}, Border(41, 61), "42 to 61"),
        ({77: ABOVE, 61: OPEN, 41: BELOW}, Border(41, 77), "42 to 77"),
        ({77: ABOVE, 61: OPEN}, Border(None, 77), "at most 77"),
        ({77: OPEN, 61: BELOW, 41: BELOW}, Border(61, None), "none, or above 61"),
        ({77: BELOW, 61: ABOVE, 41: BELOW}, Border(41, 61), "42 to 61"),
    ],
)
def test_border_is_an_interval(verdicts, border, text):
    assert find_border(verdicts) == border
    assert str(border) == text


def test_only_points_inside_the_interval_matter():
    border = Border(41, 65)
    assert [s for s in (73, 65, 61, 49, 41, 31) if is_inside(s, border)] == [61, 49]


def test_interval_is_halved_at_an_untried_point():
    assert halfway(Border(41, 61), {41: 0, 61: 0}) == 51
    assert halfway(Border(41, 61), {41: 0, 51: 0, 61: 0}) is None
    assert halfway(Border(59, 61), {}) is None
    assert halfway(Border(57, 61), {}) == 59
    assert halfway(Border(None, 61), {}) is None


def test_initial_switching_points_have_blacks_parity():
    assert first_switches(9, (0.9, 0.5)) == [73, 41]
    assert first_switches(13, (0.8,)) == [135]


@pytest.mark.parametrize("komi", ["nan", "inf", "0.3", "1000"])
def test_rejects_invalid_komi(tmp_path, komi):
    folder = tmp_path / "sweep"
    with pytest.raises(TengenError, match="komi must be a multiple"):
        main(["lab", "potential", "sweep", "-o", str(folder), "--komi", komi])
    assert not folder.exists()


def test_switching_points_are_at_least_two():
    assert first_switches(9, (0.5, 0.02, 0.001)) == [41, 3]
    assert first_switches(6, (0.04,)) == [2]


# Allocation of games


def made_up(rates):
    """Return fake trunk results with a known win rate."""

    def answer(trunk):
        return [
            TrunkBranch(
                switch,
                1,
                int((trunk.number * 0.6180339887) % 1 < rates(trunk.filter, switch)),
                1000,
                1000,
                1500,
                80,
                3,
            )
            for switch in trunk.switches
        ]

    return answer


def rate(name, switch):
    """PF 9 helps down to 57; PF 3 never does."""
    if name == PLAIN:
        return 0.55
    return 0.8 if name == "pf9" and switch >= 57 else 0.3


def new_sweep(folder, **effort):
    usual = {"filters": ("pf3", "pf9"), "sizes": (9,), "least": 10, "most": 120}
    return Sweep(
        CsvTable(folder / "games.csv", COLUMNS), SweepRules(), Effort(**{**usual, **effort})
    )


def test_sweep_finds_the_borders(tmp_path):
    sweep, workers = new_sweep(tmp_path), Inline(made_up(rate))
    run_sweep(sweep, workers, nothing)
    assert workers.ended == "finished"
    test = sweep.test(9)
    assert sweep.curves["pf9", 9].border(test) == Border(55, 57)
    assert sweep.curves["pf3", 9].border(test).high is None
    assert test.reference == pytest.approx(0.55, abs=0.02)
    assert min(cell.games for cell in sweep.curves["pf9", 9].cells.values()) >= 10


def test_border_belongs_to_the_filtering_side(tmp_path):
    """White filters and wins where the fake players let Black lose."""

    def for_white(name, switch):
        return 1 - rate(name, switch)

    table = CsvTable(tmp_path / "games.csv", COLUMNS)
    effort = Effort(filters=("pf9",), sizes=(9,), least=10, most=120)
    sweep = Sweep(table, SweepRules(color=WHITE), effort)
    run_sweep(sweep, Inline(made_up(for_white)), nothing)
    assert sweep.curves["pf9", 9].border(sweep.test(9)) == Border(55, 57)


def test_undecided_points_get_most_games(tmp_path):
    def close(name, switch):
        return 0.55 if name == PLAIN or switch == 61 else rate("pf9", switch)

    sweep = new_sweep(tmp_path, filters=("pf9",), shares=(0.9, 0.75, 0.5))
    run_sweep(sweep, Inline(made_up(close)), nothing)
    cells = sweep.curves["pf9", 9].cells
    assert cells[61].games > 2 * max(cells[73].games, cells[41].games)
    assert cells[61].games <= 120


def test_interrupted_sweep_is_resumed(tmp_path):
    workers = Inline(made_up(rate), tasks=7)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(new_sweep(tmp_path), workers, nothing)
    assert workers.ended == "stopped"
    sweep = new_sweep(tmp_path)
    stored = len(sweep.rows)
    assert stored > 0
    run_sweep(sweep, Inline(made_up(rate)), nothing)
    keys = [(row["filter"], row["trunk"], row["switch"]) for row in sweep.rows]
    assert len(keys) == len(set(keys)) > stored
    run_sweep(new_sweep(tmp_path), Inline(made_up(rate), tasks=0), nothing)


def test_only_requested_filters_are_resumed(tmp_path):
    """A study of two filters, resumed with one: the other gets no more games."""
    run_sweep(new_sweep(tmp_path, most=20), Inline(made_up(rate)), nothing)
    before = {key: curve.trunks for key, curve in new_sweep(tmp_path).curves.items()}
    sweep = new_sweep(tmp_path, filters=("pf9",), least=40)
    run_sweep(sweep, Inline(made_up(rate)), nothing)
    assert sweep.curves["pf3", 9].trunks == before["pf3", 9] > 0
    assert sweep.curves["pf9", 9].trunks > before["pf9", 9]


def test_dead_worker_loses_only_its_trunk(tmp_path):
    deaths = iter([False, True, False, True, True])

    def answer(trunk):
        if next(deaths, False):
            raise WorkerDied
        return made_up(rate)(trunk)

    sweep, workers = new_sweep(tmp_path, filters=("pf9",)), Inline(answer)
    run_sweep(sweep, workers, nothing)
    assert workers.restarts == 3
    assert sweep.curves["pf9", 9].border(sweep.test(9)).high == 57


def test_broken_workers_are_replaced(tmp_path):
    """A broken pool accepts no tasks; the sweep must replace it."""

    class TakesNone(Inline):
        is_broken = True

        def submit(self, function, trunk):
            if self.is_broken:
                raise WorkerDied
            return super().submit(function, trunk)

        def restart(self):
            super().restart()
            self.is_broken = False

    sweep, workers = new_sweep(tmp_path, filters=("pf9",)), TakesNone(made_up(rate))
    run_sweep(sweep, workers, nothing)
    assert (workers.restarts, workers.ended) == (1, "finished")
    assert sweep.curves["pf9", 9].border(sweep.test(9)).high == 57


def test_repeatedly_dying_workers_abort_the_sweep(tmp_path):
    def answer(_trunk):
        raise WorkerDied

    workers = Inline(answer)
    with pytest.raises(TengenError, match="died 6 times"):
        run_sweep(new_sweep(tmp_path), workers, nothing)
    assert workers.ended == "stopped"


def test_games_left_are_counted(tmp_path):
    """If all switching points agree, none is added, so all games are known in advance."""
    sweep = new_sweep(tmp_path, filters=("pf9",), least=30, most=30)
    foreseen, seen = sweep.games_left(), []
    run_sweep(sweep, Inline(made_up(lambda *_: 1.0)), lambda state: seen.append(state.games_left()))
    assert foreseen == len(sweep.rows)
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == 0


def test_no_games_without_time(tmp_path):
    sweep = new_sweep(tmp_path, minutes=0.0)
    run_sweep(sweep, Inline(tasks=0), nothing)
    assert not sweep.rows


# Commands


@pytest.mark.filterwarnings("error::UserWarning")
def test_report_of_a_single_filter(tmp_path):
    """One of the two panels is empty."""
    words = ["lab", "potential", "sweep", "-o", str(tmp_path), "--sizes", "3", "--playouts", "2"]
    assert main([*words, "--filters", "pf6", "--least", "2", "--games", "2"]) == 0
    assert (tmp_path / "curves-3.png").exists()


def test_command_plays_and_reports(tmp_path, capsys):
    words = ["lab", "potential", "sweep", "-o", str(tmp_path), "--sizes", "4,3", "--playouts", "4"]
    words += ["--filters", "pf6,random", "--least", "2", "--games", "2"]
    assert main(words) == 0
    page = (tmp_path / "report.html").read_text()
    assert "pf6" in page
    assert "by formula" in page
    assert "no worse down to" in page
    drawn = ("curves-4.png", "curves-3.svg", "playouts-4.png", "no-worse-4.svg", "scaled.png")
    for name in drawn:
        assert (tmp_path / name).exists()
    rows = (tmp_path / "games.csv").read_text().splitlines()
    assert main(words) == 0
    assert (tmp_path / "games.csv").read_text().splitlines() == rows


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--filters", "pf77"], "unknown filter"),
        (["--sizes", "9,x"], "board sizes must be integers such as 9,19, got '9,x'"),
        (["--sizes", "1,9"], "board sizes must be between 2 and 19"),
        (["--shares", "2"], "shares must be between"),
        (["--stencil", "sobel"], "unknown stencil"),
        (["--workers", "0"], "workers must be at least 1"),
    ],
)
def test_rejects_invalid_options(tmp_path, words, complaint):
    with pytest.raises(TengenError, match=complaint):
        main(["lab", "potential", "sweep", "-o", str(tmp_path / "x"), *words])


@pytest.mark.parametrize("option", ["--least", "--games", "--playouts"])
@pytest.mark.parametrize("value", ["0", "-1", "x"])
def test_rejects_nonpositive_games(tmp_path, capsys, option, value):
    with pytest.raises(SystemExit):
        main(["lab", "potential", "sweep", "-o", str(tmp_path / "x"), f"{option}={value}"])
    assert f"{value!r} is not a positive integer" in capsys.readouterr().err


def test_trunk_is_picklable():
    """A worker on another machine needs nothing but the trunk."""
    import pickle

    trunk = GameTrunk("pf1", 5, (19,), number=3, komi=0.5, playouts=3)
    assert play_trunk(pickle.loads(pickle.dumps(trunk))) == play_trunk(trunk)


def test_cluster_plays_the_same_games(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs tengen-go[cluster]")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    rows = []
    with distributed.LocalCluster(processes=False, **options) as cluster:
        there = open_workers(1, cluster.scheduler_address)
        for name, workers in (("here", Inline()), ("there", there)):
            table = CsvTable(tmp_path / f"{name}.csv", COLUMNS)
            effort = Effort(filters=("pf6",), sizes=(4,), least=2, most=2)
            sweep = Sweep(table, SweepRules(playouts=3), effort)
            run_sweep(sweep, workers, nothing)
            rows.append(sweep.rows)
    assert rows[0] == rows[1]
    assert len(rows[0]) > 4


def test_switching_point_with_few_games_is_not_drawn():
    cells = {79: Cell(40, 70), 63: Cell(0, 3), 61: Cell(33, 70), 31: Cell(5, 7)}
    assert drawn_switches(SwitchCurve("pf6", 9, cells)) == [31, 61, 79]
    assert drawn_switches(SwitchCurve("pf6", 19, {271: Cell(2, 2)})) == [271]
