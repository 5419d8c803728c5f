"""Optional dependencies are declared in pyproject.toml and named when they are missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tengen.util import DISTRIBUTION, EXTRA_OF, missing_extra

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())[
    "project"
]
MASKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {modules}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run_without_extras(code):
    """Run code in a Python in which no optional module can be imported."""
    masked = MASKED.format(modules=repr(sorted(EXTRA_OF)))
    return subprocess.run([sys.executable, "-c", masked + code], capture_output=True, text=True)


def test_extras_declare_the_modules():
    extras = PROJECT["optional-dependencies"]
    assert PROJECT["name"] == DISTRIBUTION
    for module, extra in EXTRA_OF.items():
        if module != "dask":  # a dependency of distributed
            assert any(line.startswith(f"{module}>") for line in extras[extra])
            assert not any(line.startswith(f"{module}>") for line in PROJECT["dependencies"])


def test_other_modules_have_no_extra():
    assert missing_extra(ModuleNotFoundError(name="numpy")) is None
    assert missing_extra(ModuleNotFoundError("no name")) is None
    error = ModuleNotFoundError(name="scipy.sparse")
    assert missing_extra(error) == "scipy is not installed: run pip install 'tengen-go[lab]'"


@pytest.mark.parametrize(
    ("words", "module"),
    [(["tune", "--help"], "matplotlib"), (["net", "get", "b15c192", "-o", "x.onnx"], "onnx")],
)
def test_command_line_names_the_extra(words, module):
    code = f"sys.argv[1:] = {words!r}\nfrom tengen.cli.main import entry\nentry()"
    done = run_without_extras(code)
    assert done.returncode == 2
    command = f"pip install 'tengen-go[{EXTRA_OF[module]}]'"
    assert done.stderr == f"tengen: {module} is not installed: run {command}\n"


def test_players_need_no_extra():
    """The page, GTP, the JSON protocol, reviews, matches and pictures import without extras."""
    done = run_without_extras(
        "import tengen.web.app, tengen.protocols.gtp.session, tengen.protocols.analysis.server\n"
        "import tengen.review.review, tengen.review.folder, tengen.match.runner, tengen.api\n"
        "import tengen.nets.onnx_model, tengen.nets.tengen_net\n"
        "from tengen.match.report import html_page\n"
        "from tengen.match.results import MatchResults\n"
        "print('tengen-go[lab]' in html_page(MatchResults('none', [], [])))"
    )
    assert done.stdout == "True\n", done.stderr
