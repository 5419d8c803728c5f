"""Small things about words."""


def sentence(text: str) -> str:
    """Return a help text as a sentence; names in it keep their capitals."""
    closed = text if text.endswith((".", "?")) else f"{text}."
    return f"{closed[0].upper()}{closed[1:]}"
