"""Game records on the page, in headless Chromium: opened, changed, analysed and saved."""

import time

from browser_helpers import PATIENCE_S, begun_again
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tengen.records.reader import read_bytes

GAME = (
    b"(;GM[1]FF[4]SZ[7]KM[7.5]PB[Ann]PW[Ben]RE[W+3.5];B[dd];W[cc];B[ee](;W[bb]C[hm];B[ff])(;W[aa]))"
)


def open_game(person, folder, data=GAME, name="game.sgf"):
    path = folder / name
    path.write_bytes(data)
    person.driver.find_element(By.ID, "file").send_keys(str(path))


def test_saving_and_opening(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    assert person.count(".tree .node") == 7
    person.press(Keys.END)
    person.wait_for_move(5)
    person.press(Keys.ARROW_LEFT)
    person.until("return document.getElementById('comment').value === 'hm'")
    person.press(Keys.ARROW_DOWN)
    person.until("return document.getElementById('comment').value === ''")
    comment = person.driver.find_element(By.ID, "comment")
    comment.send_keys("better] \\ here", Keys.TAB)
    person.wait_for_count(".tree .noted", 2)
    person.click("#do-save")
    saved = folder / "Ann-Ben.sgf"
    wait_for_file(saved)
    (record,) = read_bytes(saved.read_bytes())
    assert (record.black, record.result_text, len(record.moves)) == ("Ann", "W+3.5", 5)
    comments = [node.text("C") for node in record.root.walk() if "C" in node.properties]
    assert comments == ["hm", "better] \\ here"]


def test_a_comment_stays_where_it_was_begun(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    comment = person.driver.find_element(By.ID, "comment")
    comment.send_keys("before the first move")
    person.run("tengen.goTo(1)")
    person.wait_for_move(1)
    comment.send_keys(Keys.TAB)
    person.until("return document.getElementById('comment').value === ''")
    person.press(Keys.HOME)
    person.until("return document.getElementById('comment').value === 'before the first move'")


def test_a_comment_that_is_being_typed_outlives_the_page(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    comment = person.driver.find_element(By.ID, "comment")
    comment.send_keys("half a")
    person.until("return tengen.state.comment === 'half a'")
    comment.send_keys(" thought")
    person.driver.refresh()
    person.until("return document.body.dataset.ready === ''")
    person.until("return document.getElementById('comment').value === 'half a thought'")


def wait_for_file(path):
    """Wait until a download is there; Chromium renames it when it is whole."""
    end_s = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end_s, f"{path} was never saved"
        time.sleep(0.05)


def test_dropping_a_file(person):
    person.drop(GAME)
    person.wait_for_text("#white-player", "Ben")


def test_nobody_resigns_in_an_opened_game(person, folder):
    person.wait_for_text("#actions", "Resign")
    open_game(person, folder)
    person.until("return !document.getElementById('do-resign')")


def test_several_games_in_a_file(person, folder):
    open_game(person, folder, GAME + GAME, "two.sgf")
    person.wait_for_text("#toasts", "several games")


def test_opening_and_saving_without_a_connection_is_told(person, folder):
    person.run("window.fetch = () => Promise.reject(new TypeError())")
    person.press("w")
    person.wait_for_text("#toasts", "Not saved: there is no connection")
    open_game(person, folder)
    person.wait_for_text("#toasts", "Not opened: there is no connection")


def many_variations():
    """Return a game of 60 moves with a variation of three moves at each of them."""
    moves = [f"{'BW'[n % 2]}[{'abcdefghi'[n % 9]}{'abcdefghi'[n // 9]}]" for n in range(60)]
    tree = ""
    for number in reversed(range(60)):
        mover, other = "BW"[number % 2], "WB"[number % 2]
        tree = f"(;{moves[number]}{tree})(;{mover}[ii];{other}[hi];{mover}[gi])"
    return f"(;GM[1]SZ[9]{tree})".encode()


def test_variations_share_lanes(person, folder):
    open_game(person, folder, many_variations(), "many.sgf")
    person.until("return tengen.tree.nodes.size === 241")
    lanes = "return 1 + Math.max(...[...tengen.tree.nodes.values()].map(({lane}) => lane))"
    assert person.run(lanes) < 8
    places = (
        "return new Set([...tengen.tree.nodes.values()].map((n) => `${n.depth} ${n.lane}`)).size"
    )
    assert person.run(places) == person.run("return tengen.tree.nodes.size")
    person.run("window.dot = document.querySelector('.tree .node')")
    person.press(Keys.ARROW_RIGHT)
    person.wait_for_move(1)
    assert person.run("return dot.isConnected"), "a step draws nothing anew"
    assert person.run("return document.querySelector('.tree .current').dataset.node") == "1"
    assert person.count(".tree .node.on") == 2


def test_a_file_that_is_no_game(person, folder):
    open_game(person, folder, b"a letter to my aunt", "letter.sgf")
    person.wait_for_text("#toasts", "Not opened: there is no game in this file")
    (told,) = person.console_errors()
    assert "422" in told


def test_a_file_that_is_too_large(person, folder):
    open_game(person, folder, b"(;C[" + b"x" * 10_000_000 + b"])", "large.sgf")
    person.wait_for_text("#toasts", "larger than 10 MB")


def test_analysing_a_game(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    person.press("3")
    person.run("document.getElementById('visits').value = '100'")
    person.click("#do-review")
    person.wait_for_text("#review-info", "6 positions, up to")
    assert "Black: " in person.text("#mistakes")
    assert begun_again(person, "") == []
    assert begun_again(person, "{moves: [], running: false}") == ["review"], "it was stopped"
    assert begun_again(person, "{nodes: [0, 99]}") == ["review"], "it was another line"
    person.click_until("#chart", "return tengen.state.move > 0")
    person.run("tengen.review.jump(2)")
    person.until("return tengen.state.move === 2")
    person.run("tengen.play('A1')")
    person.until("return tengen.state.last === 'A1'")
    assert person.run("return tengen.review.placeOf(tengen.state.node)") == 2
    say_that_the_first_move_was_a_mistake = """
        const {found} = tengen.review;
        const moves = [{...found.moves[0], best: "A7"}, ...found.moves.slice(1)];
        const black = {...found.players.black, largest_mistakes: [1]};
        tengen.review.take({...found, moves, players: {...found.players, black}});
        """
    person.run(say_that_the_first_move_was_a_mistake)
    person.run("document.querySelector('#mistakes tr[data-move=\"1\"]').focus()")
    pretend_that_it_is_scored = """
        window.sent = [];
        const {send} = tengen;
        tengen.send = (type, fields) => { sent.push(type); send.call(tengen, type, fields); };
        tengen.state = {...tengen.state, phase: "score", passes: true};
        """
    person.run(pretend_that_it_is_scored)
    person.press(Keys.ENTER)
    person.until("return tengen.state.move === 0")
    assert person.run("return sent") == ["goto"], "the key of the row is not that of the score"
    person.wait_for_count(".ring.played", 1)
    person.wait_for_count(".ring.better", 1)
    assert person.run("return document.activeElement.dataset.move") == "1"
