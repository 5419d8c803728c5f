"""Game records in headless Chromium: open, edit, review, save."""

import time

from browser_helpers import PATIENCE_S, messages_of_review
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tengen.records import read_bytes

GAME = (
    b"(;GM[1]FF[4]SZ[7]KM[7.5]PB[Ann]PW[Ben]RE[W+3.5];B[dd];W[cc];B[ee](;W[bb]C[hm];B[ff])(;W[aa]))"
)


def open_game(user, folder, data=GAME, name="game.sgf"):
    path = folder / name
    path.write_bytes(data)
    user.choose_files("file", path)


def test_open_and_save(user, folder):
    open_game(user, folder)
    user.wait_for_text("#black-player", "Ann")
    assert user.count(".tree .node") == 7
    user.press(Keys.END)
    user.wait_for_move(5)
    user.press(Keys.ARROW_LEFT)
    user.until("return document.getElementById('comment').value === 'hm'")
    user.press(Keys.ARROW_DOWN)
    user.until("return document.getElementById('comment').value === ''")
    comment = user.driver.find_element(By.ID, "comment")
    comment.send_keys("better] \\ here", Keys.TAB)
    user.wait_for_count(".tree .commented", 2)
    user.click("#do-save")
    saved = folder / "Ann-Ben.sgf"
    wait_for_file(saved)
    (record,) = read_bytes(saved.read_bytes())
    assert (record.black, record.result_text, len(record.moves)) == ("Ann", "W+3.5", 5)
    comments = [node.text("C") for node in record.root.walk() if "C" in node.properties]
    assert comments == ["hm", "better] \\ here"]


def test_comment_stays_at_its_node(user, folder):
    open_game(user, folder)
    user.wait_for_text("#black-player", "Ann")
    user.press(Keys.HOME)
    user.wait_for_move(0)
    comment = user.driver.find_element(By.ID, "comment")
    comment.send_keys("before the first move")
    user.run("tengen.goTo(1)")
    user.wait_for_move(1)
    comment.send_keys(Keys.TAB)
    user.until("return document.getElementById('comment').value === ''")
    user.press(Keys.HOME)
    user.until("return document.getElementById('comment').value === 'before the first move'")


def test_comment_survives_a_reload(user, folder):
    open_game(user, folder)
    user.wait_for_text("#black-player", "Ann")
    comment = user.driver.find_element(By.ID, "comment")
    comment.send_keys("half a")
    user.until("return tengen.state.comment === 'half a'")
    comment.send_keys(" thought")
    user.driver.refresh()
    user.until("return document.body.dataset.ready === ''")
    user.until("return document.getElementById('comment').value === 'half a thought'")


def wait_for_file(path):
    """Wait for a download; Chromium renames the file when it is complete."""
    end_s = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end_s, f"{path} was not saved"
        time.sleep(0.05)


def test_drop_file(user):
    user.drop(GAME)
    user.wait_for_text("#white-player", "Ben")


def test_no_resign_in_a_loaded_game(user, folder):
    user.wait_for_text("#actions", "Resign")
    open_game(user, folder)
    user.until("return !document.getElementById('do-resign')")


def test_file_with_several_games(user, folder):
    open_game(user, folder, GAME + GAME, "two.sgf")
    user.wait_for_text("#toasts", "several games")
    user.click("#toasts button")
    user.wait_for_text("#library-count", "2 games")
    assert user.run("return tengen.panel.name") == "library"


def test_open_and_save_without_connection(user, folder):
    user.run("window.fetch = () => Promise.reject(new TypeError())")
    user.press("w")
    user.wait_for_text("#toasts", "Not saved: no connection")
    open_game(user, folder)
    user.wait_for_text("#toasts", "Not opened: no connection")


def many_variations():
    """Return a game of 60 moves with a variation of 3 moves at each."""
    moves = [f"{'BW'[n % 2]}[{'abcdefghi'[n % 9]}{'abcdefghi'[n // 9]}]" for n in range(60)]
    tree = ""
    for number in reversed(range(60)):
        mover, other = "BW"[number % 2], "WB"[number % 2]
        tree = f"(;{moves[number]}{tree})(;{mover}[ii];{other}[hi];{mover}[gi])"
    return f"(;GM[1]SZ[9]{tree})".encode()


def test_variations_share_lanes(user, folder):
    open_game(user, folder, many_variations(), "many.sgf")
    user.until("return tengen.tree.nodes.size === 241")
    user.press(Keys.HOME)
    user.wait_for_move(0)
    lanes = "return 1 + Math.max(...[...tengen.tree.nodes.values()].map(({lane}) => lane))"
    assert user.run(lanes) < 8
    places = (
        "return new Set([...tengen.tree.nodes.values()].map((n) => `${n.depth} ${n.lane}`)).size"
    )
    assert user.run(places) == user.run("return tengen.tree.nodes.size")
    user.run("window.dot = document.querySelector('.tree .node')")
    user.press(Keys.ARROW_RIGHT)
    user.wait_for_move(1)
    assert user.run("return dot.isConnected"), "dots are not redrawn"
    assert user.run("return document.querySelector('.tree .current').dataset.node") == "1"
    assert user.count(".tree .node.on") == 2


def test_file_without_a_game(user, folder):
    open_game(user, folder, b"plain text", "text.sgf")
    user.wait_for_text("#toasts", "Not opened: there is no game in this file")
    (error,) = user.console_errors()
    assert "422" in error


def test_review(user, folder):
    open_game(user, folder)
    user.wait_for_text("#black-player", "Ann")
    user.press("3")
    user.run("document.getElementById('visits').value = '100'")
    user.click("#do-review")
    user.wait_for_text("#review-info", "6 positions, 100 visits each")
    assert "Black: " in user.text("#totals")
    assert not user.driver.find_element("id", "do-review-stop").is_displayed()
    assert messages_of_review(user, "") == []
    assert messages_of_review(user, "{done: 2}") == ["review"], "a stopped review"
    assert messages_of_review(user, "{nodes: [0, 99]}") == ["review"], "a review of another line"
    user.click_until("#chart", "return tengen.state.move < 5")
    user.run("tengen.review.goTo(2)")
    user.until("return tengen.state.move === 2")
    user.run("tengen.play('A1')")
    user.until("return tengen.state.last === 'A1'")
    make_the_first_move_a_mistake = """
        const {review} = tengen.review;
        const changed = {mistake: true, best: "A7", points_loss: 3, points_error: 0.5};
        const moves = [{...review.moves[0], ...changed}, ...review.moves.slice(1)];
        tengen.review.receive({...review, moves});
        """
    user.run(make_the_first_move_a_mistake)
    user.run("document.querySelector('#mistakes tr[data-move=\"1\"]').focus()")
    pretend_scoring = """
        window.sent = [];
        const {send} = tengen;
        tengen.send = (type, fields) => { sent.push(type); send.call(tengen, type, fields); };
        tengen.state = {...tengen.state, phase: "scoring", both_passed: true};
        """
    user.run(pretend_scoring)
    user.press(Keys.ENTER)
    user.until("return tengen.state.move === 0")
    assert user.run("return sent") == ["go_to"], "Enter on a row does not accept the score"
    user.wait_for_count(".ring.played", 1)
    user.wait_for_count(".ring.better", 1)
    assert user.run("return document.activeElement.dataset.move") == "1"


def test_mistakes_are_listed_during_the_review(user, folder):
    open_game(user, folder)
    user.wait_for_text("#black-player", "Ann")
    user.press("3")
    report = """
        const move = (number, color, loss, winrate) => ({number, color, move: `A${number}`,
          best: "G7", winrate_loss: winrate, points_loss: loss, points_error: 0.4, visits: 60,
          mistake: loss >= 2});
        const player = {moves: 1, mistakes: 1, agreement: 0, mean_points_loss: 1};
        const positions = Array(3).fill({winrate: 0.5, lead: 0, line: ["G7"], visits: 100});
        tengen.receive({type: "review", done: 3, total: 6, running: true, visits: 100,
          nodes: [0, 1, 2, 3, 4, 5], positions, players: {black: player, white: player},
          moves: [move(1, "black", 2.5, 0.2), move(2, "white", 7, 0.1),
            move(3, "black", 1.9, 0.3)]});
        """
    user.run(report)
    listed = (
        "return [...document.querySelectorAll('#mistakes tbody th')].map((one) => one.textContent)"
    )
    assert user.run(listed) == ["2 A2", "1 A1"], "by points lost"
    user.click("th[data-column=winrate] button")
    assert user.run(listed) == ["1 A1", "2 A2"]
    assert user.count("th[aria-sort=descending]") == 1
    assert user.count(".chart-mark") == 2
    user.wait_for_text("#review-info", "Searched 3 of 6 positions with 100 visits each…")
    assert user.driver.find_element("id", "do-review-stop").is_displayed()
