"""The page in headless Chromium, operated like a user would."""

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
CLICK_TIMEOUT_S = 5
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
    """Return why there is no browser for the tests, or an empty text."""
    absent = [path for path in (BROWSER, DRIVER) if not os.access(path, os.X_OK)]
    return (
        f"needs {' and '.join(absent)} (apt-get install chromium chromium-driver)" if absent else ""
    )


def start_browser(folder):
    """Return a driver with `folder` as download folder."""
    options = Options()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    downloads = {"download.default_directory": str(folder), "download.prompt_for_download": False}
    options.add_experimental_option("prefs", downloads)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))


def start_server(experiments, port=0, library="library.sqlite", games="none.sqlite"):
    """Start `tengen play` on a port, 0 for a free one; return the process and its address."""
    data = {"TENGEN_GAMES": games, "TENGEN_LIBRARY": library}
    command = ["play", "--no-browser", "--port", str(port), "--experiments", str(experiments)]
    command += ["--problems", str(experiments.parent / "problems")]
    settings = ["net=none", "playouts=50", "threads=1", "memory_mib=16", "seed=1"]
    settings += ["--level", "strongest"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tengen.cli.main", *command, *settings],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **{name: str(experiments.parent / data[name]) for name in data}},
    )
    line = process.stdout.readline()
    return process, line.split(" is at ")[1].split()[0]


class User:
    """A user of the page."""

    def __init__(self, driver, address):
        self.driver = driver
        self.address = address

    def open_page(self):
        """Open the page with a new game and empty browser storage."""
        self.driver.get("about:blank")
        stored = {"origin": self.address.rstrip("/"), "storageTypes": "local_storage"}
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", stored)
        self.driver.get(self.address)
        self.until("return document.body.dataset.ready === ''")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, script, *arguments, patience_s=PATIENCE_S):
        """Wait until a script returns a true value; return it."""
        end_s = time.monotonic() + patience_s
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end_s, f"timed out: {script} {arguments}\n{self.describe()}"
            time.sleep(STEP_S)
        return found

    def describe(self):
        """Return the state of the page for failure messages."""
        script = (
            "return JSON.stringify([tengen.state, tengen.connection.isOpen, tengen.stateCount])"
        )
        return f"{self.text('#toasts')!r} {self.run(script)}"

    # Reading the page

    def text(self, selector):
        return self.run(
            "return document.querySelector(arguments[0])?.textContent ?? null", selector
        )

    def wait_for_text(self, selector, text, patience_s=PATIENCE_S):
        script = "return document.querySelector(arguments[0])?.textContent.includes(arguments[1])"
        return self.until(script, selector, text, patience_s=patience_s)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def wait_for_count(self, selector, count):
        script = "return document.querySelectorAll(arguments[0]).length === arguments[1]"
        return self.until(script, selector, count)

    def wait_for_move(self, number):
        return self.wait_for_text("#status", f"Move {number}.")

    # Actions

    def click(self, selector):
        """Click an element, even if it is replaced meanwhile."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            element = self.until("return document.querySelector(arguments[0])", selector)
            try:
                self.run("arguments[0].scrollIntoView({block: 'nearest'})", element)
                element.click()
                return
            except StaleElementReferenceException:
                assert time.monotonic() < end_s, f"{selector} is replaced all the time"

    def drop(self, *texts):
        """Drop game records on the page."""
        script = """
            const files = new DataTransfer();
            for (const [number, text] of arguments[0].entries()) {
                files.items.add(new File([text], `game${number}.sgf`));
            }
            window.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
            """
        self.run(script, [text.decode() for text in texts])

    def choose_files(self, input_id, *paths):
        """Choose files with a file dialog."""
        chooser = self.driver.find_element(By.ID, input_id)
        chooser.send_keys("\n".join(map(str, paths)))

    def click_until(self, selector, script):
        """Click an element until a script returns a true value."""
        end_s = time.monotonic() + PATIENCE_S
        while not self.run(script):
            assert time.monotonic() < end_s, f"timed out: {script}\n{self.describe()}"
            self.click(selector)
            self.wait_shortly(script)

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def point_at(self, vertex, click=False):
        """Move the mouse to a point of the first board; optionally click."""
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
        """Click until the move is played, since clicks may be lost on a busy machine."""
        end_s = time.monotonic() + PATIENCE_S
        script = "return tengen.state.move === arguments[0]"
        while not self.run(script, number):
            assert time.monotonic() < end_s, f"{vertex} was never played\n{self.describe()}"
            self.play(vertex)
            self.wait_shortly(script, number)

    def wait_shortly(self, script, *arguments):
        """Wait a few seconds for a script to return a true value."""
        end_s = time.monotonic() + CLICK_TIMEOUT_S
        while time.monotonic() < end_s and not self.run(script, *arguments):
            time.sleep(STEP_S)

    def new_game(self, **fields):
        """Start a new game with the dialog."""
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
        """Open the New game dialog by its shortcut."""
        self.run("window.oldGame = tengen.game; window.countBefore = tengen.stateCount")
        self.press("n")
        self.until("return document.querySelector('#new-game[open]')")

    def wait_for_new_game(self):
        """Wait until the new game is displayed."""
        self.until("return !document.querySelector('#new-game[open]')")
        self.until("return tengen.game !== oldGame && tengen.stateCount > countBefore")

    def choose_layer(self, slot, name):
        script = """
            const picker = document.getElementById(`layer-${arguments[0]}`);
            picker.value = arguments[1];
            picker.dispatchEvent(new Event("change"));
            """
        self.run(script, slot, name)

    def console_errors(self):
        """Return the console errors since the last call."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]


def messages_of_review(user, changes):
    """Return the messages sent when a review is requested after one with these changes."""
    return user.run(f"""
        const {{review: panel, send}} = tengen, {{review}} = panel, sent = [];
        tengen.send = (type) => sent.push(type);
        panel.review = {{...review, ...({changes or "{}"})}};
        panel.startUnlessDone();
        Object.assign(tengen, {{send}});
        panel.review = review;
        return sent;""")
