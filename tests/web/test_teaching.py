"""Teaching mode on the page."""

import pytest
from web_helpers import client_of, make_game_server, page_of, settled

# Black captures seven stones with E1, which would otherwise connect to the stones on the right.
RACE = (
    b"(;GM[1]SZ[7]KM[9]AB[ca][cb][cc][cd][ce][cf][cg][ea][eb][ec][ed][ee][ef]"
    b"AW[da][db][dc][dd][de][df][dg][fg][ga][gb][gc][gd][ge][gf][gg]PL[B])"
)


@pytest.fixture
def client():
    with client_of(make_game_server(color="both", size="7")) as client:
        yield client


def judged(update):
    return not update["judging"] and update["moves"]


def teach(page, points=3.0):
    return page.request(
        "teach", _answer="teaching", _wanted=lambda m: m["on"], on=True, points=points
    )


def load(client, page, game):
    name = page.newest["game"]["id"]
    assert client.post(f"/games/{name}", content=game).status_code == 200
    page.settle()


def play(page, vertex):
    page.newest.pop("teaching", None)
    page.send("play", vertex=vertex)
    return page.receive("teaching", judged)


def test_mistake_is_refuted_and_taken_back(client, page):
    load(client, page, RACE)
    teach(page)
    update = play(page, "A1")
    (move,) = update["moves"]
    node = page.newest["state"]["node"]
    assert move["is_mistake"], move
    assert update["mistake"] == move["node"] == node
    assert move["points_loss"] >= max(3.0, 1.96 * move["points_error"])
    assert move["best"] == move["line"][0] == "E1"
    assert move["refutation"][0] == "E1"
    page.newest.pop("teaching")
    page.send("undo")
    after = page.receive("teaching")
    assert after["mistake"] is None
    assert after["moves"][0]["is_taken_back"]


def test_good_move_is_not_pointed_out(client, page):
    load(client, page, RACE)
    teach(page)
    update = play(page, "E1")
    assert update["mistake"] is None
    assert not update["moves"][0]["is_mistake"]
    assert update["moves"][0]["refutation"] == []


def test_engine_waits_after_a_mistake():
    with (
        client_of(make_game_server(color="black", size="7", level="25k")) as client,
        page_of(client) as page,
    ):
        teach(page, points=0.5)
        update = play(page, "A1")
        assert update["mistake"] is not None, update
        assert page.newest["state"]["move"] == 1
        assert not page.newest["state"]["thinking"]
        error = page.request("play", _answer="error", vertex="D4")
        assert "Tengen's turn" in error["text"]
        page.send("play_on")
        page.receive("state", lambda state: state["move"] == 2 and settled(state))
        assert page.newest["teaching"]["mistake"] is None
        assert not page.newest["teaching"]["moves"][0]["is_taken_back"]


def test_engine_answers_a_good_move():
    with (
        client_of(make_game_server(color="black", size="7", level="25k")) as client,
        page_of(client) as page,
    ):
        teach(page, points=50)
        page.send("play", vertex="D4")
        page.receive("state", lambda state: state["move"] == 2 and settled(state))
        assert [move["vertex"] for move in page.newest["teaching"]["moves"]] == ["D4"]


def test_turning_it_off_continues_the_game():
    with (
        client_of(make_game_server(color="black", size="7", level="25k")) as client,
        page_of(client) as page,
    ):
        teach(page, points=0.5)
        assert play(page, "A1")["mistake"] is not None
        page.send("teach", on=False)
        page.receive("state", lambda state: state["move"] == 2 and settled(state))


def test_stepping_back_and_playing_another_move_takes_it_back(client, page):
    load(client, page, RACE)
    teach(page)
    assert play(page, "A1")["mistake"] is not None
    page.request("go_to", node=0)
    page.newest.pop("teaching")
    page.send("play", vertex="E1")
    update = page.receive("teaching", lambda found: judged(found) and len(found["moves"]) == 2)
    assert [move["is_taken_back"] for move in update["moves"]] == [True, False]


def test_another_game_starts_without_judged_moves(client, page):
    load(client, page, RACE)
    teach(page)
    play(page, "E1")
    page.request("new_game", color="both", size="7")
    assert page.newest["teaching"]["moves"] == []
    assert page.newest["teaching"]["on"]


@pytest.mark.parametrize("points", [0, 0.4, 1000, -1])
def test_rejects_invalid_points(page, points):
    assert (
        "points must be" in page.request("teach", _answer="error", on=True, points=points)["text"]
    )
