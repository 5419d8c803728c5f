"""Where nets are kept, and how one is found by its name."""

import os
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.core.folders import data_folder
from tengen.network.katago.wheels import NETS

SUFFIX = ".onnx"
EIGHT_BITS = "-int8"
"""Ends the name of a net that was written in eight bits."""
SHIPPED = Path(__file__).resolve().parent / "nets"
"""The nets that come with the package."""


def net_folder() -> Path:
    """Return the folder of the user's nets; it need not exist.

    `TENGEN_NET_DIR` names it, else it is `tengen/nets` in the user's data folder.
    """
    if named := os.environ.get("TENGEN_NET_DIR"):
        return Path(named).expanduser()
    return data_folder() / "nets"


def known_nets() -> dict[str, Path]:
    """Return the files of all nets by name: the user's, and those that come with the package.

    Of two with the same name that of the package counts, as it does for `net=default`.
    """
    found: dict[str, Path] = {}
    for folder in (net_folder(), SHIPPED):
        found |= {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return found


def is_net_file(name: str) -> bool:
    """Tell whether this is the path of a net and not a name."""
    return Path(name).suffix == SUFFIX or os.sep in name


def find_net(name: str) -> Path:
    """Return the file of a net, by its path or its name; raise TengenError if there is none.

    A beginning of a name is enough if only one net has it.
    """
    if is_net_file(name):
        return Path(name)
    nets = known_nets()
    if name in nets:
        return nets[name]
    alike = [path for known, path in nets.items() if known.startswith(name)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise TengenError(f"net {name!r} may be {', '.join(path.stem for path in alike)}")
    if (wanted := name.removesuffix(EIGHT_BITS)) in NETS:
        raise TengenError(f"no net {name!r} yet: `tengen net get {wanted}` brings it")
    if Path(name).is_file():
        raise TengenError(f"{name} is no {SUFFIX} file; `tengen net import` reads KataGo's .bin.gz")
    raise TengenError(f"no net {name!r}: `tengen net list` shows those there are")
