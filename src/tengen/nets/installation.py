"""Installation of KataGo networks: download, import and quantize."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from tengen.nets.files import INT8_SUFFIX, NET_SUFFIX, download_net
from tengen.nets.quantization import quantize_net

CALIBRATION_GAMES = 2
"""Self-play games per board size that calibrate the quantized network."""

OnStage = Callable[[str, float], None]
"""Called with `downloading`, `importing` or `quantizing`, and the share of it that is done."""


def int8_path(net: Path) -> Path:
    """Return the default path of the quantized version of a network."""
    return net.with_name(f"{net.stem}{INT8_SUFFIX}{NET_SUFFIX}")


def install_net(name: str, target: Path, on_stage: OnStage, with_int8: bool = True) -> Path:
    """Download a network and write it to `target`, and its int8 version beside it.

    Return the path of the faster version; raise TengenError if the network cannot be installed.
    """
    from tengen.nets.katago.importer import import_net

    with tempfile.TemporaryDirectory() as scratch:
        source = download_net(name, Path(scratch), lambda share: on_stage("downloading", share))
        on_stage("importing", 0.0)
        import_net(source, target)
    if not with_int8:
        return target
    quantized = int8_path(target)
    on_stage("quantizing", 0.0)
    quantize_net(
        target,
        quantized,
        CALIBRATION_GAMES,
        seed=1,
        on_progress=lambda share: on_stage("quantizing", share),
    )
    return quantized
