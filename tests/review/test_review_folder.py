"""Review folders and batches: resuming, file names, pages."""

import json
import re
import threading
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from review_helpers import FOUR_MOVES, ScriptedEngine, ScriptedReport, four_move_engine, game_of

from tengen.board import parse_vertex
from tengen.review import GameFiles, PositionEstimate, ReviewBatch, ReviewFolder, review_game
from tengen.review.folder import Journal
from tengen.review.serialization import estimate_dict, parse_estimate
from tengen.search import SearchLimit
from tengen.util import TengenError

MADE_BY = "a test"


class Observer:
    """Records its calls; may set a flag after some positions."""

    def __init__(self, stop=None, after=0):
        self.games = []
        self.positions = 0
        self._stop, self._after = stop, after

    def position_done(self, game, done, total):
        self.positions += 1
        if self.positions == self._after:
            self._stop.set()

    def game_done(self, summary, was_done):
        self.games.append((summary["name"], was_done))


def run(out, *paths, engine=None, made_by=MADE_BY, stop_after=0):
    stop = threading.Event()
    engine = engine or four_move_engine()
    files = GameFiles([str(path) for path in paths])
    batch = ReviewBatch(files, ReviewFolder(out, made_by), engine, SearchLimit, stop)
    observer = Observer(stop, stop_after)
    batch.run(observer)
    return batch, observer, engine


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(FOUR_MOVES)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_of_a_game(tmp_path, game):
    out = tmp_path / "out"
    batch, observer, _ = run(out, game)
    batch.folder.write_index([])
    assert names(out) == ["game.html", "game.json", "game.sgf", "index.html"]
    assert observer.games == [("game", False)]
    data = json.loads((out / "game.json").read_text())
    assert data["players"]["black"]["largest_mistakes"] == [3]
    assert [position["winrate"] for position in data["positions"]] == [0.5, 0.5, 0.48, 0.28, 0.27]
    assert data["moves"][2]["best"] == "D4"


def test_second_run_searches_nothing(tmp_path, game):
    run(tmp_path / "out", game)
    _, observer, engine = run(tmp_path / "out", game)
    assert engine.searched == []
    assert observer.games == [("game", True)]


def test_other_settings_start_over(tmp_path, game):
    run(tmp_path / "out", game)
    _, _, engine = run(tmp_path / "out", game, made_by="another")
    assert engine.searched == [0, 1, 2, 2, 3, 3, 4]
    assert names(tmp_path / "out") == ["game.html", "game.json", "game.sgf"]


def test_resume_after_stop(tmp_path, game):
    out = tmp_path / "out"
    first, _, engine = run(out, game, stop_after=2)
    assert first.counts.done == 0
    assert names(out) == ["game.partial"]
    assert engine.searched == [0, 1, 2, 2], "the second search of position 2 was stopped"
    assert engine.was_stopped
    second, _, engine = run(out, game)
    assert second.counts.done == 1
    assert engine.searched == [2, 3, 3, 4]
    run(tmp_path / "whole", game)
    assert (out / "game.json").read_text() == (tmp_path / "whole" / "game.json").read_text()
    assert (out / "game.html").read_text() == (tmp_path / "whole" / "game.html").read_text()


def test_resume_with_partial_files(tmp_path, game):
    out = tmp_path / "out"
    run(out, game, stop_after=4)
    (out / "game.sgf").write_text("half a ga")
    _, observer, _ = run(out, game)
    assert observer.games == [("game", False)]
    assert names(out) == ["game.html", "game.json", "game.sgf"]


def test_output_in_the_folder_of_the_games(tmp_path, game):
    for _ in range(2):
        batch, _, _ = run(tmp_path, tmp_path)
    assert game.read_text() == FOUR_MOVES
    assert names(tmp_path) == ["game-2.html", "game-2.json", "game-2.sgf", "game.sgf"]
    assert batch.counts.done_before == 1
    assert batch.counts.skipped == []


def test_games_with_the_same_name(tmp_path, game):
    other = tmp_path / "other"
    other.mkdir()
    (other / "game.sgf").write_text(FOUR_MOVES.replace("Ann", "Eve") + FOUR_MOVES)
    _, observer, _ = run(tmp_path / "out", game, other)
    assert [name for name, _ in observer.games] == ["game", "game-2", "game-2-2"]


def test_unsafe_names(tmp_path):
    path = tmp_path / "a b?ü&.sgf"
    path.write_text(FOUR_MOVES)
    index = tmp_path / "index.sgf"
    index.write_text(FOUR_MOVES.replace("Ann", "Eve"))
    _, observer, _ = run(tmp_path / "out", path, index)
    assert [name for name, _ in observer.games] == ["a_b_ü", "game-index"]


def test_unreadable_and_truncated_games(tmp_path, game):
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "empty.sgf").write_text("(;SZ[5])")
    (folder / "junk.sgf").write_text("nothing")
    (folder / "large.sgf").write_text("(;SZ[25];B[aa])")
    (folder / "short.sgf").write_text("(;SZ[5]KM[0.5];B[cc];W[cc])")
    batch, observer, _ = run(tmp_path / "out", folder, game)
    assert [name for name, _ in observer.games] == ["short", "game"]
    assert len(batch.counts.skipped) == 3
    assert "short.sgf" in batch.counts.truncated[0]


def test_missing_file(tmp_path, game):
    engine = four_move_engine()
    with pytest.raises(TengenError, match="nowhere"):
        run(tmp_path / "out", game, tmp_path / "nowhere", engine=engine)
    assert engine.searched == []


def test_keeps_other_files(tmp_path, game):
    out = tmp_path / "out"
    out.mkdir()
    (out / "game.json").write_text('{"mine": 1}')
    run(out, game)
    assert (out / "game.json").read_text() == '{"mine": 1}'
    assert "game-2.json" in names(out)


def test_keeps_another_index(tmp_path, game):
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.html").write_text("<title>My garden</title>")
    (tmp_path / "review-index.sgf").write_text(FOUR_MOVES)
    for _ in range(2):
        batch, observer, _ = run(out, game, tmp_path / "review-index.sgf")
        assert batch.folder.write_index([]) == out / "review-index.html"
    assert [name for name, _ in observer.games] == ["game", "game-review-index"]
    assert (out / "index.html").read_text() == "<title>My garden</title>"
    assert checked(out / "game.html").links[0] == "review-index.html"
    (out / "review-index.html").write_text("also mine")
    with pytest.raises(TengenError, match="choose another folder"):
        ReviewFolder(out, MADE_BY)


# Journal


def test_truncated_journal(tmp_path):
    game = game_of(FOUR_MOVES)
    estimates = review_game(game, four_move_engine(), SearchLimit).estimates
    path = tmp_path / "game.partial"
    journal = Journal(path, game, "key", MADE_BY)
    for estimate in estimates:
        journal.add(estimate)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        known = Journal(path, game, "key", MADE_BY).known
        assert tuple(known) == estimates[: len(known)]
        assert len(known) >= whole[:length].count(b"\n") - 1


def test_journal_of_another_game(tmp_path):
    game = game_of(FOUR_MOVES)
    journal = Journal(tmp_path / "x", game, "key", MADE_BY)
    journal.add(PositionEstimate(0.5, 0.0, (), 1))
    assert Journal(tmp_path / "x", game, "other", MADE_BY).known == []


def test_invalid_journal(tmp_path):
    game = game_of(FOUR_MOVES)
    path = tmp_path / "noise"
    for noise in (b"", b"\xff\xfe", b"[]\n", b"null\n", b'["key", "a test"]\n{"line": 3}\n'):
        path.write_bytes(noise)
        assert Journal(path, game, "key", MADE_BY).known == []


@given(
    st.floats(0, 1).map(lambda rate: round(rate, 4)),
    st.floats(-400, 400).map(lambda lead: round(lead, 2)),
    st.lists(st.sampled_from(["A1", "E5", "C3", "pass"]), max_size=5),
    st.integers(0, 10**9),
)
def test_estimate_round_trip(winrate, lead, line, visits):
    estimate = PositionEstimate(
        winrate, lead, tuple(parse_vertex(text, 5, 5) for text in line), visits
    )
    assert parse_estimate(json.loads(json.dumps(estimate_dict(estimate, 5))), 5, 5) == estimate


# Pages


class Checker(HTMLParser):
    """Checks that tags are balanced and collects text, ids and links."""

    VOID = frozenset(("meta", "br", "rect", "path", "circle"))

    def __init__(self):
        super().__init__()
        self.open, self.text, self.links, self.ids = [], [], [], set()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.links += [found["href"]] if "href" in found else []
        self.ids |= {found["id"]} if "id" in found else set()
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """Ignore self-closing tags."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def checked(path):
    checker = Checker()
    checker.feed(path.read_text())
    assert checker.open == []
    return checker


def test_pages_are_well_formed_and_self_contained(tmp_path, game):
    hostile = FOUR_MOVES.replace("Ann", "<script>alert(1)</script>").replace("Bob", "B\"&'")
    (tmp_path / "evil.sgf").write_text(hostile)
    batch, _, _ = run(tmp_path / "out", game, tmp_path / "evil.sgf")
    batch.folder.write_index(["<b>x</b>: it has no moves"])
    for name in ("game", "evil", "index"):
        page = checked(tmp_path / "out" / f"{name}.html")
        for link in page.links:
            exists = link[1:] in page.ids if link[0] == "#" else (tmp_path / "out" / link).exists()
            assert exists, link
        text = (tmp_path / "out" / f"{name}.html").read_text()
        assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "<script" not in text
    assert "<script>alert(1)</script> – B\"&'" in "".join(
        checked(tmp_path / "out" / "evil.html").text
    )


def test_page_shows_the_mistake(tmp_path, game):
    run(tmp_path / "out", game)
    page = checked(tmp_path / "out" / "game.html")
    assert "move-3" in page.ids
    assert "loses 4.0 ± 0.7 points and 20.0% win rate" in page.text


def test_gradients_have_unique_ids(tmp_path, game):
    """Browsers use the first gradient of an id for all of them."""
    engine = ScriptedEngine([ScriptedReport(0.5, lead, "A1") for lead in (0, -5, 0, -5, 0)])
    run(tmp_path / "out", game, engine=engine)
    text = (tmp_path / "out" / "game.html").read_text()
    found = set(re.findall(r'(<radialGradient id="[^"]*".*?</radialGradient>)', text))
    assert len(found) == 2
    assert len({gradient.split('"')[1] for gradient in found}) == 2
