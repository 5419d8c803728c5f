"""KataGo's command-line flags, for tools that start Tengen as if it were KataGo."""

import argparse
import hashlib
import sys
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.core.folders import cache_folder
from tengen.engine.katago_settings import Translated, parse_overrides, read_config, translate

MODELS = (".bin.gz", ".txt.gz", ".bin", ".txt")
"""How the names of KataGo's nets end."""
DIGITS = 16


def add_katago_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that KataGo has, written with one dash as there."""
    group = parser.add_argument_group(
        "for tools made for KataGo",
        "What Tengen knows of it is used, the rest is named on stderr.",
    )
    group.add_argument(
        "-model", metavar="FILE", help="a net: KataGo's .bin.gz (brought in) or an .onnx file"
    )
    group.add_argument(
        "-config",
        dest="config_of_katago",
        action="append",
        default=[],
        metavar="FILE",
        help="a config file of KataGo's",
    )
    group.add_argument(
        "-override-config",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="settings by KataGo's names",
    )
    group.add_argument("-human-model", metavar="FILE", help="not used")


def katago_settings(arguments: argparse.Namespace) -> Translated:
    """Return what KataGo's flags come to, and say on stderr what is not used.

    Raise TengenError for files that cannot be read and values that make no sense.
    """
    values: dict[str, str] = {}
    for path in arguments.config_of_katago:
        values |= read_config(path)
    for text in arguments.override_config:
        values |= parse_overrides(text)
    found = translate(values)
    if arguments.model is not None:
        found.words.append(f"play.net={bring_in(Path(arguments.model))}")
    unused = [*found.unknown, *(["-human-model"] if arguments.human_model else [])]
    if unused:
        tell(f"not used, KataGo's alone: {', '.join(unused)}")
    return found


def tell(message: str) -> None:
    """Say something on stderr; stdout is for the protocol."""
    print(f"tengen: {message}", file=sys.stderr, flush=True)


def bring_in(model: Path) -> Path:
    """Return the net of a file; one of KataGo's is brought in once, and found again after that.

    Raise TengenError if there is no such file or it is no net.
    """
    if not model.name.endswith(MODELS):
        from tengen.engine.net import net_path
        from tengen.engine.opinion import named_net

        named_net(str(model))
        return net_path(str(model))
    from tengen.network.katago.importer import import_net

    target = cache_folder() / "nets" / f"{_digest(model)}.onnx"
    if not target.is_file():
        tell(f"bringing in {model.name}, once")
        target.parent.mkdir(parents=True, exist_ok=True)
        import_net(model, target)
    return target


def _digest(path: Path) -> str:
    """Return a name for what is in a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]
    except OSError as error:
        raise TengenError(f"cannot read the net {path}: {error.strerror}") from None
