"""Game rooms: requests of a page and the answers of the server."""

import asyncio
import re
from urllib.parse import unquote

import pytest
from web_helpers import client_of, make_game_server, page_of, settled, until

from tengen.board import PASS
from tengen.engine import MoveDecision, MoveReason, rank_name, stored_estimate
from tengen.engine.search_engine import TreeEngine
from tengen.records import read_bytes
from tengen.util import TengenError


def moves_of(page):
    return [node[3] for node in page.tree.rows()]


def has_moved(state):
    return state["move"] == 1 and settled(state)


def test_welcome(page):
    welcome = page.newest["welcome"]
    assert "chinese" in welcome["rules"]
    assert [level["name"] for level in welcome["levels"]][-1] == "strongest"
    assert "bigmove.p1" in [layer["name"] for layer in welcome["layers"]]
    assert page.newest["state"]["board"] == ["." * 9] * 9
    assert page.newest["game"]["komi"] == 7.5


def test_engine_answers(page):
    page.request("new_game", color="black", size="5")
    state = page.request("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert state["to_play"] == "black"
    assert sum(row.count("O") for row in state["board"]) == 1
    assert page.newest["search"]["candidates"]


def test_engine_plays_first_as_black(page):
    state = page.request("new_game", color="white", size="5", level="25k", _wanted=has_moved)
    assert state["to_play"] == "white"
    assert page.newest["game"]["black"] == "Tengen 25k"


def test_auto_level_adjusts_to_the_result(page, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    page.request("new_game", color="black", size="5", level="auto")
    assert page.newest["game"]["estimate"]["games"] == 0
    page.request("resign", _wanted=lambda s: s["phase"] == "over")
    page.settle()
    after = page.newest["game"]["estimate"]
    assert (after["games"], after["rank"]) == (1, rank_name(stored_estimate().playing_rank))
    assert stored_estimate().mean < -14
    page.request("undo")
    page.request("resign", _wanted=lambda s: s["phase"] == "over")
    page.settle()
    assert stored_estimate().games == 1, "a game counts once"


def test_levels_take_time_for_a_move():
    server = make_game_server()
    server.context.reply_s = (1000.0, 1000.0)
    with client_of(server) as client, page_of(client) as page:
        page.request(
            "new_game", color="white", size="5", level="25k", _answer="search", _wanted=bool
        )
        page.settle()
        assert (page.newest["state"]["move"], page.newest["state"]["thinking"]) == (0, True)


def test_engine_self_play(page, monkeypatch):
    monkeypatch.setattr("tengen.web.game_room.MOVE_S", (0.0, 0.0))
    state = page.request("new_game", color="none", size="3", _wanted=lambda s: s["phase"] != "play")
    assert state["result"] or state["score"]


def test_self_play_pauses_between_moves(page, monkeypatch):
    monkeypatch.setattr("tengen.web.game_room.MOVE_S", (1000.0, 1000.0))
    page.request(
        "new_game", color="none", size="3", _answer="search", _wanted=lambda s: s["visits"] >= 50
    )
    page.settle()
    assert (page.newest["state"]["move"], page.newest["state"]["thinking"]) == (0, True)


def test_handicap_komi_and_rules(page):
    page.request("new_game", color="both", size="9", handicap=3, rules="japanese")
    assert (page.newest["game"]["komi"], page.newest["game"]["handicap"]) == (0.5, 3)
    assert page.newest["state"]["to_play"] == "white"
    page.request("new_game", color="both", size=" 4 X 7 ", komi=-3)
    assert (page.newest["game"]["rows"], page.newest["game"]["columns"]) == (7, 4)
    assert page.newest["game"]["komi"] == -3


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": "1"},
        {"size": "25"},
        {"size": "x"},
        {"color": "green"},
        {"handicap": 99},
        {"komi": 3.3},
        {"rules": "bridge"},
        {"level": "9p"},
        {"clock": "sand"},
        {"clock": "absolute"},
        {"clock": "byoyomi", "main_s": -1},
    ],
)
def test_rejects_invalid_new_game(page, wrong):
    before = page.newest["game"]
    assert page.request("new_game", _answer="error", **wrong)["text"]
    page.request("go_to", node=0)
    assert page.newest["game"] == before


def test_rejects_illegal_moves(page):
    page.request("new_game", color="both", size="5")
    page.request("play", vertex="C3")
    assert page.request("play", _answer="error", vertex="C3")["text"] == "C3 is occupied"
    assert "outside" in page.request("play", _answer="error", vertex="Q16")["text"]
    assert page.request("go_to", node=1)["move"] == 1


def test_variations_and_comments(page):
    page.request("new_game", color="both", size="5")
    page.request("play", vertex="C3")
    page.request("play", vertex="B2")
    page.request("go_to", node=1)
    page.request("play", vertex="D4")
    assert page.request("comment", node=3, text="] and \\")["comment"] == "] and \\"
    assert moves_of(page) == [None, "C3", "D4", "B2"], "the last move played is in the main line"
    page.request("go_to", node=1)
    state = page.request("play", vertex="B2")
    assert state["node"] == 2, "an existing move adds no node"
    assert moves_of(page) == [None, "C3", "B2", "D4"], "but changes the main line"
    page.request("delete_branch", node=2)
    assert moves_of(page) == [None, "C3", "D4"]
    assert "cannot be deleted" in page.request("delete_branch", _answer="error", node=0)["text"]
    assert "no node" in page.request("go_to", _answer="error", node=99)["text"]


def test_comment_on_another_node(page):
    page.request("new_game", color="both", size="5")
    page.request("play", vertex="C3")
    page.request("play", vertex="B2")
    assert page.request("comment", node=1, text="strong")["comment"] == ""
    assert page.request("go_to", node=1)["comment"] == "strong"
    assert "no node" in page.request("comment", _answer="error", node=9, text="lost")["text"]


def test_change_count(client, page):
    assert page.request("new_game", color="both", size="5")["change_count"] == 0
    sgf = b"(;GM[1]SZ[5];B[aa];W[bb]C[one][two])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    page.settle()
    assert page.request("go_to", node=1)["change_count"] == 0
    assert page.request("play", vertex="B4")["change_count"] == 0, "the move exists"
    assert page.request("play", vertex="C3")["change_count"] == 1
    assert page.request("comment", node=3, text="so")["change_count"] == 2
    assert page.request("comment", node=3, text="so")["change_count"] == 2
    assert page.request("comment", node=3, text=" ")["change_count"] == 3
    assert page.request("delete_branch", node=3)["change_count"] == 4
    assert page.request("comment", node=2, text="one")["change_count"] == 5, "one value is removed"
    page.request("score", is_final=True, _wanted=lambda s: s["score"] is not None)
    assert page.request("accept_score")["change_count"] == 6


def test_extended_variation_becomes_the_main_line(page):
    page.request("new_game", color="both", size="5")
    for vertex in ("C3", "B2"):
        page.request("play", vertex=vertex)
        page.request("go_to", node=0)
    page.request("go_to", node=1)
    page.request("play", vertex="D4")
    assert moves_of(page) == [None, "C3", "D4", "B2"]


def test_undo_includes_the_engine_move(page):
    page.request("new_game", color="black", size="5")
    assert "no move" in page.request("undo", _answer="error")["text"]
    page.request("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert page.request("undo")["move"] == 0
    assert page.newest["state"]["to_play"] == "black"


def test_move_for_the_engine_is_a_variation(page):
    page.request("new_game", color="black", size="5")
    page.request("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    played = moves_of(page)
    tried = next(vertex for vertex in ("B2", "B3") if vertex != played[2])
    page.request("go_to", node=1)
    page.request("play", vertex=tried)
    assert moves_of(page) == [*played, tried]
    page.request("play", vertex="D4", _wanted=lambda s: settled(s) and s["move"] == 4)
    assert moves_of(page)[: len(played)] == played, "and so are its continuations"


def test_undo_removes_the_result_first(page):
    page.request("new_game", color="black", size="5")
    page.request("resign")
    state = page.request("undo")
    assert (state["phase"], state["result"], state["move"]) == ("play", "", 0)
    page.request("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    page.request("resign")
    state = page.request("undo")
    assert (state["phase"], state["result"], state["move"]) == ("play", "", 2)
    assert page.request("undo")["move"] == 0


def test_undo_of_an_accepted_score(page):
    node = scored(page)["node"]
    page.request("accept_score")
    state = page.request("undo")
    assert (state["phase"], state["node"], state["score"]["result"]) == ("scoring", node, "W+0.5")


def test_undo_of_a_loss_on_time_resets_the_clocks(page):
    clock = {"clock": "absolute", "main_s": 0.5}
    page.request("new_game", color="both", _wanted=lambda s: s["phase"] == "over", **clock)
    page.send("undo")
    state = page.receive("state", lambda s: s["phase"] == "play")
    assert state["clocks"]["black"]["left_s"] == 0.5


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("RU[Japanese]", "japanese"), ("RU[House]", "House")]
)
def test_rules_of_a_loaded_game(client, page, text, shown):
    client.post(f"/games/{page.newest['game']['id']}", content=f"(;SZ[5]{text};B[aa])".encode())
    page.settle()
    assert page.newest["game"]["rules"] == shown


def test_rejects_other_games(client, page):
    answer = client.post(f"/games/{page.newest['game']['id']}", content=b"(;GM[2]SZ[8];B[d3])")
    assert answer.status_code == 422
    assert "not a game of Go: GM[2] is Othello" in answer.text


def test_cannot_resign_in_a_loaded_game(client, page):
    name = page.newest["game"]["id"]
    sgf = b"(;GM[1]SZ[5]RE[W+2.5];B[aa];W[bb])"
    assert client.post(f"/games/{name}", content=sgf).status_code == 200
    page.settle()
    assert page.newest["game"]["is_loaded"]
    assert "loaded game" in page.request("resign", _answer="error")["text"]
    page.request("score", is_final=True, _wanted=lambda s: s["score"] is not None)
    assert page.request("accept_score")["result"] != "W+2.5"
    assert page.request("undo")["result"] == "W+2.5"
    (record,) = read_bytes(client.get(f"/games/{name}.sgf").content)
    assert record.result_text == "W+2.5"


def test_engine_resigns_only_its_own_games(client, page, monkeypatch):
    monkeypatch.setattr(TreeEngine, "_should_resign", lambda *arguments: True)
    sgf = b"(;GM[1]SZ[5]RE[W+2.5];B[cc])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    page.request("go_to", node=1)
    state = page.request("engine_move", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert (state["phase"], state["result"]) == ("play", "W+2.5")
    assert state["last"] != "pass"
    page.request("new_game", color="black", size="5")
    page.request("engine_move", _wanted=lambda s: s["phase"] == "over")
    assert page.newest["state"]["result"] == "B+R", "it resigns with its next move"


def test_resign(page):
    page.request("new_game", color="white", size="5", _wanted=has_moved)
    state = page.request("resign")
    assert (state["result"], state["phase"]) == ("B+R", "over")
    assert "over" in page.request("resign", _answer="error")["text"]


WALL = [(f"B{row}", f"C{row}") for row in range(1, 6)]
"""Two walls on a 4x5 board: ten points each."""


def scored(page):
    page.request("new_game", color="both", size="4x5", komi=0.5)
    for black, white in WALL:
        page.request("play", vertex=black)
        page.request("play", vertex=white)
    page.request("play", vertex="pass")
    return page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)


def test_scoring(page):
    state = scored(page)
    assert state["phase"] == "scoring"
    assert state["score"]["result"] == "W+0.5"
    assert state["score"]["owner"] == ["XXOO"] * 5
    assert state["score"]["dead"] == []
    state = page.request("toggle_dead", vertex="C3")
    assert state["score"]["dead"] == ["C5", "C4", "C3", "C2", "C1"]
    assert state["score"]["result"] == "B+19.5"
    assert page.request("toggle_dead", vertex="c3")["score"]["result"] == "W+0.5"
    assert "no stone" in page.request("toggle_dead", _answer="error", vertex="A1")["text"]
    assert "being scored" in page.request("play", _answer="error", vertex="A1")["text"]
    state = page.request("accept_score")
    assert (state["phase"], state["result"]) == ("over", "W+0.5")


def test_score_belongs_to_its_node(page):
    node = scored(page)["node"]
    page.request("accept_score")
    assert page.request("go_to", node=0)["score"] is None
    page.request("play", vertex="A1")
    assert moves_of(page)[1] == "B1", "a move after the end is a variation"
    assert page.request("go_to", node=node)["score"]["result"] == "W+0.5"


@pytest.mark.parametrize(
    ("properties", "points", "result"),
    [
        ("RU[Japanese]", (5, 5, 0), "W+0.5"),
        ("RU[Chinese]", (10, 10, 0), "W+0.5"),
        ("RU[Chinese]HA[5]", (10, 10, 5), "W+5.5"),
    ],
)
def test_score_by_rules(client, page, properties, points, result):
    sgf = f"(;GM[1]SZ[4:5]KM[0.5]{properties}AB[ba:be]AW[ca:ce])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf.encode())
    score = page.request("score", _wanted=lambda s: s["score"] is not None)["score"]
    assert (score["black"], score["white"], score["handicap_compensation"]) == points
    assert score["result"] == result


def test_engine_does_not_move_during_scoring(page):
    scored(page)
    assert "being scored" in page.request("engine_move", _answer="error")["text"]


def test_resume_play(page):
    scored(page)
    state = page.request("resume_play")
    assert (state["phase"], state["score"]) == ("play", None)
    assert page.request("play", vertex="A1")["move"] == 13


def test_resumed_game_needs_two_more_passes(page):
    scored(page)
    page.request("resume_play")
    assert page.request("play", vertex="pass")["phase"] == "play"
    state = page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
    assert (state["phase"], state["move"], state["both_passed"]) == ("scoring", 14, True)


def test_repeated_pass_ends_the_game_again(page):
    scored(page)
    page.request("resume_play")
    assert page.request("undo")["move"] == 11
    state = page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
    assert (state["phase"], state["move"]) == ("scoring", 12)


def passing_server(**game):
    """Return a server whose engines always pass."""

    async def pass_always(*arguments):
        return MoveDecision(PASS, MoveReason.GAME_OVER)

    server = make_game_server(**game)
    server.context.engines.run = pass_always
    return server


def test_engine_moves_after_resume():
    server = passing_server(color="white", size="5")
    with client_of(server) as client, page_of(client) as page:
        page.settle()
        assert page.newest["state"]["last"] == "pass"
        page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
        state = page.request("resume_play", _wanted=lambda s: settled(s) and s["move"] == 3)
        assert (state["phase"], state["to_play"]) == ("play", "white")
        state = page.request("play", vertex="C3", _wanted=lambda s: s["move"] == 5)
        assert (state["phase"], state["to_play"]) == ("play", "white")
        page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)


def test_cannot_move_for_the_engine_after_two_passes():
    server = passing_server(color="white", size="5")
    with client_of(server) as client, page_of(client) as page:
        state = page.request("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
        page.request("go_to", node=0)
        state = page.request("go_to", node=state["node"])
        assert (state["phase"], state["to_play"]) == ("play", "black")
        assert "Tengen's turn" in page.request("play", _answer="error", vertex="A5")["text"]
        assert moves_of(page) == [None, "pass", "pass"]


def test_score_during_the_game(page):
    page.request("new_game", color="both", size="5")
    state = page.request("score", is_final=True, _wanted=lambda s: s["score"] is not None)
    assert state["phase"] == "scoring"


def test_unsettled_game_is_estimated(page):
    page.request("new_game", color="both", size="5")
    page.request("play", vertex="C3")
    found = page.request("score", _answer="score_estimate")
    assert page.newest["state"]["phase"] == "play"
    assert (found["node"], found["visits"], found["dead"]) == (1, 200, [])
    assert [len(row) for row in found["ownership"]] == [5] * 5
    assert found["error"] > 1
    assert re.search(r"\(200 visits\)$", found["text"])


def test_engine_move_ends_scoring(page):
    page.request("new_game", color="both", size="5")
    page.send("score")
    page.request("engine_move", _wanted=lambda s: s["move"] == 1)
    page.settle()
    assert (page.newest["state"]["phase"], page.newest["state"]["score"]) == ("play", None)


def test_hint(page):
    page.request("new_game", color="both", size="5")
    hint = page.request("hint", _answer="hint")
    assert hint["line"][0] == hint["vertex"]


def test_engine_move(page):
    page.request("new_game", color="both", size="5")
    state = page.request("engine_move", _wanted=lambda s: settled(s) and s["move"] == 1)
    assert state["to_play"] == "white"


def test_analysis_follows_the_position(page):
    page.request("new_game", color="both", size="5")
    found = page.request("analyze", on=True, _answer="search", _wanted=lambda s: s["node"] == 0)
    assert found["candidates"]
    search = page.request("play", vertex="C3", _answer="search", _wanted=lambda s: s["node"] == 1)
    assert 0 <= search["value"] <= 1
    assert page.request("analyze", on=False)["analyzing"] is False


def test_loss_on_time(page):
    clock = {"clock": "absolute", "main_s": 0.01}
    state = page.request("new_game", color="both", _wanted=lambda s: s["phase"] == "over", **clock)
    assert state["result"] == "W+T"


def test_clock_state(page):
    page.request("new_game", color="both", clock="byoyomi", main_s=600, period_s=30, periods=3)
    state = page.request("play", vertex="E5")
    assert state["clocks"]["running"] == "white"
    assert state["clocks"]["white"]["left_s"] == 600
    assert 0 < state["clocks"]["black"]["left_s"] <= 600


def test_save_and_load(client, page):
    page.request("new_game", color="both", size="7", rules="japanese")
    page.request("play", vertex="D4")
    page.request("comment", node=1, text="the center")
    page.request("go_to", node=0)
    page.request("play", vertex="C3")
    page.request("play", vertex="pass")
    saved = client.get(f"/games/{page.newest['game']['id']}.sgf")
    (record,) = read_bytes(saved.content)
    assert [record.rows, record.rules.name, len(record.moves)] == [7, "japanese", 2]
    with page_of(client) as other:
        response = client.post(f"/games/{other.newest['game']['id']}", content=saved.content)
        assert response.json() == {"warnings": [], "has_more": False}
        other.settle()
        assert moves_of(other) == [None, "C3", "pass", "D4"]
        assert other.request("go_to", node=3)["comment"] == "the center"


def test_file_with_several_games(client, page):
    sgf = b"(;GM[1]SZ[5];B[aa])(;GM[1]SZ[7];B[bb])"
    response = client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    assert response.json()["has_more"]
    page.settle()
    assert page.newest["game"]["rows"] == 5


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        ("PB[Ann]PW[Ben]DT[2024-02-29]", "Ann-Ben-2024-02-29.sgf"),
        ("PB[../etc]PW[a b/c:d]", "etc-a_b_c_d.sgf"),
        ("PB[吳清源]", "吳清源.sgf"),
        ("", "tengen.sgf"),
    ],
)
def test_file_name(client, page, properties, name):
    path = f"/games/{page.newest['game']['id']}"
    client.post(path, content=f"(;GM[1]SZ[5]CA[UTF-8]{properties};B[aa])".encode())
    disposition = client.get(f"{path}.sgf").headers["content-disposition"]
    assert unquote(disposition.partition("''")[2]) == name


def test_moves_in_a_loaded_game_are_variations(client, page):
    sgf = b"(;GM[1]SZ[5];B[aa];W[bb])"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.request("go_to", node=1)
    page.request("play", vertex="C3")
    assert moves_of(page) == [None, "A5", "B4", "C3"]
    saved = client.get(f"/games/{page.newest['game']['id']}.sgf")
    (record,) = read_bytes(saved.content)
    assert [record.position().vertex(move.move) for move in record.moves] == ["A5", "B4"]


def test_variations_with_illegal_moves(client, page):
    sgf = b"(;GM[1]SZ[5]RU[Chinese];B[ab];W[ee];B[ba](;W[de])(;W[aa];B[cc])(;W[ba]))"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.settle()
    assert page.request("go_to", node=6)["last"] == "C3", "after a suicide"
    assert page.request("go_to", node=4)["last"] == "D1"
    assert "illegal" in page.request("go_to", _answer="error", node=7)["text"]


def test_marks(client, page):
    page.request("new_game", color="both")
    sgf = b"(;GM[1]SZ[5]AB[aa][bb:cc]PL[W]TR[aa]LB[dd:long one]MA[ee])"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.settle()
    state = page.newest["state"]
    assert state["board"] == ["X....", ".XX..", ".XX..", ".....", "....."]
    marks = [["A5", "triangle", ""], ["E1", "cross", ""], ["D2", "label", "long"]]
    assert state["marks"] == marks
    assert state["to_play"] == "white"


def test_two_viewers(client, page):
    with page_of(client, page.newest["game"]["id"]) as other:
        page.request("new_game", color="both", size="5")
        page.request("play", vertex="C3")
        other.settle()
        assert other.newest["state"]["last"] == "C3"


def test_reconnect(client):
    with page_of(client) as page:
        page.request("new_game", color="both", size="5")
        page.request("play", vertex="C3")
        game = page.newest["game"]["id"]
    with page_of(client, game) as again:
        assert again.newest["game"]["id"] == game
        assert again.newest["state"]["last"] == "C3"
        assert again.newest["welcome"]["lost_game"] is None
    with page_of(client, "no-such-game") as fresh:
        assert fresh.newest["welcome"]["lost_game"] == "no-such-game"
        assert fresh.newest["game"]["id"] not in (game, "no-such-game")


def test_engine_continues_after_reconnect(client):
    with page_of(client) as page:
        page.request("new_game", color="black", size="5")
        page.request("play", vertex="C3")
        game = page.newest["game"]["id"]
    with page_of(client, game) as again:
        state = again.newest["state"]
        state = state if state["move"] == 2 else again.receive("state", lambda s: s["move"] == 2)
        assert state["to_play"] == "black"


def thinking_server(**game):
    """Return a server whose engines never finish a search."""

    async def think_forever(*arguments):
        await asyncio.Event().wait()

    server = make_game_server(**game)
    server.context.engines.run = think_forever
    return server


def test_thinking_engine():
    server = thinking_server(color="black", size="5")
    with client_of(server) as client, page_of(client) as page:
        assert page.request("play", vertex="C3")["thinking"]
        for vertex in ("pass", "B2"):
            assert "is thinking" in page.request("play", _answer="error", vertex=vertex)["text"]
        assert not page.request("go_to", node=0)["thinking"]
        assert page.request("go_to", node=1)["thinking"], "the engine has not moved there yet"
        page.request("score", is_final=True, _wanted=lambda s: s["score"] is not None)
        assert page.request("resume_play")["thinking"]
        assert page.request("undo")["move"] == 0


def test_engine_clock_runs_only_while_it_thinks():
    server = thinking_server(color="black", size="5", clock="absolute", main_s=1000.0)
    with client_of(server) as client, page_of(client) as page:
        assert page.request("play", vertex="C3")["clocks"]["running"] == "white"
        assert page.request("go_to", node=0)["clocks"]["running"] is None
        state = page.request("go_to", node=1)
        assert (state["clocks"]["running"], state["thinking"]) == ("white", True)


@pytest.mark.parametrize("error", [TengenError("no memory left"), ValueError("broken")])
def test_failing_engine(error):
    async def fail(*arguments):
        raise error

    server = make_game_server(color="black", size="5", clock="absolute", main_s=1000.0)
    server.context.engines.run = fail
    with client_of(server) as client, page_of(client) as page:
        page.send("play", vertex="C3")
        assert str(error) in page.receive("error")["text"]
        page.settle()
        assert not page.newest["state"]["thinking"]
        assert page.newest["state"]["clocks"]["running"] is None
        page.send("analyze", on=True)
        page.receive("error")
        page.settle()
        assert not page.newest["state"]["analyzing"]


def test_reports_source_error_once():
    async def fail_in_source(settings, owner, work, on_problem):
        on_problem("my_ideas.py:broken raised ValueError")
        return MoveDecision(PASS, MoveReason.GAME_OVER)

    server = make_game_server(color="white", size="5")
    server.context.engines.run = fail_in_source
    with client_of(server) as client, page_of(client) as page:
        page.settle()
        assert "my_ideas.py:broken" in page.newest.pop("notice")["text"]
        page.request("play", vertex="C3", _wanted=lambda s: s["move"] == 3)
        page.settle()
        assert "notice" not in page.newest


def test_search_stops_when_the_last_viewer_leaves():
    server = make_game_server(color="both", size="5")
    with client_of(server) as client:
        with page_of(client) as page:
            page.request("analyze", on=True, _answer="search")
            assert server.context.engines.running == 1
        until(lambda: server.context.engines.running == 0)


def test_search_stops_when_analysis_is_switched_off():
    server = make_game_server(color="both", size="5")
    with client_of(server) as client, page_of(client) as page:
        page.request("analyze", on=True, _answer="search")
        page.request("analyze", on=False)
        until(lambda: server.context.engines.running == 0)
