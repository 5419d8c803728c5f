"""Make the pictures of the page and of a review report in docs/img.

    python tests/web/screenshots.py GAME.sgf COLLECTION

GAME is shown in analysis and in Look inside, COLLECTION (a file with more than 1,000 games) in the
library. `--only PART` makes the pictures of one part: games, review, collections or report.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser_helpers import User, start_browser
from selenium.webdriver.chrome.webdriver import WebDriver

FOLDER = Path(__file__).parents[2] / "docs" / "img"
EXAMPLE = Path(__file__).parents[2] / "examples" / "small_board.sgf"
WINDOW, PHONE, REPORT = (1440, 900), (390, 844), (900, 1330)
MOVE = 60
"""Of the record, shown in the pictures of analysis."""
VISITS = 500
REVIEW_VISITS = 100
PATIENCE_S = 900
TOAST_S = 7
"""Time until messages are gone."""
LINE_S = 3
"""Time to play back a line."""


def main(game: Path, collection: Path, parts: list[str]) -> None:
    """Serve the page, use it, and take the pictures."""
    command = [sys.executable, "-m", "tengen", "play", "--no-browser", "--port", "0"]
    with (
        tempfile.TemporaryDirectory() as profile,
        tempfile.TemporaryDirectory(prefix="experiments-") as folder,
        subprocess.Popen(
            [*command, "seed=1", "--experiments", folder],
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "TENGEN_LIBRARY": f"{folder}/.library.sqlite",
                "TENGEN_GAMES": f"{folder}/.games.sqlite",
            },
        ) as server,
    ):
        assert server.stdout is not None
        address = server.stdout.readline().split(" is at ")[1].split()[0]
        user = User(start_browser(Path(profile)), address)
        try:
            user.driver.get(address)
            user.until("return document.body.dataset.ready === ''", patience_s=PATIENCE_S)
            resize(user, *WINDOW)
            if "games" in parts:
                take_game_pictures(user, game)
            if "review" in parts:
                take_review_picture(user)
            if "collections" in parts:
                take_collection_pictures(user, collection.resolve())
        finally:
            user.driver.quit()
            server.terminate()


def open_record(user: User, record: Path) -> None:
    """Drop a record on the page."""
    user.run("tengen.savedChanges = tengen.state.change_count; window.oldGame = tengen.game")
    user.drop(record.read_bytes())
    user.until("return tengen.game !== oldGame && tengen.state.move > 0", patience_s=PATIENCE_S)
    user.run("document.getElementById('toasts').replaceChildren()")


def take_game_pictures(user: User, record: Path) -> None:
    """Take the pictures of games, layers and problems."""
    for number, vertex in enumerate(["E5", "C7", "G4", "C3"]):
        user.play_move(vertex, 2 * number + 2)
    save(user, "page")
    user.click("#teach")
    user.play("A9")
    user.until("return document.querySelector('#do-take-back')", patience_s=PATIENCE_S)
    time.sleep(LINE_S)
    save(user, "page-teaching")
    user.press("u")
    user.click("#teach")
    open_record(user, record)
    user.run("tengen.goTo(tengen.tree.leap(tengen.tree.root, arguments[0]))", MOVE - 3)
    user.run("tengen.analysis.engine.setLimit({unit: 'visits', step: 2})")  # 1,000 visits
    user.press("a")
    for number in range(MOVE - 3, MOVE + 1):
        script = "return tengen.state.move === arguments[0] && tengen.search?.visits > arguments[1]"
        user.until(script, number, VISITS if number == MOVE else 200, patience_s=PATIENCE_S)
        if number < MOVE:
            user.run("tengen.step('forward')")
    user.run("tengen.openTab('analysis')")
    save(user, "page-analysis")
    resize(user, *PHONE)
    user.run("tengen.openTab('play')")
    save(user, "page-phone")
    resize(user, *WINDOW)
    user.press("a")
    user.run("tengen.openTab('layers')")
    user.choose_layer(0, "bigmove.p1")
    user.choose_layer(1, "metric")
    user.until("return tengen.layers.layers.every(Boolean)", patience_s=PATIENCE_S)
    save(user, "page-sources")
    user.choose_layer(1, "")
    user.click("#as-surface")
    save(user, "page-look")
    user.click("#as-surface")
    take_problem_picture(user)


def take_review_picture(user: User) -> None:
    """Take the picture of a review."""
    open_record(user, EXAMPLE)
    user.run("tengen.openTab('review')")
    user.run("document.getElementById('visits').value = String(arguments[0])", REVIEW_VISITS)
    user.click("#do-review")
    done = "return tengen.review.review?.done > 1 && !tengen.review.review.running"
    user.until(done, patience_s=PATIENCE_S)
    user.click(".mistakes tbody tr")
    save(user, "page-review")


PROBLEM = (
    "(;GM[1]SZ[9]GN[Black to kill]AB[ea][eb][ec][ed][dd][cd][bd][ad]AW[da][db][dc][cc][bc][ac]PL[B]"
    "(;B[bb]C[RIGHT])(;B[ab];W[bb];B[cb];W[ba]C[Wrong]))"
)


def take_problem_picture(user: User) -> None:
    """Take the picture of a problem after a wrong move."""
    user.run("tengen.openTab('problems')")
    script = "return tengen.problems.send([new File([arguments[0]], 'Example.sgf')])"
    user.run(script, PROBLEM)
    user.wait_for_text("#problem", "Example, problem 1")
    user.play("A8")
    user.wait_for_text("#problem-status", "Wrong")
    time.sleep(LINE_S)
    save(user, "page-problems")
    user.run("tengen.send('delete_problems', {collection: 'example'})")


def take_collection_pictures(user: User, collection: Path) -> None:
    """Take the pictures of the library, joseki and experiments."""
    user.run("tengen.savedChanges = tengen.state.change_count; tengen.openTab('library')")
    user.choose_files("library-file", collection)
    complete = "return tengen.library.current?.is_complete"
    user.until(complete, patience_s=PATIENCE_S)
    user.until("return document.querySelector('.game-row')")
    time.sleep(TOAST_S)
    save(user, "page-library")
    user.run("tengen.openTab('play')")
    user.new_game(size="19", color="both")
    user.run("document.querySelector('#section-joseki').open = true")
    user.choose_files("games-file", collection)
    user.until("return tengen.joseki.found?.searched > 1000", patience_s=PATIENCE_S)
    for number, vertex in enumerate(["Q16", "D4", "R4"]):
        user.play_move(vertex, number + 1)
    user.until("return tengen.joseki.moves.length", patience_s=PATIENCE_S)
    time.sleep(TOAST_S)
    save(user, "page-joseki")
    user.run("tengen.openTab('experiments')")
    user.click("#do-run-example")
    user.until("return tengen.experiments.found.entries[0]?.done > 3", patience_s=PATIENCE_S)
    save(user, "page-experiments")


def take_report_picture() -> None:
    """Take the picture of the report of an example game."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["review", str(EXAMPLE), "-o", folder, "--playouts", "200", "threads=1", "seed=1"]
        subprocess.run([sys.executable, "-m", "tengen", *command], check=True)
        driver = start_browser(Path(folder))
        try:
            emulate(driver, *REPORT)
            driver.get(Path(folder, f"{EXAMPLE.stem}.html").as_uri())
            driver.save_screenshot(str(FOLDER / "review.png"))
        finally:
            driver.quit()


def resize(user: User, width: int, height: int) -> None:
    """Emulate a window of the page; narrow ones are phones."""
    emulate(user.driver, width, height)


def emulate(driver: WebDriver, width: int, height: int) -> None:
    """Emulate a window; narrow ones are phones."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def save(user: User, name: str) -> None:
    """Save a picture of the page."""
    time.sleep(1)  # animations
    user.driver.save_screenshot(str(FOLDER / f"{name}.png"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", type=Path, metavar="GAME.sgf")
    parser.add_argument("collection", type=Path, metavar="COLLECTION")
    parser.add_argument("--only", choices=["games", "review", "collections", "report"])
    arguments = parser.parse_args()
    chosen = [arguments.only] if arguments.only else ["games", "review", "collections", "report"]
    if chosen != ["report"]:
        main(arguments.game, arguments.collection, chosen)
    if "report" in chosen:
        take_report_picture()
