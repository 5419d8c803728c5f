"""Network files: the folders they are in, finding one by name, and downloading."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tengen.util.errors import TengenError
from tengen.util.paths import data_dir

NET_SUFFIX = ".onnx"
INT8_SUFFIX = "-int8"
"""Ends the name of a quantized network."""
BUNDLED_FOLDER = Path(__file__).resolve().parent / "bundled"
PACKAGE = "katrain"
"""Package on PyPI whose wheels contain KataGo networks."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class DownloadableNet:
    """A network inside a wheel."""

    release: str
    """Version of the package."""
    file: str
    sha256: str
    meaning: str


DOWNLOADABLE_NETS = {
    "b15c192": DownloadableNet(
        "1.13.0",
        "g170e-b15c192-s1672170752-d466197061.bin.gz",
        "1579a64e6190c3a8d73eeb96feb4dee1879f9e5e114279b15d6c56dbab3b0f78",
        "15 blocks of 192 channels, 37 MB: strong, slow on a CPU",
    ),
    "b18c384nbt": DownloadableNet(
        "1.17.1",
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


def find_net(name: str) -> Path:
    """Return the file of a network by path, name or unique prefix; raise TengenError."""
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


def download_net(name: str, folder: Path, report: Report) -> Path:
    """Download a KataGo network into a folder and return its path.

    pip downloads the wheel, so pip's configuration selects the package index; the network is
    extracted and checked against its known hash. Raise TengenError if any of this fails.
    """
    if name not in DOWNLOADABLE_NETS:
        raise TengenError(f"cannot download {name!r}: choose from {', '.join(DOWNLOADABLE_NETS)}")
    net = DOWNLOADABLE_NETS[name]
    with tempfile.TemporaryDirectory() as scratch:
        report(f"downloading {PACKAGE} {net.release} with pip")
        _download(net.release, Path(scratch))
        content = _extract(Path(scratch), net.file)
    report("checking the hash")
    if hashlib.sha256(content).hexdigest() != net.sha256:
        raise TengenError(f"{net.file} in {PACKAGE} {net.release} has an unexpected SHA-256")
    target = folder / net.file
    target.write_bytes(content)
    return target


def _download(release: str, folder: Path) -> None:
    """Download one wheel into a folder with pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), f"{PACKAGE}=={release}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR")]
        reasons = errors or lines or [f"pip exited with {done.returncode}"]
        raise TengenError(f"cannot download {PACKAGE} {release}: {reasons[-1]}")


def _extract(folder: Path, name: str) -> bytes:
    """Return a file from the only wheel in a folder."""
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith(f"/{name}"):
                    return archive.read(member)
    raise TengenError(f"the wheel of {PACKAGE} has no {name}")
