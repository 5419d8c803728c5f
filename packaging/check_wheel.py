"""Install a wheel into a clean environment, measure the installation and run the smoke test.

python packaging/check_wheel.py dist/*.whl [--python PYTHON]... [--output results/FILE.csv]
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTED_MB = 5
"""Packages smaller than this are counted together."""
FOLDERS = {"pil": "pillow", "pillow.libs": "pillow", "numpy.libs": "numpy"}
"""Folders of packages that have another name."""
MB = 1e6


def size_mb(path: Path) -> float:
    """Return the size of a file or of all files of a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files if not file.is_symlink()) / MB


def package_sizes(environment: Path) -> dict[str, float]:
    """Return the size of each package of an environment without pip and compiled bytecode."""
    # lib64 may be a link to lib.
    (packages,) = {path.resolve() for path in environment.glob("[Ll]ib*/**/site-packages")}
    sizes: dict[str, float] = {}
    for path in packages.iterdir():
        name = path.name.partition("-")[0].lower()
        if name not in ("pip", "setuptools", "pkg_resources", "_distutils_hack"):
            name = FOLDERS.get(name, name)
            sizes[name] = sizes.get(name, 0.0) + size_mb(path)
    return sizes


def check(wheel: Path, python: str, folder: Path) -> dict[str, float]:
    """Install and test a wheel with one Python; return the sizes of the packages."""
    environment = folder / "environment"
    subprocess.run([python, "-m", "venv", "--clear", environment], check=True)
    (inner,) = [*environment.glob("bin/python"), *environment.glob("Scripts/python.exe")]
    install = [inner, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    options = ["--no-compile", "--constraint", ROOT / "constraints.txt"]
    subprocess.run([*install, *options, wheel], check=True)
    sizes = package_sizes(environment)
    subprocess.run([inner, ROOT / "packaging" / "smoke_test.py"], check=True, cwd=folder)
    return sizes


def write_sizes(sizes: dict[str, float], path: Path) -> None:
    """Write the sizes as a results file."""
    large = {name: size for name, size in sizes.items() if size >= LISTED_MB}
    rows = sorted(large.items(), key=lambda row: -row[1])
    rows += [("other packages", sum(sizes.values()) - sum(large.values()))]
    rows += [("total", sum(sizes.values()))]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("# command: make dist\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["package", "megabytes"])
        writer.writerows((name, round(size)) for name, size in rows)


def main() -> None:
    """Check the wheel with every Python given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", help="interpreter (default: this one)")
    parser.add_argument("--output", type=Path, help="results file for the sizes")
    arguments = parser.parse_args()
    for python in arguments.python or [sys.executable]:
        print(f"{arguments.wheel.name} with {python}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            sizes = check(arguments.wheel.resolve(), python, Path(folder))
        print(f"installed size: {sum(sizes.values()):.0f} MB", flush=True)
    if arguments.output is not None:
        write_sizes(sizes, arguments.output)


if __name__ == "__main__":
    main()
