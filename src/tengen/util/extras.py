"""Optional dependencies: which extra installs them, and how to install it."""

DISTRIBUTION = "tengen-go"
"""The name of Tengen on the Python package index; the package and the command are `tengen`."""
EXTRA_OF = {
    "onnx": "nets",
    "matplotlib": "lab",
    "scipy": "lab",
    "torch": "train",
    "pyarrow": "parquet",
    "dask": "cluster",
    "distributed": "cluster",
}
"""Optional modules and the extra that installs them."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra, here or from the package index."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return how to install the module that was not found, or None if it is not optional."""
    module = (error.name or "").partition(".")[0]
    if module not in EXTRA_OF:
        return None
    return f"{module} is not installed: run {install_command(EXTRA_OF[module])}"
