"""What a question brings: every field of a reply, from every side."""

import io
import json
import re
import threading

import pytest
from json_helpers import Desk, finals, question

from tengen.analysis.analyst import Defaults
from tengen.analysis.loop import serve
from tengen.board.points import PASS
from tengen.engine.katago_settings import Perspective
from tengen.engine.settings import EngineSettings
from tengen.search.limit import NEVER
from tengen.search.report import Candidate, SearchReport

MOVES = [["B", "C3"], ["W", "D4"], ["b", "pass"]]


@pytest.fixture(scope="module")
def reply():
    """The reply to a question that asks for everything, White to move."""
    desk = Desk()
    desk.ask(
        **question(
            moves=[["B", "C3"]],
            boardXSize=4,
            boardYSize=5,
            maxVisits=60,
            includeOwnership=True,
            includeMovesOwnership=True,
            includePolicy=True,
            includePVVisits=True,
            analysisPVLen=2,
        )
    )
    (reply,) = desk.close()
    return reply


@pytest.mark.kernels
def test_every_field_of_a_reply(reply):
    assert (reply["id"], reply["turnNumber"], reply["isDuringSearch"]) == ("q", 1, False)
    root = reply["rootInfo"]
    assert root["visits"] == 60
    assert root["currentPlayer"] == "W"
    assert len(root["thisHash"]) == len(root["symHash"]) == 32
    for order, info in enumerate(reply["moveInfos"]):
        assert info["order"] == order
        assert info["pv"][0] == info["move"]
        assert info["pvVisits"][0] == info["visits"] > 0
        assert len(info["pv"]) == len(info["pvVisits"]) == len(info["pvEdgeVisits"])
        assert len(info["pv"]) <= 3
        assert info["edgeVisits"] == info["visits"]
        assert 0 <= info["winrate"] <= 1
        assert info["scoreMean"] == info["scoreLead"] == info["scoreSelfplay"]
        assert info["scoreStdev"] > 0
        assert 0 <= info["prior"] <= 1
        assert info["utility"] == pytest.approx(2 * info["winrate"] - 1, abs=2e-6)
        assert info["lcb"] >= info["winrate"], "of White's win rate, so an upper one for Black"
    assert len(reply["moveInfos"][0]["ownership"]) == 20


@pytest.mark.kernels
def test_ownership_and_policy_cover_the_board(reply):
    assert len(reply["ownership"]) == 20
    assert all(-1 <= value <= 1 for value in reply["ownership"])
    policy = reply["policy"]
    assert len(policy) == 21
    stone = 2 * 4 + 2
    assert [index for index, value in enumerate(policy) if value == -1] == [stone]
    assert sum(value for value in policy if value > 0) == pytest.approx(1, abs=1e-4)


@pytest.mark.kernels
def test_a_better_win_rate_is_a_greater_lead(reply):
    pairs = sorted((info["winrate"], info["scoreLead"]) for info in reply["moveInfos"])
    assert [lead for _, lead in pairs] == sorted(lead for _, lead in pairs)


@pytest.mark.kernels
@pytest.mark.parametrize("turn", [0, 1])
def test_the_three_perspectives(turn):
    """One search, seen from each side: what is Black's is the opposite of White's."""
    seen = {}
    for side in Perspective:
        desk = Desk()
        settings = {"reportAnalysisWinratesAs": side.name}
        desk.ask(**question(moves=MOVES[:turn], includeOwnership=True, overrideSettings=settings))
        (seen[side],) = desk.close()
    black, white = seen[Perspective.BLACK], seen[Perspective.WHITE]
    mover = white if turn else black
    assert seen[Perspective.SIDETOMOVE]["rootInfo"] == mover["rootInfo"]
    assert black["rootInfo"]["winrate"] == pytest.approx(1 - white["rootInfo"]["winrate"])
    assert black["rootInfo"]["scoreLead"] == pytest.approx(-white["rootInfo"]["scoreLead"])
    assert black["ownership"] == pytest.approx([-value for value in white["ownership"]])
    for ours, theirs in zip(black["moveInfos"], white["moveInfos"], strict=True):
        assert ours["move"] == theirs["move"]
        assert ours["lcb"] == pytest.approx(1 - theirs["lcb"])


@pytest.mark.kernels
def test_each_turn_gets_one_final_reply():
    desk = Desk(positions=2)
    desk.ask(**question(moves=MOVES, analyzeTurns=[3, 0, 1, 2, 1]))
    desk.ask(**question("last", moves=MOVES))
    desk.ask(**question("first", moves=MOVES, analyzeTurns=[0]))
    expected = {("q", turn): 1 for turn in range(4)} | {("last", 3): 1, ("first", 0): 1}
    assert finals(desk.close()) == expected


@pytest.mark.kernels
def test_symmetric_positions_have_one_hash():
    desk = Desk()
    for query_id, move in (("a", "A1"), ("b", "E5"), ("c", "B1"), ("d", "(0,4)")):
        desk.ask(**question(query_id, moves=[["B", move]], maxVisits=1))
    roots = {reply["id"]: reply["rootInfo"] for reply in desk.close()}
    assert roots["a"]["symHash"] == roots["b"]["symHash"] != roots["c"]["symHash"]
    assert roots["a"]["thisHash"] == roots["d"]["thisHash"] != roots["b"]["thisHash"]


@pytest.mark.kernels
def test_moves_can_be_avoided_and_allowed():
    desk = Desk()
    avoid = [{"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}]
    desk.ask(**question("avoid", avoidMoves=avoid, maxVisits=200))
    only = [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 3}]
    desk.ask(**question("allow", allowMoves=only, maxVisits=200))
    other = [{"player": "W", "moves": ["A1"], "untilDepth": 1}]
    desk.ask(**question("other", allowMoves=other, maxVisits=200))
    moves = {r["id"]: {info["move"] for info in r["moveInfos"]} for r in desk.close()}
    assert not moves["avoid"] & {"C3", "pass"}
    assert moves["allow"] <= {"A1", "B2"}
    assert moves["allow"]
    assert "C3" in moves["other"], "White's limits are not Black's"


@pytest.mark.kernels
def test_handicap_komi_and_who_is_to_play():
    desk = Desk()
    stones = [["B", "B2"], ["B", "D4"]]
    desk.ask(**question("handicap", initialStones=stones))
    desk.ask(**question("told", initialStones=stones, initialPlayer="B"))
    desk.ask(**question("moved", initialStones=stones, moves=[["B", "C3"]], analyzeTurns=[0]))
    players = {reply["id"]: reply["rootInfo"]["currentPlayer"] for reply in desk.close()}
    assert players == {"handicap": "W", "told": "B", "moved": "B"}


@pytest.mark.kernels
def test_games_that_break_the_rules_are_analysed_all_the_same():
    suicide = [["W", "A2"], ["B", "E5"], ["W", "B1"], ["B", "A1"], ["W", "C3"]]
    desk = Desk()
    desk.ask(**question(moves=suicide))
    assert finals(desk.close()) == {("q", 5): 1}


class Gate:
    """An engine that searches nothing until it is told to."""

    problems = ("a source failed",)

    def __init__(self, settings):
        self.settings = settings
        self.opened = threading.Event()
        self.began = threading.Event()
        self.order = []

    def analyse(self, position, limit, progress=None, allowed=None):
        self.order.append(len(position.moves))
        self.limit = limit
        self.began.set()
        assert self.opened.wait(60)
        progress(lambda: None)
        candidate = Candidate(PASS, 1, 0.5, 0, 0, 0, 0, 1.0, [PASS], [1])
        owned = position.board() * 0.0
        return SearchReport([candidate], 1, 1, 0.5, owned, 1, 1.0)

    def stop(self):
        self.opened.set()


@pytest.fixture
def gated():
    """A desk whose only engine waits at the gate, and that engine."""
    engines = []

    def make(settings):
        engines.append(Gate(settings))
        return engines[-1]

    desk = Desk(make_engine=make)
    return desk, engines[0]


def test_greater_priority_comes_first(gated, capsys):
    desk, engine = gated
    desk.ask(**question("begun", moves=MOVES, analyzeTurns=[0]))
    assert engine.began.wait(60)
    desk.ask(**question("low", moves=MOVES, analyzeTurns=[1], priority=-5))
    desk.ask(**question("turns", moves=MOVES, analyzeTurns=[2, 3], priorities=[1, 7]))
    engine.opened.set()
    desk.close()
    assert engine.order == [0, 3, 2, 1]
    assert capsys.readouterr().err == "tengen: a source failed; going on without it\n", "once"


def test_terminate_ends_what_runs_and_what_waits(gated):
    desk, engine = gated
    desk.ask(**question("runs", moves=MOVES, analyzeTurns=[0]))
    assert engine.began.wait(60)
    desk.ask(**question("waits", moves=MOVES, analyzeTurns=[1, 2, 3]))
    desk.ask(id="t1", action="terminate", terminateId="waits", turnNumbers=[1, 3])
    dropped = [reply for reply in desk.replies if reply.get("noResults")]
    assert [reply["turnNumber"] for reply in dropped] == [1, 3], "at once"
    desk.ask(id="t2", action="terminate", terminateId="runs")
    replies = desk.close()
    assert finals(replies) == {("runs", 0): 1, **{("waits", turn): 1 for turn in (1, 2, 3)}}
    assert engine.order == [0, 2]
    echoes = [reply for reply in replies if "action" in reply]
    assert [echo["id"] for echo in echoes] == ["t1", "t2"]
    assert echoes[0]["turnNumbers"] == [1, 3]


def test_terminate_all(gated):
    desk, engine = gated
    for number in range(5):
        desk.ask(**question(str(number)))
    desk.ask(id="t", action="terminate_all")
    assert finals(desk.close()) == {(str(number), 0): 1 for number in range(5)}


def test_an_engine_that_fails_is_told_and_the_rest_goes_on():
    class Broken:
        def __init__(self, settings):
            self.settings = settings

        def analyse(self, *arguments):
            raise ZeroDivisionError("no idea")

    desk = Desk(make_engine=Broken)
    desk.ask(**question("a"))
    desk.ask(**question("b"))
    replies = desk.close()
    assert finals(replies) == {("a", 0): 1, ("b", 0): 1}
    assert all("ZeroDivisionError" in reply["error"] for reply in replies)


def test_settings_of_a_question_make_another_engine_and_clear_cache_a_new_one():
    made = []

    class Counted(Gate):
        def __init__(self, settings):
            super().__init__(settings)
            self.opened.set()
            made.append(settings)

    desk = Desk(make_engine=Counted)
    desk.ask(**question("a", overrideSettings={"cpuctExploration": 2.5}))
    desk.ask(**question("b", overrideSettings={"search.expand_at": 3, "maxTime": 1}))
    desk.close()
    assert [s.search.puct_exploration for s in made] == [1.1, 1.25, 1.1]
    assert made[-1].search.expand_at == 3


@pytest.mark.parametrize(
    ("words", "settings", "visits", "is_timed"),
    [
        ((), {}, NEVER, True),
        (("playouts=30",), {}, 30, False),
        (("playouts=30",), {"play.playouts": 40}, 40, False),
        (("playouts=30",), {"maxVisits": 40, "maxTime": 5}, 40, True),
        (("playouts=30",), {"play.seconds": 5}, NEVER, True),
    ],
)
def test_when_a_search_ends(gated, words, settings, visits, is_timed):
    desk, engine = gated
    desk.analyst.settings = desk.analyst.settings.with_words(words)
    engine.settings = desk.analyst.settings
    engine.opened.set()
    desk.ask(**question(maxVisits=None, overrideSettings=settings))
    desk.close()
    assert (engine.limit.simulations, engine.limit.until_s < NEVER) == (visits, is_timed)


def test_clear_cache_makes_a_new_engine():
    made = []

    class Counted(Gate):
        def __init__(self, settings):
            super().__init__(settings)
            self.opened.set()
            made.append(self)

    desk = Desk(make_engine=Counted)
    desk.ask(id="c", action="clear_cache")
    desk.ask(**question("a"))
    desk.ask(**question("b"))
    assert desk.close()[0] == {"id": "c", "action": "clear_cache"}
    assert len(made) == 2


@pytest.mark.kernels
def test_partial_results_come_before_the_final_one():
    desk = Desk()
    desk.ask(**question(maxVisits=3000, reportDuringSearchEvery=0.001, includeOwnership=True))
    *partial, last = desk.close()
    assert partial
    assert all(reply["isDuringSearch"] for reply in partial)
    assert last["isDuringSearch"] is False
    visits = [reply["rootInfo"]["visits"] for reply in (*partial, last)]
    assert visits == sorted(visits)
    assert last["rootInfo"]["visits"] == 3000


def test_nothing_is_searched_for_a_reader_that_went_away(monkeypatch):
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    engine = Gate(EngineSettings())
    engine.opened.set()
    monkeypatch.setattr("tengen.analysis.loop._make_engine", lambda settings: engine)
    lines = [json.dumps(question(moves=MOVES, analyzeTurns=[0, 1, 2, 3])).encode()]
    with pytest.raises(BrokenPipeError):
        serve(engine.settings, Defaults(), lines, Gone())
    assert engine.order == [0], "the first reply shows that nobody reads"


@pytest.mark.kernels
def test_the_policy_is_the_nets_whatever_moves_are_asked_about():
    desk = Desk("net=default")
    usual = {"boardXSize": 7, "boardYSize": 7, "includePolicy": True, "maxVisits": 4}
    desk.ask(**question("all", **usual))
    only = [{"player": "B", "moves": ["A1"], "untilDepth": 1}]
    desk.ask(**question("one", allowMoves=only, **usual))
    policies = {reply["id"]: reply["policy"] for reply in desk.close()}
    assert policies["one"] == policies["all"]
    assert sum(policies["all"]) == pytest.approx(1, abs=1e-4)


def test_a_net_is_told_by_its_file_and_what_is_in_it():
    desk = Desk("net=default")
    desk.ask(id="m", action="query_models")
    (reply,) = desk.close()
    (model,) = reply["models"]
    assert model["name"] == "default"
    assert re.fullmatch(r"default\.onnx [0-9a-f]{12}", model["internalName"])
