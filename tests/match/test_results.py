"""Summary rows of matches in results files."""

import pytest
from match_helpers import plan_of, row_of, scripted

from tengen.cli.main import main
from tengen.match import MatchConfig, Store
from tengen.util import TengenError, read_results


def test_command_line_reproduces_the_config():
    config = MatchConfig(
        ("tengen playouts=5", "gnugo --mode gtp"), ("a", "b"), games=4, komi=-0.5, sprt="-5,5"
    )
    assert config.command_line() == (
        "tengen match 'tengen playouts=5' 'gnugo --mode gtp' --names a,b --games=4 --komi=-0.5 "
        "--sprt=-5,5"
    )


def test_report_adds_and_replaces_rows(tmp_path):
    path, table = tmp_path / "match.sqlite", tmp_path / "results" / "matches.csv"
    words = ["--names", "a,b", "--size", "5", "--komi", "0.5", "-o", str(path)]
    for games in ("2", "4"):
        players = [scripted(), scripted(resign=1)]
        assert main(["match", *players, "--games", games, *words]) == 0
        assert main(["report", str(path), "--row", str(table)]) == 0
    first, second = read_results(table).rows
    assert (first["games"], second["games"]) == ("2", "4")
    assert (first["player"], first["opponent"]) == ("a", "b")
    assert second["score"].startswith("100.0% (")
    assert (second["as Black"], second["as White"]) == ("2/2", "2/2")
    assert second["settings"] == "5x5, chinese rules, komi 0.5, no clock"
    assert second["command"].startswith("tengen match ")
    assert second["revision"]
    assert main(["report", str(path), "--row", str(table)]) == 0
    assert len(read_results(table).rows) == 2


def test_rejects_a_file_without_command(tmp_path):
    store = Store(tmp_path / "match.sqlite")
    store.adopt(plan_of("a", "b"))
    store.finish(row_of(0, 0, 1, 2))
    store.close()
    with pytest.raises(TengenError, match="does not record its command"):
        main(["report", str(tmp_path / "match.sqlite"), "--row", str(tmp_path / "rows.csv")])
