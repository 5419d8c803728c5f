"""The self-check finds faults, and passes where there are none."""

import random
import sys

import pytest

from tengen.bench.selfcheck import (
    CHECKS,
    Batch,
    Check,
    OracleBoard,
    boards,
    compare_rules,
    matches,
    records,
    run_checks,
)
from tengen.board import Position
from tengen.cli.main import main
from tengen.util import TengenError, read_results

QUICK = ("rules", "superko", "scoring", "records")
PEER = """
import sys
legal = sys.argv[1]
for line in sys.stdin:
    word = line.split()[0]
    print("=", legal if word == "all_legal" else "", end="\\n\\n", flush=True)
"""


def first_batch(cases):
    try:
        return next(cases)
    finally:
        cases.close()


@pytest.mark.parametrize("name", [*QUICK, "gtp", "json"])
def test_a_batch_passes(name):
    (check,) = [check for check in CHECKS if check.name == name]
    batch = first_batch(check.cases(random.Random(1)))
    assert batch.tried > 0
    assert batch.failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kills", "engines"])
def test_a_match_passes(name, monkeypatch):
    monkeypatch.setattr(matches, "GAMES", 4)
    monkeypatch.setattr(matches, "KILLS", 1)
    (check,) = [check for check in CHECKS if check.name == name]
    cases = check.cases(random.Random(1))
    found = [next(cases), next(cases)]
    cases.close()
    assert [failure for batch in found for failure in batch.failures] == []


@pytest.mark.slow
def test_the_server_withstands_foreign_requests_and_paths():
    (check,) = [check for check in CHECKS if check.name == "server"]
    cases = check.cases(random.Random(1))
    assert [next(cases).failures, next(cases).failures] == [(), ()]
    cases.close()


def test_a_wrong_move_generator_is_found(monkeypatch):
    genuine = Position.legal_moves
    monkeypatch.setattr(Position, "legal_moves", lambda self: genuine(self)[:-1])
    assert boards.difference_from(Position(3), OracleBoard(3, 3)) == "other legal moves"
    monkeypatch.setattr(boards, "area_difference", lambda position: 1)
    monkeypatch.setattr(Position, "legal_moves", genuine)
    assert boards.difference_from(Position(3), OracleBoard(3, 3)) == "area 1, not 0"
    assert first_batch(boards.scored_positions(random.Random(1))).failures


def test_a_failing_reader_is_found(monkeypatch):
    def fail(data):
        raise ValueError("broken")

    monkeypatch.setattr(records, "check_survival", fail)
    batch = first_batch(records.damaged_records(random.Random(1)))
    assert len(batch.failures) == batch.tried
    assert batch.failures[0].startswith("ValueError: broken; data = ")


def test_lost_games_are_found(tmp_path):
    file = tmp_path / "match.sqlite"
    options = ("--games", "2")
    assert matches._finish(matches._start(file, [matches._engine()] * 2, *options)) == ""
    assert matches._store_problems(file) == ["games [0, 1], not 0 to 23"]


@pytest.mark.parametrize(("legal", "count"), [("A1 B1 A2 B2", 0), ("A1 B1 A2", 1)])
def test_other_legal_moves_of_a_peer_are_found(legal, count, monkeypatch):
    monkeypatch.setattr("tengen.bench.selfcheck.peers.SIZES", (2,))
    command = [sys.executable, "-c", PEER, legal]
    batch = first_batch(compare_rules(command, "gnugo")(random.Random(1)))
    assert len(batch.failures) == count


def endless(batch):
    while True:
        yield batch


def test_checks_stop_after_their_share_of_time():
    checks = [Check(name, "cases", "all", lambda rng: endless(Batch(3))) for name in "ab"]
    outcomes = list(run_checks(checks, 1e-12, 1, lambda outcome: None))
    assert [(outcome.tried, outcome.failed) for outcome in outcomes] == [(3, 0), (3, 0)]


def test_an_exception_of_a_check_is_a_failure():
    def broken(rng):
        yield Batch(2)
        raise OSError("no server")

    (outcome,) = run_checks([Check("x", "cases", "all", broken)], 1, 1, lambda outcome: None)
    assert (outcome.tried, outcome.failed) == (3, 1)
    assert outcome.problems == ["OSError: no server"]


def test_command_prints_a_table_and_fails_with_a_check(monkeypatch, tmp_path, capsys):
    file = tmp_path / "checks.csv"
    command = ["selfcheck", "--minutes", "0.001", "--only", "superko,scoring", "-o", str(file)]
    assert main(command) == 0
    assert "superko" in capsys.readouterr().out
    assert [row["failed"] for row in read_results(file).rows] == ["0", "0"]
    monkeypatch.setattr(boards, "area_difference", lambda position: 1000)
    assert main(command) == 1
    assert "area 1000, not" in capsys.readouterr().err


def test_unknown_checks_are_refused():
    with pytest.raises(TengenError, match="unknown check 'superkoo'.*did you mean 'superko'"):
        main(["selfcheck", "--only", "superkoo"])


def test_checks_against_a_program_need_its_command():
    with pytest.raises(TengenError, match="check 'gnugo' needs a program: add --gnugo COMMAND"):
        main(["selfcheck", "--only", "rules,gnugo"])
