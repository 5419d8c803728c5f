"""The message catalogs: complete, with the same placeholders, and every key in use."""

import json
import re

import pytest

from tengen.web.app import PAGE

CATALOGS = {path.stem: json.loads(path.read_text()) for path in PAGE.glob("languages/*.json")}
SCRIPTS = {path.name: path.read_text() for path in PAGE.glob("*.js")}
PLURAL_FORMS = {"de": {"one", "other"}, "en": {"one", "other"}, "fr": {"one", "other"}}
"""Plural forms of a language; Chinese, Japanese and Korean have only `other`."""


def texts(catalog):
    """Return the plural forms of every key, `other` alone where there is one text."""
    return {
        f"{group}.{name}": text if isinstance(text, dict) else {"other": text}
        for group, entries in catalog.items()
        for name, text in entries.items()
    }


def placeholders(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


def test_every_language_has_a_catalog():
    source = SCRIPTS["translation.js"]
    listed = re.search(r"LANGUAGES = \{(.*?)\}", source, re.DOTALL)[1]
    codes = {quoted or plain for quoted, plain in re.findall(r'(?:"([\w-]+)"|(\w+)): ', listed)}
    assert codes == set(CATALOGS)


@pytest.mark.parametrize("code", CATALOGS)
def test_catalogs_have_the_same_keys_and_placeholders(code):
    english, own = texts(CATALOGS["en"]), texts(CATALOGS[code])
    assert own.keys() == english.keys()
    for key, forms in own.items():
        is_plural = len(english[key]) > 1
        wanted = PLURAL_FORMS.get(code, {"other"}) if is_plural else {"other"}
        assert forms.keys() == wanted, key
        for text in forms.values():
            assert text.strip(), key
            missing = set(placeholders(english[key]["other"])) - set(placeholders(text))
            assert missing <= {"count"}, key
            assert set(placeholders(text)) <= set(placeholders(english[key]["other"])), key


def test_every_key_exists_and_is_used():
    used = {
        key
        for name, source in SCRIPTS.items()
        if name != "translation.js"
        for key in re.findall(r"""["'`]([a-z_]+\.[a-z0-9_]+)["'`]""", source)
    }
    prefixes = tuple(
        prefix
        for source in SCRIPTS.values()
        for prefix in re.findall(r"\bt\(`([a-z_]+\.[a-z0-9_]*)\$\{", source)
    )
    called = {
        key
        for source in SCRIPTS.values()
        for key in re.findall(r"""\bt\(["']([^"']+)["']""", source)
    } - {"group.key"}
    known = texts(CATALOGS["en"]).keys()
    assert called <= known
    unused = {key for key in known - used if not key.startswith(prefixes or ("\0",))}
    assert not unused - {"common.black", "common.white", "common.cancel", "common.language"}
