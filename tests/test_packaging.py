"""The conda recipe and the Dockerfile agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import tengen

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_version_is_the_same_everywhere():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    citation = (ROOT / "CITATION.cff").read_text()
    assert PROJECT["version"] == tengen.__version__
    assert f'version = "{tengen.__version__}"' in recipe
    assert f"version: {tengen.__version__}\n" in citation


def test_conda_recipe_requires_the_same_packages():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    section = recipe.partition("  run:\n")[2].partition("  run_constrained:\n")[0]
    required = re.findall(r"- ([\w-]+) >=([\d.]+)", section)
    declared = [tuple(line.split(">=")) for line in PROJECT["dependencies"]]
    assert required == [("python", "3.11"), *declared]


def test_docker_image_copies_what_the_build_reads():
    dockerfile = (ROOT / "Dockerfile").read_text()
    for name in (PROJECT["readme"], *PROJECT["license-files"], "pyproject.toml", "src"):
        assert name in dockerfile
        assert f"!{name}\n" in (ROOT / ".dockerignore").read_text()
    assert "\nUSER tengen\n" in dockerfile
    assert "\nHEALTHCHECK " in dockerfile
