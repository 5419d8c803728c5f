"""Games on the page, message by message."""

import asyncio
from urllib.parse import unquote

import pytest
from web_helpers import client_of, make_house, page_of, settled, until

from tengen.board.points import PASS
from tengen.core.errors import TengenError
from tengen.engine.engine import Decision, Engine, Reason
from tengen.records.reader import read_bytes


def moves_of(page):
    return [node[3] for node in page.tree.listed()]


def has_moved(state):
    return state["move"] == 1 and settled(state)


def test_a_page_is_welcomed(page):
    welcome = page.newest["welcome"]
    assert "chinese" in welcome["rules"]
    assert [level["name"] for level in welcome["levels"]][-1] == "strongest"
    assert "bigmove.p1" in [layer["name"] for layer in welcome["layers"]]
    assert page.newest["state"]["board"] == ["." * 9] * 9
    assert page.newest["game"]["komi"] == 7.5


def test_the_engine_answers(page):
    page.ask("new", colour="black", size="5")
    state = page.ask("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert state["to_play"] == "black"
    assert sum(row.count("O") for row in state["board"]) == 1
    assert page.newest["search"]["candidates"]


def test_the_engine_begins_when_it_is_black(page):
    state = page.ask("new", colour="white", size="5", level="25k", _wanted=has_moved)
    assert state["to_play"] == "white"
    assert page.newest["game"]["black"] == "Tengen 25k"


def test_the_engine_alone_plays_to_an_end(page, monkeypatch):
    monkeypatch.setattr("tengen.web.table.WATCHED_S", 0.0)
    state = page.ask("new", colour="none", size="3", _wanted=lambda s: s["phase"] != "play")
    assert state["result"] or state["score"]


def test_an_engine_that_plays_itself_can_be_watched(page, monkeypatch):
    monkeypatch.setattr("tengen.web.table.WATCHED_S", 1000.0)
    page.ask("new", colour="none", size="3", _hear="search", _wanted=lambda s: s["visits"] >= 50)
    page.settle()
    assert (page.newest["state"]["move"], page.newest["state"]["thinking"]) == (0, True)


def test_handicap_komi_and_rules(page):
    page.ask("new", colour="both", size="9", handicap=3, rules="japanese")
    assert (page.newest["game"]["komi"], page.newest["game"]["handicap"]) == (0.5, 3)
    assert page.newest["state"]["to_play"] == "white"
    page.ask("new", colour="both", size=" 4 X 7 ", komi=-3)
    assert (page.newest["game"]["rows"], page.newest["game"]["columns"]) == (7, 4)
    assert page.newest["game"]["komi"] == -3


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": "1"},
        {"size": "25"},
        {"size": "x"},
        {"colour": "green"},
        {"handicap": 99},
        {"komi": 3.3},
        {"rules": "bridge"},
        {"level": "9p"},
        {"clock": "sand"},
        {"clock": "absolute"},
        {"clock": "byoyomi", "main_s": -1},
    ],
)
def test_new_games_that_make_no_sense_are_refused(page, wrong):
    before = page.newest["game"]
    assert page.ask("new", _hear="refused", **wrong)["reason"]
    page.ask("goto", node=0)
    assert page.newest["game"] == before


def test_illegal_moves_are_refused_with_a_reason(page):
    page.ask("new", colour="both", size="5")
    page.ask("play", vertex="C3")
    assert page.ask("play", _hear="refused", vertex="C3")["reason"] == "C3 is taken"
    assert "outside" in page.ask("play", _hear="refused", vertex="Q16")["reason"]
    assert page.ask("goto", node=1)["move"] == 1


def test_variations_and_comments(page):
    page.ask("new", colour="both", size="5")
    page.ask("play", vertex="C3")
    page.ask("play", vertex="B2")
    page.ask("goto", node=1)
    page.ask("play", vertex="D4")
    assert page.ask("comment", node=3, text="] and \\")["comment"] == "] and \\"
    assert moves_of(page) == [None, "C3", "D4", "B2"], "what was played last comes first"
    page.ask("goto", node=1)
    state = page.ask("play", vertex="B2")
    assert state["node"] == 2, "a known move makes no new node"
    assert moves_of(page) == [None, "C3", "B2", "D4"], "but the main line"
    page.ask("cut", node=2)
    assert moves_of(page) == [None, "C3", "D4"]
    assert "cannot be taken out" in page.ask("cut", _hear="refused", node=0)["reason"]
    assert "no node" in page.ask("goto", _hear="refused", node=99)["reason"]


def test_a_comment_stays_where_it_was_begun(page):
    page.ask("new", colour="both", size="5")
    page.ask("play", vertex="C3")
    page.ask("play", vertex="B2")
    assert page.ask("comment", node=1, text="strong")["comment"] == ""
    assert page.ask("goto", node=1)["comment"] == "strong"
    assert "no node" in page.ask("comment", _hear="refused", node=9, text="lost")["reason"]


def test_changes_of_the_record_are_counted(client, page):
    assert page.ask("new", colour="both", size="5")["changes"] == 0
    sgf = b"(;GM[1]SZ[5];B[aa];W[bb]C[one][two])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    page.settle()
    assert page.ask("goto", node=1)["changes"] == 0
    assert page.ask("play", vertex="B4")["changes"] == 0, "the move was there"
    assert page.ask("play", vertex="C3")["changes"] == 1
    assert page.ask("comment", node=3, text="so")["changes"] == 2
    assert page.ask("comment", node=3, text="so")["changes"] == 2
    assert page.ask("comment", node=3, text=" ")["changes"] == 3
    assert page.ask("cut", node=3)["changes"] == 4
    assert page.ask("comment", node=2, text="one")["changes"] == 5, "the second is gone"
    page.ask("score", _wanted=lambda s: s["score"] is not None)
    assert page.ask("accept")["changes"] == 6


def test_a_variation_that_is_played_on_becomes_the_main_line(page):
    page.ask("new", colour="both", size="5")
    for vertex in ("C3", "B2"):
        page.ask("play", vertex=vertex)
        page.ask("goto", node=0)
    page.ask("goto", node=1)
    page.ask("play", vertex="D4")
    assert moves_of(page) == [None, "C3", "D4", "B2"]


def test_undo_takes_back_the_answer_too(page):
    page.ask("new", colour="black", size="5")
    assert "no move" in page.ask("undo", _hear="refused")["reason"]
    page.ask("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert page.ask("undo")["move"] == 0
    assert page.newest["state"]["to_play"] == "black"


def test_a_move_for_the_engine_is_a_variation(page):
    page.ask("new", colour="black", size="5")
    page.ask("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    played = moves_of(page)
    tried = next(vertex for vertex in ("B2", "B3") if vertex != played[2])
    page.ask("goto", node=1)
    page.ask("play", vertex=tried)
    assert moves_of(page) == [*played, tried]
    page.ask("play", vertex="D4", _wanted=lambda s: settled(s) and s["move"] == 4)
    assert moves_of(page)[: len(played)] == played, "and so is what follows it"


def test_undo_takes_the_result_back_first(page):
    page.ask("new", colour="black", size="5")
    page.ask("resign")
    state = page.ask("undo")
    assert (state["phase"], state["result"], state["move"]) == ("play", "", 0)
    page.ask("play", vertex="C3", _wanted=lambda s: settled(s) and s["move"] == 2)
    page.ask("resign")
    state = page.ask("undo")
    assert (state["phase"], state["result"], state["move"]) == ("play", "", 2)
    assert page.ask("undo")["move"] == 0


def test_undo_of_an_agreed_score_talks_it_over_again(page):
    node = scored(page)["node"]
    page.ask("accept")
    state = page.ask("undo")
    assert (state["phase"], state["node"], state["score"]["result"]) == ("score", node, "W+0.5")


def test_undo_of_a_loss_on_time_starts_the_clocks_anew(page):
    clock = {"clock": "absolute", "main_s": 0.5}
    page.ask("new", colour="both", _wanted=lambda s: s["phase"] == "over", **clock)
    page.send("undo")
    state = page.hear("state", lambda s: s["phase"] == "play")
    assert state["clocks"]["black"]["left_s"] == 0.5


def test_nobody_resigns_in_an_opened_game_and_its_result_stays(client, page):
    name = page.newest["game"]["id"]
    sgf = b"(;GM[1]SZ[5]RE[W+2.5];B[aa];W[bb])"
    assert client.post(f"/games/{name}", content=sgf).status_code == 200
    page.settle()
    assert page.newest["game"]["watching"]
    assert "was opened" in page.ask("resign", _hear="refused")["reason"]
    page.ask("score", _wanted=lambda s: s["score"] is not None)
    assert page.ask("accept")["result"] != "W+2.5"
    assert page.ask("undo")["result"] == "W+2.5"
    (record,) = read_bytes(client.get(f"/games/{name}.sgf").content)
    assert record.result_text == "W+2.5"


def test_the_engine_resigns_for_itself_alone(client, page, monkeypatch):
    monkeypatch.setattr(Engine, "_should_resign", lambda *arguments: True)
    sgf = b"(;GM[1]SZ[5]RE[W+2.5];B[cc])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    page.ask("goto", node=1)
    state = page.ask("go", _wanted=lambda s: settled(s) and s["move"] == 2)
    assert (state["phase"], state["result"]) == ("play", "W+2.5")
    assert state["last"] != "pass"
    page.ask("new", colour="black", size="5")
    page.ask("go", _wanted=lambda s: s["phase"] == "over")
    assert page.newest["state"]["result"] == "B+R", "not for the person, but in its answer"


def test_resigning(page):
    page.ask("new", colour="white", size="5", _wanted=has_moved)
    state = page.ask("resign")
    assert (state["result"], state["phase"]) == ("B+R", "over")
    assert "over" in page.ask("resign", _hear="refused")["reason"]


WALL = [(f"B{row}", f"C{row}") for row in range(1, 6)]
"""Two walls across a board of 4x5: ten points each."""


def scored(page):
    page.ask("new", colour="both", size="4x5", komi=0.5)
    for black, white in WALL:
        page.ask("play", vertex=black)
        page.ask("play", vertex=white)
    page.ask("play", vertex="pass")
    return page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)


def test_scoring_and_correcting_it(page):
    state = scored(page)
    assert state["phase"] == "score"
    assert state["score"]["result"] == "W+0.5"
    assert state["score"]["owner"] == ["XXOO"] * 5
    assert state["score"]["dead"] == []
    state = page.ask("mark", vertex="C3")
    assert state["score"]["dead"] == ["C5", "C4", "C3", "C2", "C1"]
    assert state["score"]["result"] == "B+19.5"
    assert page.ask("mark", vertex="c3")["score"]["result"] == "W+0.5"
    assert "no stone" in page.ask("mark", _hear="refused", vertex="A1")["reason"]
    assert "being scored" in page.ask("play", _hear="refused", vertex="A1")["reason"]
    state = page.ask("accept")
    assert (state["phase"], state["result"]) == ("over", "W+0.5")


def test_a_score_is_shown_only_where_it_was_counted(page):
    node = scored(page)["node"]
    page.ask("accept")
    assert page.ask("goto", node=0)["score"] is None
    page.ask("play", vertex="A1")
    assert moves_of(page)[1] == "B1", "a move that is tried after the end is a variation"
    assert page.ask("goto", node=node)["score"]["result"] == "W+0.5"


@pytest.mark.parametrize(
    ("told", "counted", "result"),
    [
        ("RU[Japanese]", (5, 5, 0), "W+0.5"),
        ("RU[Chinese]", (10, 10, 0), "W+0.5"),
        ("RU[Chinese]HA[5]", (10, 10, 5), "W+5.5"),
    ],
)
def test_the_score_adds_up(client, page, told, counted, result):
    sgf = f"(;GM[1]SZ[4:5]KM[0.5]{told}AB[ba:be]AW[ca:ce])"
    client.post(f"/games/{page.newest['game']['id']}", content=sgf.encode())
    score = page.ask("score", _wanted=lambda s: s["score"] is not None)["score"]
    assert (score["black"], score["white"], score["compensation"]) == counted
    assert score["result"] == result


def test_the_engine_does_not_move_while_a_score_is_talked_over(page):
    scored(page)
    assert "being scored" in page.ask("go", _hear="refused")["reason"]


def test_playing_on_instead(page):
    scored(page)
    state = page.ask("resume")
    assert (state["phase"], state["score"]) == ("play", None)
    assert page.ask("play", vertex="A1")["move"] == 13


def test_after_playing_on_it_takes_two_more_passes_to_score(page):
    scored(page)
    page.ask("resume")
    assert page.ask("play", vertex="pass")["phase"] == "play"
    state = page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
    assert (state["phase"], state["move"], state["passes"]) == ("score", 14, True)


def test_a_pass_that_is_made_again_ends_the_game_again(page):
    scored(page)
    page.ask("resume")
    assert page.ask("undo")["move"] == 11
    state = page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
    assert (state["phase"], state["move"]) == ("score", 12)


def passing_house(**game):
    """Return a house whose engines pass."""

    async def give_a_pass(*arguments):
        return Decision(PASS, Reason.GAME_OVER)

    house = make_house(**game)
    house.engines.run = give_a_pass
    return house


def test_the_engine_goes_on_when_its_pass_was_the_first_of_two():
    house = passing_house(colour="white", size="5")
    with client_of(house) as client, page_of(client) as page:
        page.settle()
        assert page.newest["state"]["last"] == "pass"
        page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
        state = page.ask("resume", _wanted=lambda s: settled(s) and s["move"] == 3)
        assert (state["phase"], state["to_play"]) == ("play", "white")
        state = page.ask("play", vertex="C3", _wanted=lambda s: s["move"] == 5)
        assert (state["phase"], state["to_play"]) == ("play", "white")
        page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)


def test_nobody_moves_for_the_engine_at_the_end_of_a_game_that_goes_on():
    house = passing_house(colour="white", size="5")
    with client_of(house) as client, page_of(client) as page:
        state = page.ask("play", vertex="pass", _wanted=lambda s: s["score"] is not None)
        page.ask("goto", node=0)
        state = page.ask("goto", node=state["node"])
        assert (state["phase"], state["to_play"]) == ("play", "black")
        assert "Tengen's turn" in page.ask("play", _hear="refused", vertex="A5")["reason"]
        assert moves_of(page) == [None, "pass", "pass"]


def test_scoring_in_the_middle(page):
    page.ask("new", colour="both", size="5")
    state = page.ask("score", _wanted=lambda s: s["score"] is not None)
    assert state["phase"] == "score"


def test_a_move_of_the_engine_ends_the_scoring(page):
    page.ask("new", colour="both", size="5")
    page.send("score")
    page.ask("go", _wanted=lambda s: s["move"] == 1)
    page.settle()
    assert (page.newest["state"]["phase"], page.newest["state"]["score"]) == ("play", None)


def test_a_hint(page):
    page.ask("new", colour="both", size="5")
    hint = page.ask("hint", _hear="hint")
    assert hint["line"][0] == hint["vertex"]


def test_go_lets_the_engine_move(page):
    page.ask("new", colour="both", size="5")
    state = page.ask("go", _wanted=lambda s: settled(s) and s["move"] == 1)
    assert state["to_play"] == "white"


def test_analysis_follows_the_position_and_ends(page):
    page.ask("new", colour="both", size="5")
    found = page.ask("analyse", on=True, _hear="search", _wanted=lambda s: s["node"] == 0)
    assert found["candidates"]
    search = page.ask("play", vertex="C3", _hear="search", _wanted=lambda s: s["node"] == 1)
    assert 0 <= search["value"] <= 1
    assert page.ask("analyse", on=False)["analysing"] is False


def test_a_clock_runs_out(page):
    clock = {"clock": "absolute", "main_s": 0.01}
    state = page.ask("new", colour="both", _wanted=lambda s: s["phase"] == "over", **clock)
    assert state["result"] == "W+T"


def test_clocks_are_told(page):
    page.ask("new", colour="both", clock="byoyomi", main_s=600, period_s=30, periods=3)
    state = page.ask("play", vertex="E5")
    assert state["clocks"]["running"] == "white"
    assert state["clocks"]["white"]["left_s"] == 600
    assert 0 < state["clocks"]["black"]["left_s"] <= 600


def test_saving_and_opening(client, page):
    page.ask("new", colour="both", size="7", rules="japanese")
    page.ask("play", vertex="D4")
    page.ask("comment", node=1, text="the centre")
    page.ask("goto", node=0)
    page.ask("play", vertex="C3")
    page.ask("play", vertex="pass")
    saved = client.get(f"/games/{page.newest['game']['id']}.sgf")
    (record,) = read_bytes(saved.content)
    assert [record.rows, record.rules.name, len(record.moves)] == [7, "japanese", 2]
    with page_of(client) as other:
        answer = client.post(f"/games/{other.newest['game']['id']}", content=saved.content)
        assert answer.json() == {"warnings": [], "has_more": False}
        other.settle()
        assert moves_of(other) == [None, "C3", "pass", "D4"]
        assert other.ask("goto", node=3)["comment"] == "the centre"


def test_a_file_with_several_games_shows_the_first_and_says_so(client, page):
    sgf = b"(;GM[1]SZ[5];B[aa])(;GM[1]SZ[7];B[bb])"
    answer = client.post(f"/games/{page.newest['game']['id']}", content=sgf)
    assert answer.json()["has_more"]
    page.settle()
    assert page.newest["game"]["rows"] == 5


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("PB[Ann]PW[Ben]DT[2024-02-29]", "Ann-Ben-2024-02-29.sgf"),
        ("PB[../etc]PW[a b/c:d]", "etc-a_b_c_d.sgf"),
        ("PB[吳清源]", "吳清源.sgf"),
        ("", "tengen.sgf"),
    ],
)
def test_a_saved_file_is_named_after_its_game(client, page, told, name):
    path = f"/games/{page.newest['game']['id']}"
    client.post(path, content=f"(;GM[1]SZ[5]CA[UTF-8]{told};B[aa])".encode())
    disposition = client.get(f"{path}.sgf").headers["content-disposition"]
    assert unquote(disposition.partition("''")[2]) == name


def test_moves_tried_in_an_opened_game_are_variations(client, page):
    sgf = b"(;GM[1]SZ[5];B[aa];W[bb])"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.ask("goto", node=1)
    page.ask("play", vertex="C3")
    assert moves_of(page) == [None, "A5", "B4", "C3"]
    saved = client.get(f"/games/{page.newest['game']['id']}.sgf")
    (record,) = read_bytes(saved.content)
    assert [record.position().vertex(move.move) for move in record.moves] == ["A5", "B4"]


def test_variations_that_break_the_rules_can_be_visited(client, page):
    sgf = b"(;GM[1]SZ[5]RU[Chinese];B[ab];W[ee];B[ba](;W[de])(;W[aa];B[cc])(;W[ba]))"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.settle()
    assert page.ask("goto", node=6)["last"] == "C3", "after a suicide"
    assert page.ask("goto", node=4)["last"] == "D1"
    assert "illegal" in page.ask("goto", _hear="refused", node=7)["reason"]


def test_marks_of_a_record(client, page):
    page.ask("new", colour="both")
    sgf = b"(;GM[1]SZ[5]AB[aa][bb:cc]PL[W]TR[aa]LB[dd:long one]MA[ee])"
    assert client.post(f"/games/{page.newest['game']['id']}", content=sgf).status_code == 200
    page.settle()
    state = page.newest["state"]
    assert state["board"] == ["X....", ".XX..", ".XX..", ".....", "....."]
    marks = [["A5", "triangle", ""], ["E1", "cross", ""], ["D2", "label", "long"]]
    assert state["marks"] == marks
    assert state["to_play"] == "white"


def test_two_pages_at_one_table(client, page):
    with page_of(client, page.newest["game"]["id"]) as other:
        page.ask("new", colour="both", size="5")
        page.ask("play", vertex="C3")
        other.settle()
        assert other.newest["state"]["last"] == "C3"


def test_a_lost_connection_comes_back_to_its_game(client):
    with page_of(client) as page:
        page.ask("new", colour="both", size="5")
        page.ask("play", vertex="C3")
        game = page.newest["game"]["id"]
    with page_of(client, game) as again:
        assert again.newest["game"]["id"] == game
        assert again.newest["state"]["last"] == "C3"
        assert again.newest["welcome"]["lost"] is None
    with page_of(client, "no-such-game") as fresh:
        assert fresh.newest["welcome"]["lost"] == "no-such-game"
        assert fresh.newest["game"]["id"] not in (game, "no-such-game")


def test_the_engine_goes_on_after_a_lost_connection(client):
    with page_of(client) as page:
        page.ask("new", colour="black", size="5")
        page.ask("play", vertex="C3")
        game = page.newest["game"]["id"]
    with page_of(client, game) as again:
        state = again.newest["state"]
        state = state if state["move"] == 2 else again.hear("state", lambda s: s["move"] == 2)
        assert state["to_play"] == "black"


def forgetful_house(**game):
    """Return a house whose engines think for ever."""

    async def think_on(*arguments):
        await asyncio.Event().wait()

    house = make_house(**game)
    house.engines.run = think_on
    return house


def test_nobody_moves_for_an_engine_that_thinks_and_nothing_makes_it_forget():
    house = forgetful_house(colour="black", size="5")
    with client_of(house) as client, page_of(client) as page:
        assert page.ask("play", vertex="C3")["thinking"]
        for vertex in ("pass", "B2"):
            assert "is thinking" in page.ask("play", _hear="refused", vertex=vertex)["reason"]
        assert not page.ask("goto", node=0)["thinking"]
        assert page.ask("goto", node=1)["thinking"], "it has not moved there yet"
        page.ask("score", _wanted=lambda s: s["score"] is not None)
        assert page.ask("resume")["thinking"]
        assert page.ask("undo")["move"] == 0


def test_the_engines_clock_stands_while_it_is_kept_from_thinking():
    house = forgetful_house(colour="black", size="5", clock="absolute", main_s=1000.0)
    with client_of(house) as client, page_of(client) as page:
        assert page.ask("play", vertex="C3")["clocks"]["running"] == "white"
        assert page.ask("goto", node=0)["clocks"]["running"] is None
        state = page.ask("goto", node=1)
        assert (state["clocks"]["running"], state["thinking"]) == ("white", True)


@pytest.mark.parametrize("error", [TengenError("no memory left"), ValueError("broken")])
def test_an_engine_that_fails_is_not_said_to_think(error):
    async def fail(*arguments):
        raise error

    house = make_house(colour="black", size="5", clock="absolute", main_s=1000.0)
    house.engines.run = fail
    with client_of(house) as client, page_of(client) as page:
        page.send("play", vertex="C3")
        assert str(error) in page.hear("refused")["reason"]
        page.settle()
        assert not page.newest["state"]["thinking"]
        assert page.newest["state"]["clocks"]["running"] is None
        page.send("analyse", on=True)
        page.hear("refused")
        page.settle()
        assert not page.newest["state"]["analysing"]


def test_what_a_source_of_ones_own_raises_is_told_once():
    async def complain(settings, owner, work, complain):
        complain("my_ideas.py:broken raised ValueError")
        return Decision(PASS, Reason.GAME_OVER)

    house = make_house(colour="white", size="5")
    house.engines.run = complain
    with client_of(house) as client, page_of(client) as page:
        page.settle()
        assert "my_ideas.py:broken" in page.newest.pop("note")["text"]
        page.ask("play", vertex="C3", _wanted=lambda s: s["move"] == 3)
        page.settle()
        assert "note" not in page.newest


def test_a_search_ends_when_its_page_is_left():
    house = make_house(colour="both", size="5")
    with client_of(house) as client:
        with page_of(client) as page:
            page.ask("analyse", on=True, _hear="search")
            assert house.engines.running == 1
        until(lambda: house.engines.running == 0)


def test_a_search_ends_when_it_is_turned_off():
    house = make_house(colour="both", size="5")
    with client_of(house) as client, page_of(client) as page:
        page.ask("analyse", on=True, _hear="search")
        page.ask("analyse", on=False)
        until(lambda: house.engines.running == 0)
