"""Smoke test of an installed Tengen: a move, the page, a review and a match of two games.

Run it with the Python of the environment in which Tengen is installed. It uses empty cache and data
folders, so it compiles the kernels, and prints the CPU seconds until the first move.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib import metadata
from pathlib import Path

TIMEOUT_S = 3600
GAME = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[ec];B[cd];W[gd];B[fc];W[gc])"
TENGEN = [sys.executable, "-m", "tengen"]


def run(*words: str, text: str = "", is_failure: bool = False) -> str:
    """Run a command of Tengen and return its output, stderr included."""
    done = subprocess.run(
        [*TENGEN, *words],
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
    )
    if (done.returncode != 0) is not is_failure:
        sys.exit(f"tengen {' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check(condition: bool, what: str) -> None:
    """Print a passed check; exit if it failed."""
    if not condition:
        sys.exit(f"failed: {what}")
    print(f"passed: {what}", flush=True)


def cpu_s() -> float:
    """Return the CPU time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def first_move() -> float:
    """Check a first move with an empty kernel cache; return the CPU seconds that it took."""
    before = cpu_s()
    output = run("gtp", "preset=laptop", "playouts=50", text="boardsize 9\ngenmove b\nquit\n")
    check(re.search(r"^= [A-HJ][1-9]$", output, re.M) is not None, "first move")
    return cpu_s() - before


def page() -> None:
    """Check that the server answers with the page."""
    command = [*TENGEN, "play", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        address = ""
        while not address:
            line = server.stdout.readline()
            if not line:
                sys.exit("failed: the page server ended")
            address = next(iter(re.findall(r"http://\S+", line)), "")
        with urllib.request.urlopen(address, timeout=60) as answer:
            text = answer.read().decode()
        check("<title>" in text and answer.status == 200, "the page answers")
    finally:
        server.terminate()
        server.wait(60)


def review(folder: Path) -> None:
    """Check the review of one game."""
    (folder / "game.sgf").write_text(GAME)
    run("review", str(folder / "game.sgf"), "-o", str(folder / "review"), "playouts=20")
    values = json.loads((folder / "review" / "game.json").read_text())
    check(bool(values) and (folder / "review" / "game.html").exists(), "review of a game")


def match(folder: Path) -> None:
    """Check a match of two games and its report."""
    file = folder / "match.sqlite"
    players = ["tengen playouts=10 net=none", "tengen playouts=5 net=none"]
    run("match", *players, "-o", str(file), "--games", "2", "--size", "7")
    check("2 games, 0 problems" in run("report", str(file), "--verify"), "match of two games")
    run("report", str(file))
    check(file.with_suffix(".html").exists(), "report of a match")


def missing_extras(folder: Path) -> None:
    """Check that a command without its optional packages names the extra in one line."""
    installed = {name.lower() for name in (d.metadata["Name"] for d in metadata.distributions())}
    for package, extra, words in (
        ("onnx", "nets", ["net", "get", "b15c192", "-o", str(folder / "net.onnx")]),
        ("matplotlib", "lab", ["tune", "--help"]),
    ):
        if package not in installed:
            output = run(*words, is_failure=True)
            expected = f"tengen: {package} is not installed: run pip install 'tengen-go[{extra}]'\n"
            check(output == expected, f"a command without {package} names its extra")


def main() -> None:
    """Run all checks and print the CPU time of the first move."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"TENGEN_CACHE_DIR": str(folder / "cache"), "HOME": name}
        os.chdir(folder)
        version = metadata.version("tengen-go")
        check(run("--version") == f"tengen {version}\n", f"version {version}")
        started = time.monotonic()
        first_move_s = first_move()
        print(
            f"first move: {first_move_s:.1f} CPU s, {time.monotonic() - started:.1f} s", flush=True
        )
        page()
        review(folder)
        match(folder)
        missing_extras(folder)


if __name__ == "__main__":
    main()
