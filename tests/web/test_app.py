"""The server process: port, URL, shutdown; and the files of the page."""

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

from tengen.cli.play import has_display
from tengen.util import TengenError
from tengen.web import AccessPolicy, free_socket, server_url
from tengen.web.app import PAGE

ROOT = Path(__file__).resolve().parents[2]
QUICK = ["playouts=50", "threads=1", "memory_mib=16", "--level", "strongest"]
PATIENCE_S = 120


def free_port():
    """Return a port that is currently free."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_skips_ports_in_use():
    with free_socket("127.0.0.1", free_port()) as first:
        taken = first.getsockname()[1]
        with free_socket("127.0.0.1", taken) as second:
            assert second.getsockname()[1] > taken


def test_rejects_foreign_host():
    with pytest.raises(TengenError, match="cannot listen on"):
        free_socket("192.0.2.1")


def test_url_contains_token():
    with free_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert (
            server_url(listening, AccessPolicy.for_host("127.0.0.1")) == f"http://127.0.0.1:{port}/"
        )
        url = server_url(listening, AccessPolicy.for_host("0.0.0.0", "word"))
        assert url == f"http://127.0.0.1:{port}/?token=word"


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
def test_rejects_invalid_options(words):
    outcome = tengen("play", "--no-browser", *words.split())
    assert outcome.code == 2
    assert outcome.errors.startswith("tengen")


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_during_a_search(tmp_path, times):
    command = [*COMMAND, "play", "--no-browser", "--port", "0", "--experiments", str(tmp_path)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, *QUICK], **pipes) as process:
        try:
            address = re.search(r"http://(\S+)/", process.stdout.readline())[1]
            page = urllib.request.urlopen(f"http://{address}/", timeout=PATIENCE_S).read()
            assert b"/page/main.js" in page
            with connect(f"ws://{address}/socket") as page:
                page.send(json.dumps({"type": "hello"}))
                page.send(json.dumps({"type": "analyze", "on": True}))
                while json.loads(page.recv(timeout=PATIENCE_S))["type"] != "search":
                    pass
                for _ in range(times):
                    process.send_signal(signal.SIGINT)
                    time.sleep(0.05)  # simultaneous signals would be merged
                assert process.wait(PATIENCE_S) in (0, 130)
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
def test_browser_needs_a_display(monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert not has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_display()


def test_page_is_package_data():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["tengen"]
    for path in PAGE.iterdir():
        name = path.relative_to(ROOT / "src" / "tengen").as_posix()
        assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_page_loads_nothing_from_other_hosts():
    for path in PAGE.rglob("*.*"):
        if path.suffix == ".png":
            continue
        addresses = re.findall(r"(?:https?:)?//[a-z][^\s\"'`]*", path.read_text())
        named = ("www.w3.org", "lucide.dev")  # name spaces and the source of the icons
        outside = [found for found in addresses if not any(name in found for name in named)]
        assert [found for found in outside if re.match(r"https?://", found)] == [], path.name


def test_module_imports_exist():
    for path in PAGE.glob("*.js"):
        for name in re.findall(r'from "([^"]+)"', path.read_text()):
            assert (PAGE / name).is_file(), f"{path.name} imports {name}"
