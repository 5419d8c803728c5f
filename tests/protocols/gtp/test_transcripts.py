"""Transcripts of what programs and servers send, replayed over one pipe.

The lines follow the documentation and source of each program; `>` sends a line, `<` is a pattern
for the whole reply without its `=`.
"""

import re

import pytest
from test_gtp_pipe import Pipe

VERTEX = r"([A-HJ][1-9]|pass|resign)"
INFO = rf"info move {VERTEX} .*"

OGS = [
    ("list_commands\r", r"(?s).*kata-list_time_settings.*"),
    ("known_command kata-time_settings\r", "true"),
    ("kata-list_time_settings\r", r".*\bfischer-capped\b.*"),
    ("boardsize 9 9\r", ""),
    ("clear_board\r", ""),
    ("komi 7.5\r", ""),
    ("kata-time_settings fischer-capped 120 30 180 -1\r", ""),
    ("time_left black 119.5 0\r", ""),
    ("play black e5\r", ""),
    ("time_left white 120 0\r", ""),
    ("genmove white\r", VERTEX),
    ("play black pass\r", ""),
    ("final_status_list dead\r", r"(?s).*"),
]
KGS = [
    ("kgs-rules japanese", ""),
    ("kgs-time_settings byoyomi 600 30 5", ""),
    ("boardsize 9", ""),
    ("komi 6.5", ""),
    ("clear_board", ""),
    ("place_free_handicap 2", r"[A-HJ][1-9] [A-HJ][1-9]"),
    ("time_left w 600 0", ""),
    ("genmove w", VERTEX),
    ("time_left b 30 5", ""),
    ("play b a1", ""),
    ("kgs-chat private joe hello there", r"I am .*"),
    ("kgs-genmove_cleanup w", VERTEX),
    ("final_status_list dead", r"(?s).*"),
    ("kgs-game_over", ""),
    ("showboard", r"(?s).*X.*"),
]
CGOS = [
    ("boardsize 9", ""),
    ("cgos-opponent_name gnugo", ""),
    ("cgos-opponent_rating 1800?", ""),
    ("clear_board", ""),
    ("komi 7.0", ""),
    ("time_settings 300 0 0", ""),
    ("play b E5", ""),
    ("play w C3", ""),
    ("play b G3", ""),
    ("time_left w 290 0", ""),
    ("cgos-genmove_analyze w", rf'\n\{{"winrate":.*\}}\nplay {VERTEX}'),
    ("cgos-gameover W+Resign", ""),
]
GOGUI = [
    ("1 protocol_version", "2"),
    ("2 list_commands", r"(?s).*gogui-interrupt.*gogui-play_sequence.*gogui-setup_player.*"),
    ("3 gogui-interrupt", ""),
    ("4 gogui-analyze_commands", r"(?s)gfx/.*param/.*"),
    ("5 boardsize 9", ""),
    ("6 clear_board", ""),
    ("7 gogui-setup B C3 W G7", ""),
    ("8 gogui-setup_player b", ""),
    ("9 gogui-play_sequence B E5 W E7", ""),
    ("10 tengen-layer distance", r"(?s)COLOR .*TEXT .*"),
    ("11 tengen-param_search", r"(?s)\[list/auto.*"),
    ("12 tengen-param_search final_choice lcb", ""),
    ("13 genmove b", VERTEX),
    ("14 undo", ""),
    ("15 tengen-line", rf"{VERTEX}( {VERTEX})*"),
    ("16 tengen-param_search final_choice visits", ""),
]
LIZZIE = [
    ("1 name", "Tengen"),
    ("2 version", r"\d+\.\d+.*"),
    ("3 boardsize 9", ""),
    ("4 komi 7.5", ""),
    ("5 play B E5", ""),
    ("6 loadsgf /nowhere.sgf", None),
    ("7 undo", ""),
    ("8 kata-get-param playoutDoublingAdvantage", None),
]


@pytest.fixture(scope="module")
def engine():
    pipe = Pipe("memory_mib=16")
    yield pipe
    pipe.send("quit\n")
    assert pipe.reply() == ["= "]
    assert pipe.end()[:2] == (0, "")


def check(engine, line, pattern):
    """Send a line and check that the reply matches the pattern, or fails for None."""
    engine.send(line + "\n")
    first, *rest = engine.reply()
    number = line.split()[0] if line[0].isdigit() else ""
    mark = "?" if pattern is None else "="
    assert first.startswith(mark + number), (line, first)
    text = "\n".join([first[len(mark + number) :].removeprefix(" "), *rest])
    assert pattern is None or re.fullmatch(pattern, text), (line, text)


@pytest.mark.parametrize(
    "transcript",
    [OGS, KGS, CGOS, GOGUI, LIZZIE],
    ids=["ogs", "kgs", "cgos", "gogui", "lizzie"],
)
def test_transcript(engine, transcript):
    for line, pattern in transcript:
        check(engine, line, pattern)


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze", "analyze"])
def test_analysis_between_moves(engine, command):
    """Lizzie and Sabaki analyze all the time; every move interrupts the analysis."""
    check(engine, "boardsize 9", "")
    for number, move in enumerate(("play B D4", "play W F6", "undo", "name"), 10):
        engine.send(f"{number} {command} 5\n")
        assert engine.line() == f"={number}\n"
        assert re.fullmatch(INFO, engine.line().rstrip("\n"))
        engine.send(f"{number}0 {move}\n")
        assert all(line.startswith("info ") for line in engine.reply())
        assert engine.reply()[0].startswith(f"={number}0 ")
