"""Responses: fields, perspectives, priorities and termination."""

import io
import json
import re
import threading

import pytest
from json_helpers import Recorder, finals, make_query

from tengen.board import PASS
from tengen.engine import EngineSettings, Perspective
from tengen.protocols.analysis import QueryDefaults, serve
from tengen.search import NEVER, Candidate, SearchReport

MOVES = [["B", "C3"], ["W", "D4"], ["b", "pass"]]


@pytest.fixture(scope="module")
def response():
    """The response to a query for all fields, White to move."""
    recorder = Recorder()
    recorder.ask(
        **make_query(
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
    (response,) = recorder.close()
    return response


@pytest.mark.kernels
def test_response_fields(response):
    assert (response["id"], response["turnNumber"], response["isDuringSearch"]) == ("q", 1, False)
    root = response["rootInfo"]
    assert root["visits"] == 60
    assert root["currentPlayer"] == "W"
    assert len(root["thisHash"]) == len(root["symHash"]) == 32
    for order, info in enumerate(response["moveInfos"]):
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
    assert len(response["moveInfos"][0]["ownership"]) == 20


@pytest.mark.kernels
def test_ownership_and_policy_cover_the_board(response):
    assert len(response["ownership"]) == 20
    assert all(-1 <= value <= 1 for value in response["ownership"])
    policy = response["policy"]
    assert len(policy) == 21
    stone = 2 * 4 + 2
    assert [index for index, value in enumerate(policy) if value == -1] == [stone]
    assert sum(value for value in policy if value > 0) == pytest.approx(1, abs=1e-4)


@pytest.mark.kernels
def test_lead_increases_with_win_rate(response):
    pairs = sorted((info["winrate"], info["scoreLead"]) for info in response["moveInfos"])
    assert [lead for _, lead in pairs] == sorted(lead for _, lead in pairs)


@pytest.mark.kernels
@pytest.mark.parametrize("turn", [0, 1])
def test_perspectives(turn):
    """Values for Black are the opposite of those for White."""
    seen = {}
    for side in Perspective:
        recorder = Recorder()
        settings = {"reportAnalysisWinratesAs": side.name}
        recorder.ask(
            **make_query(moves=MOVES[:turn], includeOwnership=True, overrideSettings=settings)
        )
        (seen[side],) = recorder.close()
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
def test_each_turn_gets_one_final_response():
    recorder = Recorder(positions=2)
    recorder.ask(**make_query(moves=MOVES, analyzeTurns=[3, 0, 1, 2, 1]))
    recorder.ask(**make_query("last", moves=MOVES))
    recorder.ask(**make_query("first", moves=MOVES, analyzeTurns=[0]))
    expected = {("q", turn): 1 for turn in range(4)} | {("last", 3): 1, ("first", 0): 1}
    assert finals(recorder.close()) == expected


@pytest.mark.kernels
def test_symmetric_positions_share_a_hash():
    recorder = Recorder()
    for query_id, move in (("a", "A1"), ("b", "E5"), ("c", "B1"), ("d", "(0,4)")):
        recorder.ask(**make_query(query_id, moves=[["B", move]], maxVisits=1))
    roots = {response["id"]: response["rootInfo"] for response in recorder.close()}
    assert roots["a"]["symHash"] == roots["b"]["symHash"] != roots["c"]["symHash"]
    assert roots["a"]["thisHash"] == roots["d"]["thisHash"] != roots["b"]["thisHash"]


@pytest.mark.kernels
def test_avoid_and_allow_moves():
    recorder = Recorder()
    avoid = [{"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}]
    recorder.ask(**make_query("avoid", avoidMoves=avoid, maxVisits=200))
    only = [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 3}]
    recorder.ask(**make_query("allow", allowMoves=only, maxVisits=200))
    other = [{"player": "W", "moves": ["A1"], "untilDepth": 1}]
    recorder.ask(**make_query("other", allowMoves=other, maxVisits=200))
    moves = {r["id"]: {info["move"] for info in r["moveInfos"]} for r in recorder.close()}
    assert not moves["avoid"] & {"C3", "pass"}
    assert moves["allow"] <= {"A1", "B2"}
    assert moves["allow"]
    assert "C3" in moves["other"], "White's limits are not Black's"


@pytest.mark.kernels
def test_handicap_komi_and_side_to_play():
    recorder = Recorder()
    stones = [["B", "B2"], ["B", "D4"]]
    recorder.ask(**make_query("handicap", initialStones=stones))
    recorder.ask(**make_query("given", initialStones=stones, initialPlayer="B"))
    recorder.ask(**make_query("moved", initialStones=stones, moves=[["B", "C3"]], analyzeTurns=[0]))
    players = {
        response["id"]: response["rootInfo"]["currentPlayer"] for response in recorder.close()
    }
    assert players == {"handicap": "W", "given": "B", "moved": "B"}


@pytest.mark.kernels
def test_analyzes_games_with_illegal_moves():
    suicide = [["W", "A2"], ["B", "E5"], ["W", "B1"], ["B", "A1"], ["W", "C3"]]
    recorder = Recorder()
    recorder.ask(**make_query(moves=suicide))
    assert finals(recorder.close()) == {("q", 5): 1}


class Gate:
    """An engine that blocks until it is released."""

    problems = ("a source failed",)

    def __init__(self, settings):
        self.settings = settings
        self.opened = threading.Event()
        self.began = threading.Event()
        self.order = []

    def analyze(self, position, limit, progress=None, allowed=None):
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
    """A server whose only engine blocks, and that engine."""
    engines = []

    def make(settings):
        engines.append(Gate(settings))
        return engines[-1]

    recorder = Recorder(make_engine=make)
    return recorder, engines[0]


def test_higher_priority_runs_first(gated, capsys):
    recorder, engine = gated
    recorder.ask(**make_query("begun", moves=MOVES, analyzeTurns=[0]))
    assert engine.began.wait(60)
    recorder.ask(**make_query("low", moves=MOVES, analyzeTurns=[1], priority=-5))
    recorder.ask(**make_query("turns", moves=MOVES, analyzeTurns=[2, 3], priorities=[1, 7]))
    engine.opened.set()
    recorder.close()
    assert engine.order == [0, 3, 2, 1]
    assert capsys.readouterr().err == "tengen: a source failed; continuing without it\n", "once"


def test_terminate_ends_running_and_waiting_jobs(gated):
    recorder, engine = gated
    recorder.ask(**make_query("runs", moves=MOVES, analyzeTurns=[0]))
    assert engine.began.wait(60)
    recorder.ask(**make_query("waits", moves=MOVES, analyzeTurns=[1, 2, 3]))
    recorder.ask(id="t1", action="terminate", terminateId="waits", turnNumbers=[1, 3])
    dropped = [response for response in recorder.responses if response.get("noResults")]
    assert [response["turnNumber"] for response in dropped] == [1, 3], "at once"
    recorder.ask(id="t2", action="terminate", terminateId="runs")
    responses = recorder.close()
    assert finals(responses) == {("runs", 0): 1, **{("waits", turn): 1 for turn in (1, 2, 3)}}
    assert engine.order == [0, 2]
    echoes = [response for response in responses if "action" in response]
    assert [echo["id"] for echo in echoes] == ["t1", "t2"]
    assert echoes[0]["turnNumbers"] == [1, 3]


def test_terminate_all(gated):
    recorder, engine = gated
    for number in range(5):
        recorder.ask(**make_query(str(number)))
    recorder.ask(id="t", action="terminate_all")
    assert finals(recorder.close()) == {(str(number), 0): 1 for number in range(5)}


def test_reports_a_failing_engine():
    class Broken:
        def __init__(self, settings):
            self.settings = settings

        def analyze(self, *arguments):
            raise ZeroDivisionError("no idea")

    recorder = Recorder(make_engine=Broken)
    recorder.ask(**make_query("a"))
    recorder.ask(**make_query("b"))
    responses = recorder.close()
    assert finals(responses) == {("a", 0): 1, ("b", 0): 1}
    assert all("ZeroDivisionError" in response["error"] for response in responses)


def test_other_settings_create_another_engine():
    made = []

    class Counted(Gate):
        def __init__(self, settings):
            super().__init__(settings)
            self.opened.set()
            made.append(settings)

    recorder = Recorder(make_engine=Counted)
    recorder.ask(**make_query("a", overrideSettings={"cpuctExploration": 2.5}))
    recorder.ask(**make_query("b", overrideSettings={"search.expansion_visits": 3, "maxTime": 1}))
    recorder.close()
    assert [s.search.puct_exploration for s in made] == [1.1, 1.25, 1.1]
    assert made[-1].search.expansion_visits == 3


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
def test_search_limits(gated, words, settings, visits, is_timed):
    recorder, engine = gated
    recorder.server.settings = recorder.server.settings.with_overrides(words)
    engine.settings = recorder.server.settings
    engine.opened.set()
    recorder.ask(**make_query(maxVisits=None, overrideSettings=settings))
    recorder.close()
    assert (engine.limit.simulations, engine.limit.until_s < NEVER) == (visits, is_timed)


def test_clear_cache_creates_a_new_engine():
    made = []

    class Counted(Gate):
        def __init__(self, settings):
            super().__init__(settings)
            self.opened.set()
            made.append(self)

    recorder = Recorder(make_engine=Counted)
    recorder.ask(id="c", action="clear_cache")
    recorder.ask(**make_query("a"))
    recorder.ask(**make_query("b"))
    assert recorder.close()[0] == {"id": "c", "action": "clear_cache"}
    assert len(made) == 2


@pytest.mark.kernels
def test_partial_results_precede_the_final_one():
    recorder = Recorder()
    recorder.ask(**make_query(maxVisits=3000, reportDuringSearchEvery=0.001, includeOwnership=True))
    *partial, last = recorder.close()
    assert partial
    assert all(response["isDuringSearch"] for response in partial)
    assert last["isDuringSearch"] is False
    visits = [response["rootInfo"]["visits"] for response in (*partial, last)]
    assert visits == sorted(visits)
    assert last["rootInfo"]["visits"] == 3000


def test_broken_pipe_ends_all_searches(monkeypatch):
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    engine = Gate(EngineSettings())
    engine.opened.set()
    monkeypatch.setattr("tengen.protocols.analysis.server._make_engine", lambda settings: engine)
    lines = [json.dumps(make_query(moves=MOVES, analyzeTurns=[0, 1, 2, 3])).encode()]
    with pytest.raises(BrokenPipeError):
        serve(engine.settings, QueryDefaults(), lines, Gone())
    assert engine.order == [0], "the first response shows that nobody reads"


@pytest.mark.kernels
def test_policy_ignores_restrictions():
    recorder = Recorder("net=default")
    usual = {"boardXSize": 7, "boardYSize": 7, "includePolicy": True, "maxVisits": 4}
    recorder.ask(**make_query("all", **usual))
    only = [{"player": "B", "moves": ["A1"], "untilDepth": 1}]
    recorder.ask(**make_query("one", allowMoves=only, **usual))
    policies = {response["id"]: response["policy"] for response in recorder.close()}
    assert policies["one"] == policies["all"]
    assert sum(policies["all"]) == pytest.approx(1, abs=1e-4)


def test_query_models_identifies_the_file():
    recorder = Recorder("net=default")
    recorder.ask(id="m", action="query_models")
    (response,) = recorder.close()
    (model,) = response["models"]
    assert model["name"] == "default"
    assert re.fullmatch(r"default\.onnx [0-9a-f]{12}", model["internalName"])
