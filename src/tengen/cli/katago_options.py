"""KataGo's command-line options, for programs that start Tengen in place of KataGo."""

import argparse
import hashlib
import sys
from pathlib import Path

from tengen.engine import TranslatedSettings, parse_overrides, read_config, translate
from tengen.util import TengenError, cache_dir

MODEL_SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt")
DIGEST_LENGTH = 16


def add_katago_options(parser: argparse.ArgumentParser) -> None:
    """Add KataGo's options, spelled with one dash."""
    group = parser.add_argument_group(
        "KataGo options",
        "For programs written for KataGo. Unsupported settings are listed on stderr.",
    )
    group.add_argument(
        "-model",
        metavar="FILE",
        help="network: a KataGo .bin.gz file (converted once) or an .onnx file",
    )
    group.add_argument(
        "-config",
        dest="config_of_katago",
        action="append",
        default=[],
        metavar="FILE",
        help="KataGo config file",
    )
    group.add_argument(
        "-override-config",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="KataGo settings",
    )
    group.add_argument("-human-model", metavar="FILE", help="ignored")


def katago_settings(arguments: argparse.Namespace) -> TranslatedSettings:
    """Translate KataGo's options and print the unsupported ones to stderr.

    Raise TengenError for unreadable files and invalid values.
    """
    values: dict[str, str] = {}
    for path in arguments.config_of_katago:
        values |= read_config(path)
    for text in arguments.override_config:
        values |= parse_overrides(text)
    found = translate(values)
    if arguments.model is not None:
        found.overrides.append(f"play.net={import_model(Path(arguments.model))}")
    unused = [*found.unknown, *(["-human-model"] if arguments.human_model else [])]
    if unused:
        warn(f"ignored KataGo settings: {', '.join(unused)}")
    return found


def warn(message: str) -> None:
    """Print a warning to stderr; stdout is for the protocol."""
    print(f"tengen: {message}", file=sys.stderr, flush=True)


def import_model(model: Path) -> Path:
    """Return the path of a network; a KataGo file is converted once and then cached.

    Raise TengenError if the file is missing or not a network.
    """
    if not model.name.endswith(MODEL_SUFFIXES):
        from tengen.engine import load_named_net, net_path

        load_named_net(str(model))
        return net_path(str(model))
    from tengen.nets.katago import import_net

    target = cache_dir() / "nets" / f"{_digest(model)}.onnx"
    if not target.is_file():
        warn(f"converting {model.name} (once)")
        target.parent.mkdir(parents=True, exist_ok=True)
        import_net(model, target)
    return target


def _digest(path: Path) -> str:
    """Return a digest of a file's content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:DIGEST_LENGTH]
    except OSError as error:
        raise TengenError(f"cannot read the network {path}: {error.strerror}") from None
