"""The library and the joseki section of the page."""

import io
import tarfile

import pytest
from browser_helpers import User, start_server
from selenium.webdriver.common.keys import Keys

from tengen.records import Library

GAMES = 130
COLUMNS = "abcdefghi"


def game(number):
    """Return a game whose first moves are the same for every number."""
    last = f";B[{COLUMNS[number % 9]}{COLUMNS[(number // 9) % 4]}]"
    players = f"PB[Player {number}]PW[{'Even' if number % 2 == 0 else 'Odd'}]"
    moves = f";B[ee];W[{'ge' if number % 2 else 'gg'}]{last}"
    return f"(;GM[1]FF[4]SZ[9]{players}DT[2020-01-01]RE[B+R]{moves})".encode()


def write_archive(path, count=GAMES):
    with tarfile.open(path, "w:gz") as archive:
        for number in range(count):
            member = tarfile.TarInfo(f"{number:04}.sgf")
            member.size = len(game(number))
            archive.addfile(member, io.BytesIO(game(number)))
    return path


def listed(user):
    """Return the names of Black in the visible rows, from the top."""
    script = """
        const rows = [...document.querySelectorAll(".game-rows li")];
        rows.sort((a, b) => a.ariaPosInSet - b.ariaPosInSet);
        return rows.map((row) => row.querySelector(".name b").textContent);
        """
    return user.run(script)


def test_collection_is_listed_searched_and_opened(user, folder):
    user.run("tengen.openTab('library')")
    user.choose_files("library-file", write_archive(folder / "cup.tar.gz"))
    user.wait_for_text("#library-count", f"{GAMES} games")
    user.until("return document.querySelectorAll('.game-row').length > 3")
    names = listed(user)
    assert names == [f"Player {number}" for number in range(len(names))]
    assert len(names) < 40, "only visible rows exist"
    drawn = """
        const {data} = document.querySelector(".thumbnail").getContext("2d")
            .getImageData(0, 0, 72, 72);
        return new Set(new Uint32Array(data.buffer)).size;"""
    assert user.run(drawn) > 10
    user.run("document.querySelector('.game-list').scrollTop = 1e6")
    user.until(
        "return [...document.querySelectorAll('.game-row')]"
        ".some((row) => row.textContent.includes('Player 129'))"
    )
    user.run(
        "const field = document.getElementById('library-search');"
        "field.value = 'odd 12'; field.dispatchEvent(new Event('input'))"
    )
    user.wait_for_text("#library-count", "5 games")
    user.until("return document.querySelectorAll('.game-row').length === 5")
    assert listed(user) == [f"Player {number}" for number in (121, 123, 125, 127, 129)]
    user.run("document.querySelector('.game-row').focus()")
    user.press(Keys.ARROW_DOWN, Keys.ENTER)
    user.until("return tengen.game.is_loaded && tengen.panel.name === 'analysis'")
    assert user.text("#black-player b") == "Player 123"
    assert user.run("return tengen.state.move") == 3
    user.run("tengen.openTab('library')")
    assert user.count(".game-row[aria-current]") == 1
    user.click("#do-remove-collection")
    user.click("dialog[open] button.main")
    user.until("return !tengen.library.collections.some(({name}) => name === 'cup.tar.gz')")


def test_dropped_files_are_a_collection(user):
    user.drop(game(1), game(2), game(3))
    user.wait_for_text("#library-count", "3 games")
    assert user.run("return tengen.panel.name") == "library"
    user.until("return document.querySelectorAll('.game-row').length === 3")
    assert listed(user) == ["Player 1", "Player 2", "Player 3"]


def test_import_can_be_cancelled_and_fail(user, folder):
    user.run("tengen.openTab('library')")
    before = user.run("return tengen.library.collections.length")
    user.choose_files("library-file", write_archive(folder / "large.tar.gz", 6000))
    user.until("return !document.querySelector('.library .import').hidden")
    user.click("#do-cancel-library")
    user.until("return document.querySelector('.library .import').hidden")
    (folder / "broken.zip").write_bytes(b"no archive")
    user.choose_files("library-file", folder / "broken.zip")
    user.wait_for_text("#toasts", "Not opened")
    assert user.run("return tengen.library.collections.length") == before


def test_played_games_are_saved(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.play_move("C3", 2)
    user.new_game(size="5", color="both")
    user.run("tengen.openTab('library')")
    user.until("return tengen.library.collections[0]?.is_played")
    user.run("tengen.library.select(tengen.library.collections[0].id)")
    user.until("return document.querySelector('.game-row')?.textContent.includes('7×7')")
    user.click(".game-row")
    user.until("return tengen.game.rows === 7 && tengen.panel.name === 'play'")
    assert user.run("return [tengen.state.move, tengen.game.is_loaded]") == [2, False]
    user.play_move("E3", 3)


@pytest.fixture
def student(driver, folder):
    """A user of a server with its own game database."""
    process, address = start_server(folder / "lab", library="joseki.sqlite", games="strong.sqlite")
    user = User(driver, address)
    user.open_page()
    yield user
    driver.get("about:blank")
    process.kill()
    process.wait()
    assert user.console_errors() == []


def test_joseki(student, folder):
    user = student
    user.new_game(size="9", color="both")
    user.run("document.querySelector('#section-joseki').open = true")
    user.wait_for_text("#joseki", "There are no games of this board size")
    user.choose_files("games-file", write_archive(folder / "strong.tar.gz"))
    user.wait_for_text("#joseki", "The position occurred in")
    user.until("return tengen.joseki.found.moves[0]?.vertex === 'E5'")
    user.wait_for_count(".frequency", 1)
    user.play_move("E5", 1)
    user.until("return tengen.joseki.moves.length === 2")
    moves = user.run("return tengen.joseki.moves.map(({vertex, color}) => [vertex, color])")
    assert sorted(moves) == [["E7", "white"], ["G7", "white"]], "in the upper right, by symmetry"
    user.wait_for_count(".frequency", 2)
    user.click("#joseki tbody button")
    user.until("return tengen.state.move === 2")
    user.run("tengen.savedChanges = tengen.state.change_count")
    user.click("#joseki .example")
    user.until("return tengen.game.is_loaded && tengen.state.move === 2")
    assert user.text("#black-player b").startswith("Player ")
    user.run("document.querySelector('#section-joseki').open = false")
    user.wait_for_count(".frequency", 0)


def test_library_file(folder):
    """The tests do not use the library of the user."""
    library = Library(folder / "library.sqlite")
    assert library.collections()
    library.close()
