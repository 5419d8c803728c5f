"""KataGo nets that come inside wheels of `katrain`, a program on the Python package index.

The wheel is got by pip, so that pip's own settings say from where; only the net is taken out of
it, and its hash must be the one it had when this list was made.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tengen.core.errors import TengenError

PACKAGE = "katrain"
Report = Callable[[str], None]


@dataclass(frozen=True)
class WheelNet:
    """A net inside a wheel."""

    release: str
    """The version of the package."""
    file: str
    sha256: str
    meaning: str


NETS = {
    "b15c192": WheelNet(
        "1.13.0",
        "g170e-b15c192-s1672170752-d466197061.bin.gz",
        "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78",
        "15 blocks of 192 channels, 37 MB: strong, slow without a graphics card",
    ),
    "b18c384nbt": WheelNet(
        "1.17.1",
        "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d",
        "18 nested bottleneck blocks of 384 channels, 98 MB: very strong, very slow",
    ),
}


def get_net(name: str, folder: Path, report: Report) -> Path:
    """Bring the file of a net into a folder and return its path; `report` hears what is done.

    Raise TengenError if there is no such net, pip cannot get it, or it is not what it should be.
    """
    if name not in NETS:
        raise TengenError(f"no net {name!r} to get: there are {', '.join(NETS)}")
    net = NETS[name]
    with tempfile.TemporaryDirectory() as scratch:
        report(f"getting {PACKAGE} {net.release} with pip")
        _download(net.release, Path(scratch))
        content = _take_out(Path(scratch), net.file)
    report("checking its hash")
    if hashlib.sha256(content).hexdigest() != net.sha256:
        raise TengenError(f"{net.file} in {PACKAGE} {net.release} is not the file it should be")
    target = folder / net.file
    target.write_bytes(content)
    return target


def _download(release: str, folder: Path) -> None:
    """Let pip bring one wheel into a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), f"{PACKAGE}=={release}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR")]
        reasons = errors or lines or [f"pip ended with {done.returncode}"]
        raise TengenError(f"cannot get {PACKAGE} {release}: {reasons[-1]}")


def _take_out(folder: Path, name: str) -> bytes:
    """Return a file out of the only wheel in a folder."""
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith(f"/{name}"):
                    return archive.read(member)
    raise TengenError(f"the wheel of {PACKAGE} has no {name}")
