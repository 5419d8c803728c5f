"""The server as a process: its port, its address, its end; and its files in a wheel."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from fnmatch import fnmatch
from pathlib import Path

import pytest
from cli_helpers import COMMAND, tengen
from websockets.sync.client import connect

from tengen.cli.play_page import has_screen
from tengen.core.errors import TengenError
from tengen.web.app import PAGE
from tengen.web.guard import Door
from tengen.web.server import address_of, free_socket

ROOT = Path(__file__).resolve().parents[2]
QUICK = ["playouts=50", "threads=1", "memory_mib=16", "--level", "strongest"]
PATIENCE_S = 120


def free_port():
    """Return a port that was free a moment ago."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_a_taken_port_is_passed_over():
    with free_socket("127.0.0.1", free_port()) as first:
        taken = first.getsockname()[1]
        with free_socket("127.0.0.1", taken) as second:
            assert second.getsockname()[1] > taken


def test_a_host_that_is_not_here():
    with pytest.raises(TengenError, match="cannot listen on"):
        free_socket("192.0.2.1")


def test_the_address_holds_the_token():
    with free_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert address_of(listening, Door.to("127.0.0.1")) == f"http://127.0.0.1:{port}/"
        guarded = address_of(listening, Door.to("0.0.0.0", "word"))
        assert guarded == f"http://127.0.0.1:{port}/?token=word"


@pytest.mark.parametrize(
    "words",
    [
        "--port 99999",
        "--port x",
        "--experiments /no/such/folder",
        "--level 9p",
        "--host nowhere.invalid",
        "--size 1",
    ],
)
def test_wrong_options_are_told_in_a_line(words):
    outcome = tengen("play", "--no-browser", *words.split())
    assert outcome.code == 2
    assert outcome.errors.startswith("tengen")


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_it_while_it_thinks(tmp_path, times):
    command = [*COMMAND, "play", "--no-browser", "--port", "0", "--experiments", str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, *QUICK], **pipes) as process:
        try:
            address = re.search(r"http://(\S+)/", process.stdout.readline())[1]
            page = urllib.request.urlopen(f"http://{address}/", timeout=PATIENCE_S).read()
            assert b"/page/main.js" in page
            with connect(f"ws://{address}/socket") as page:
                page.send(json.dumps({"type": "hello"}))
                page.send(json.dumps({"type": "analyse", "on": True}))
                while json.loads(page.recv(timeout=PATIENCE_S))["type"] != "search":
                    pass
                for _ in range(times):
                    process.send_signal(signal.SIGINT)
                    time.sleep(0.05)  # two at once would be one
                assert process.wait(PATIENCE_S) in (0, 130)
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others always have a screen")
def test_a_browser_needs_a_screen(monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert not has_screen()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_screen()


def test_the_page_is_package_data():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["tengen"]
    for path in PAGE.iterdir():
        name = path.relative_to(ROOT / "src" / "tengen").as_posix()
        assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_the_page_asks_nothing_of_other_hosts():
    for path in PAGE.iterdir():
        addresses = re.findall(r"(?:https?:)?//[a-z][^\s\"'`]*", path.read_text())
        outside = [found for found in addresses if "www.w3.org" not in found]
        assert [found for found in outside if re.match(r"https?://", found)] == [], path.name


def test_modules_import_only_what_is_there():
    for path in PAGE.glob("*.js"):
        for name in re.findall(r'from "([^"]+)"', path.read_text()):
            assert (PAGE / name).is_file(), f"{path.name} imports {name}"
