"""Reading TOML files."""

import os
import tomllib
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the table of a TOML file; raise TengenError if there is none or it is not valid."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TengenError(f"no such file: {path}") from None
    except OSError as error:
        raise TengenError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TengenError(f"{path} is not valid TOML: {error}") from None
