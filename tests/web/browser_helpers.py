"""The page in a real browser, used as a person does: Debian's Chromium without a window."""

import os
import subprocess
import sys
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
PATIENCE_S = 60
STEP_S = 0.05
A_MOMENT_S = 5
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1300,950",
)


def missing():
    """Return why there is no browser to test with, or an empty text."""
    absent = [path for path in (BROWSER, DRIVER) if not os.access(path, os.X_OK)]
    return (
        f"needs {' and '.join(absent)} (apt-get install chromium chromium-driver)" if absent else ""
    )


def start_browser(folder):
    """Return a driver; what is downloaded goes into the folder."""
    options = Options()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    downloads = {"download.default_directory": str(folder), "download.prompt_for_download": False}
    options.add_experimental_option("prefs", downloads)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))


def start_server(experiments, port=0):
    """Start `tengen play` on a port, 0 for a free one; return the process and its address."""
    words = ["play", "--no-browser", "--port", str(port), "--experiments", str(experiments)]
    settings = ["net=none", "playouts=50", "threads=1", "memory_mib=16", "seed=1"]
    settings += ["--level", "strongest"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tengen.cli.main", *words, *settings],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TENGEN_GAMES": str(experiments / "none.sqlite")},
    )
    line = process.stdout.readline()
    return process, line.split(" is at ")[1].split()[0]


class Person:
    """Someone in front of the page."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def come(self):
        """Open the page anew, with a new game, in a browser that has kept nothing."""
        self.driver.get("about:blank")
        kept = {"origin": self.address.rstrip("/"), "storageTypes": "local_storage"}
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", kept)
        self.driver.get(self.address)
        self.until("return document.body.dataset.ready === ''")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, script, *arguments, patience_s=PATIENCE_S):
        """Wait until a script returns something true, and return that."""
        end_s = time.monotonic() + patience_s
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end_s, f"never: {script} {arguments}\n{self.tell()}"
            time.sleep(STEP_S)
        return found

    def tell(self):
        """Return how the page stands, for whoever reads of a failure."""
        script = "return JSON.stringify([tengen.state, tengen.link.isOpen, tengen.heard])"
        return f"{self.text('#toasts')!r} {self.run(script)}"

    # What is seen

    def text(self, selector):
        return self.run(
            "return document.querySelector(arguments[0])?.textContent ?? null", selector
        )

    def wait_for_text(self, selector, words, patience_s=PATIENCE_S):
        script = "return document.querySelector(arguments[0])?.textContent.includes(arguments[1])"
        return self.until(script, selector, words, patience_s=patience_s)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def wait_for_count(self, selector, count):
        script = "return document.querySelectorAll(arguments[0]).length === arguments[1]"
        return self.until(script, selector, count)

    def wait_for_move(self, number):
        return self.wait_for_text("#status", f"Move {number}.")

    # What is done

    def click(self, selector):
        """Click an element, whichever is there when the click is made."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            element = self.until("return document.querySelector(arguments[0])", selector)
            try:
                self.run("arguments[0].scrollIntoView({block: 'nearest'})", element)
                element.click()
                return
            except StaleElementReferenceException:
                assert time.monotonic() < end_s, f"{selector} does not stay"

    def drop(self, data):
        """Drop a game record on the page."""
        script = """
            const files = new DataTransfer();
            files.items.add(new File([arguments[0]], "game.sgf"));
            window.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
            """
        self.run(script, data.decode())

    def click_until(self, selector, script):
        """Click an element until a script returns something true."""
        end_s = time.monotonic() + PATIENCE_S
        while not self.run(script):
            assert time.monotonic() < end_s, f"never: {script}\n{self.tell()}"
            self.click(selector)
            self.wait_shortly(script)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def point_at(self, vertex, click=False):
        """Move the mouse to a point of the first board, and click there."""
        place = self.run(
            """
            const board = document.querySelector(".board");
            board.scrollIntoView({block: "nearest"});
            const box = board.viewBox.baseVal, seen = board.getBoundingClientRect();
            const height = Math.round(box.height - 2.3) + 1;
            const column = "ABCDEFGHJKLMNOPQRST".indexOf(arguments[0][0]);
            const row = height - Number(arguments[0].slice(1));
            const scale = seen.width / box.width;
            const from = (place, start, size) => (place - start) * scale - size / 2;
            return [from(column, box.x, seen.width), from(row, box.y, seen.height)];
            """,
            vertex,
        )
        board = self.driver.find_element(By.CSS_SELECTOR, ".board")
        chain = ActionChains(self.driver).move_to_element_with_offset(board, *map(round, place))
        (chain.click() if click else chain).perform()

    def play(self, vertex):
        self.point_at(vertex, click=True)

    def play_move(self, vertex, number):
        """Click until the move is there, as a person does on a machine that is very busy."""
        end_s = time.monotonic() + PATIENCE_S
        script = "return tengen.state.move === arguments[0]"
        while not self.run(script, number):
            assert time.monotonic() < end_s, f"{vertex} was never played\n{self.tell()}"
            self.play(vertex)
            self.wait_shortly(script, number)

    def wait_shortly(self, script, *arguments):
        """Wait a few seconds for a script to return something true."""
        end_s = time.monotonic() + A_MOMENT_S
        while time.monotonic() < end_s and not self.run(script, *arguments):
            time.sleep(STEP_S)

    def new_game(self, **fields):
        """Ask for a new game in the dialog."""
        self.open_new_game()
        for name, value in fields.items():
            self.run(
                """
                const field = document.querySelector("#new-game form").elements[arguments[0]];
                field.value = arguments[1];
                field.dispatchEvent(new Event("change", {bubbles: true}));
                """,
                name,
                value,
            )
        self.click("#new-game button.main")
        self.wait_for_new_game()

    def open_new_game(self):
        """Open the dialog of a new game by its key."""
        self.run("window.oldGame = tengen.game; window.heardBefore = tengen.heard")
        self.press("n")
        self.until("return document.querySelector('#new-game[open]')")

    def wait_for_new_game(self):
        """Wait until the game that was asked for is on the board."""
        self.until("return !document.querySelector('#new-game[open]')")
        self.until("return tengen.game !== oldGame && tengen.heard > heardBefore")

    def choose_layer(self, slot, name):
        script = """
            const picker = document.getElementById(`layer-${arguments[0]}`);
            picker.value = arguments[1];
            picker.dispatchEvent(new Event("change"));
            """
        self.run(script, slot, name)

    def console_errors(self):
        """Return what the console complained of since the last call."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]


def begun_again(person, changes):
    """Return what is sent when the game is to be analysed and the last analysis was other."""
    return person.run(f"""
        const {{review, send}} = tengen, {{found}} = review, sent = [];
        tengen.send = (what) => sent.push(what);
        review.found = {{...found, ...({changes or "{}"})}};
        review.beginUnlessDone();
        Object.assign(tengen, {{send}});
        review.found = found;
        return sent;""")
