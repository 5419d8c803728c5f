"""A folder of reviews: goes on where it was, overwrites nothing that is not its own."""

import json
import re
import threading
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_helpers import FOUR_MOVES, Said, ScriptedEngine, four_outlooks, game_of

from tengen.board.points import parse_vertex
from tengen.core.errors import TengenError
from tengen.review.batch import Batch
from tengen.review.data import outlook_dict, outlook_from
from tengen.review.folder import ReviewFolder
from tengen.review.journal import Journal
from tengen.review.outlook import Outlook
from tengen.review.review import review_game
from tengen.search.limit import Limit

MADE_BY = "a test"


class Onlooker:
    """Remembers what it was told; may set a flag after some positions."""

    def __init__(self, stop=None, after=0):
        self.games = []
        self.positions = 0
        self._stop, self._after = stop, after

    def position_done(self, game, done, total):
        self.positions += 1
        if self.positions == self._after:
            self._stop.set()

    def game_done(self, summary, was_there):
        self.games.append((summary["name"], was_there))


def run(out, *paths, engine=None, made_by=MADE_BY, stop_after=0):
    stop = threading.Event()
    engine = engine or four_outlooks()
    batch = Batch(ReviewFolder(out, made_by), engine, Limit, stop)
    onlooker = Onlooker(stop, stop_after)
    batch.run([str(path) for path in paths], onlooker)
    return batch, onlooker, engine


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(FOUR_MOVES)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_game_gets_its_files(tmp_path, game):
    out = tmp_path / "out"
    batch, onlooker, _ = run(out, game)
    batch.folder.write_index([])
    assert names(out) == ["game.html", "game.json", "game.sgf", "index.html"]
    assert onlooker.games == [("game", False)]
    data = json.loads((out / "game.json").read_text())
    assert data["players"]["black"]["largest_mistakes"] == [3]
    assert [place["winrate"] for place in data["positions"]] == [0.5, 0.5, 0.48, 0.28, 0.27]
    assert data["moves"][2]["best"] == "D4"


def test_a_second_run_searches_nothing(tmp_path, game):
    run(tmp_path / "out", game)
    _, onlooker, engine = run(tmp_path / "out", game)
    assert engine.asked == []
    assert onlooker.games == [("game", True)]


def test_other_settings_do_it_anew(tmp_path, game):
    run(tmp_path / "out", game)
    _, _, engine = run(tmp_path / "out", game, made_by="another")
    assert engine.asked == [0, 1, 2, 3, 4]
    assert names(tmp_path / "out") == ["game.html", "game.json", "game.sgf"]


def test_a_stopped_run_goes_on_where_it_was(tmp_path, game):
    out = tmp_path / "out"
    first, _, engine = run(out, game, stop_after=2)
    assert first.counts.done == 0
    assert names(out) == ["game.partial"]
    assert engine.asked == [0, 1, 2], "the third was begun, and not kept"
    assert engine.was_stopped
    second, _, engine = run(out, game)
    assert second.counts.done == 1
    assert engine.asked == [2, 3, 4]
    run(tmp_path / "whole", game)
    assert (out / "game.json").read_text() == (tmp_path / "whole" / "game.json").read_text()
    assert (out / "game.html").read_text() == (tmp_path / "whole" / "game.html").read_text()


def test_killed_while_the_files_were_written(tmp_path, game):
    out = tmp_path / "out"
    run(out, game, stop_after=4)
    (out / "game.sgf").write_text("half a ga")
    _, onlooker, _ = run(out, game)
    assert onlooker.games == [("game", False)]
    assert names(out) == ["game.html", "game.json", "game.sgf"]


def test_the_folder_of_the_games_may_be_the_output(tmp_path, game):
    for _ in range(2):
        batch, _, _ = run(tmp_path, tmp_path)
    assert game.read_text() == FOUR_MOVES
    assert names(tmp_path) == ["game-2.html", "game-2.json", "game-2.sgf", "game.sgf"]
    assert batch.counts.done_before == 1
    assert batch.counts.skipped == []


def test_games_of_one_name_and_games_in_one_file(tmp_path, game):
    other = tmp_path / "other"
    other.mkdir()
    (other / "game.sgf").write_text(FOUR_MOVES.replace("Ann", "Eve") + FOUR_MOVES)
    _, onlooker, _ = run(tmp_path / "out", game, other)
    assert [name for name, _ in onlooker.games] == ["game", "game-2", "game-2-2"]


def test_odd_names_make_plain_ones(tmp_path):
    path = tmp_path / "a b?ü&.sgf"
    path.write_text(FOUR_MOVES)
    index = tmp_path / "index.sgf"
    index.write_text(FOUR_MOVES.replace("Ann", "Eve"))
    _, onlooker, _ = run(tmp_path / "out", path, index)
    assert [name for name, _ in onlooker.games] == ["a_b_ü", "game-index"]


def test_broken_games_are_skipped_and_counted(tmp_path, game):
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "empty.sgf").write_text("(;SZ[5])")
    (folder / "junk.sgf").write_text("nothing")
    (folder / "large.sgf").write_text("(;SZ[25];B[aa])")
    (folder / "short.sgf").write_text("(;SZ[5]KM[0.5];B[cc];W[cc])")
    batch, onlooker, _ = run(tmp_path / "out", folder, game)
    assert [name for name, _ in onlooker.games] == ["short", "game"]
    assert len(batch.counts.skipped) == 3
    assert "short.sgf" in batch.counts.broken_off[0]


def test_no_such_file_is_told_before_anything_is_searched(tmp_path, game):
    engine = four_outlooks()
    with pytest.raises(TengenError, match="nowhere"):
        run(tmp_path / "out", game, tmp_path / "nowhere", engine=engine)
    assert engine.asked == []


def test_files_of_others_stay(tmp_path, game):
    out = tmp_path / "out"
    out.mkdir()
    (out / "game.json").write_text('{"mine": 1}')
    run(out, game)
    assert (out / "game.json").read_text() == '{"mine": 1}'
    assert "game-2.json" in names(out)


def test_an_index_of_others_stays_too(tmp_path, game):
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.html").write_text("<title>My garden</title>")
    (tmp_path / "review-index.sgf").write_text(FOUR_MOVES)
    for _ in range(2):
        batch, onlooker, _ = run(out, game, tmp_path / "review-index.sgf")
        assert batch.folder.write_index([]) == out / "review-index.html"
    assert [name for name, _ in onlooker.games] == ["game", "game-review-index"]
    assert (out / "index.html").read_text() == "<title>My garden</title>"
    assert checked(out / "game.html").links[0] == "review-index.html"
    (out / "review-index.html").write_text("also mine")
    with pytest.raises(TengenError, match="choose another folder"):
        ReviewFolder(out, MADE_BY)


# The journal


def test_a_journal_cut_anywhere_gives_what_is_whole(tmp_path):
    game = game_of(FOUR_MOVES)
    outlooks = review_game(game, four_outlooks(), Limit).outlooks
    path = tmp_path / "game.partial"
    journal = Journal(path, game, "key", MADE_BY)
    for outlook in outlooks:
        journal.add(outlook)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        known = Journal(path, game, "key", MADE_BY).known
        assert tuple(known) == outlooks[: len(known)]
        assert len(known) >= whole[:length].count(b"\n") - 1


def test_a_journal_of_another_game_counts_for_nothing(tmp_path):
    game = game_of(FOUR_MOVES)
    journal = Journal(tmp_path / "x", game, "key", MADE_BY)
    journal.add(Outlook(0.5, 0.0, (), 1))
    assert Journal(tmp_path / "x", game, "other", MADE_BY).known == []


def test_a_journal_of_noise(tmp_path):
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
def test_outlooks_come_back(winrate, lead, line, visits):
    outlook = Outlook(winrate, lead, tuple(parse_vertex(text, 5, 5) for text in line), visits)
    assert outlook_from(json.loads(json.dumps(outlook_dict(outlook, 5))), 5, 5) == outlook


# The pages


class Checker(HTMLParser):
    """Sees that tags are closed in order, and gathers text, identifiers and links."""

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
        """Such a tag is closed at once."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def checked(path):
    checker = Checker()
    checker.feed(path.read_text())
    assert checker.open == []
    return checker


def test_pages_are_well_formed_and_whole_in_themselves(tmp_path, game):
    hostile = FOUR_MOVES.replace("Ann", "<script>alert(1)</script>").replace("Bob", "B\"&'")
    (tmp_path / "evil.sgf").write_text(hostile)
    batch, _, _ = run(tmp_path / "out", game, tmp_path / "evil.sgf")
    batch.folder.write_index(["<b>x</b>: it has no moves"])
    for name in ("game", "evil", "index"):
        page = checked(tmp_path / "out" / f"{name}.html")
        for link in page.links:
            is_here = link[1:] in page.ids if link[0] == "#" else (tmp_path / "out" / link).exists()
            assert is_here, link
        text = (tmp_path / "out" / f"{name}.html").read_text()
        assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "<script" not in text
    assert "<script>alert(1)</script> – B\"&'" in "".join(
        checked(tmp_path / "out" / "evil.html").text
    )


def test_the_page_shows_the_mistake(tmp_path, game):
    run(tmp_path / "out", game)
    page = checked(tmp_path / "out" / "game.html")
    assert "move-3" in page.ids
    assert "−20.0%, −4.0 points" in page.text


def test_pictures_on_one_page_share_no_name_for_different_things(tmp_path, game):
    """Browsers take the first of one name: White's stones became black once."""
    engine = ScriptedEngine([Said(rate, 0.0, "A1") for rate in (0.5, 0.2, 0.5, 0.2, 0.5)])
    run(tmp_path / "out", game, engine=engine)
    text = (tmp_path / "out" / "game.html").read_text()
    found = set(re.findall(r'(<radialGradient id="[^"]*".*?</radialGradient>)', text))
    assert len(found) == 2
    assert len({gradient.split('"')[1] for gradient in found}) == 2
