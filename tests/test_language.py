"""Spelling and wording of documentation, docstrings, comments and messages."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
BRITISH = (
    r"analys(?:e|ed|es|ing|er)|behaviours?|cancell(?:ed|ing)|centre[sd]?|colour\w*|defence"
    r"|favour\w*|grey|honour\w*|labell\w+|licence|modell\w+|neighbour\w*|towards"
    r"|(?:initial|normal|optim|organ|quant|recogn|serial|summar)is(?:e|ed|es|ing|ation)"
)
PERSONIFIED = r"tell|tells|told|say|says|said|hear|hears|heard|whoever"
QUOTED = {
    "main.py": {"analyse", "quantise"},  # former names of commands
    "genmove.py": {"cancelled"},  # KataGo's reply
}


def words(pattern, text):
    """Return the words that match outside of code spans and code blocks."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    return re.findall(rf"\b(?:{pattern})\b", prose, re.I)


def prose_of(path):
    """Return the comments and strings of a module."""
    with path.open(encoding="utf-8") as file:
        tokens = list(tokenize.generate_tokens(io.StringIO(file.read()).readline))
    kinds = {tokenize.COMMENT, tokenize.STRING}
    return "\n".join(token.string for token in tokens if token.type in kinds)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_use_american_spelling_and_no_personification(path):
    assert words(f"{BRITISH}|{PERSONIFIED}", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("package", sorted({path.parent for path in SOURCES}), ids=lambda p: p.name)
def test_sources_use_american_spelling_and_no_personification(package):
    for path in package.glob("*.py"):
        found = set(words(f"{BRITISH}|{PERSONIFIED}", prose_of(path)))
        assert found - QUOTED.get(path.name, set()) == set(), path
