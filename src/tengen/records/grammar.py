"""The SGF grammar, read so that as much as possible is saved.

`scan` turns decoded text into trees, one game at a time. Well-formed records go through one
regular expression match a property; where that fails, a repair is looked for, and every repair
and every loss is reported. All repairs go forward only, so that the time is linear in the text,
and the tree is built without recursion, so that its depth is of no concern.
"""

import re
from collections.abc import Iterator

from tengen.records.tree import Node
from tengen.records.warning import Problems, WarningKind

_NAME = (
    r"(?:[A-Z][A-Za-z]*+"
    r"|(?:[bwcn]|a[bwe]|sz|km|ha|re|p[bwcl]|[bw]r|ff|gm|ca|dt|ev|ru|tm)(?![A-Za-z]))"
)
"""Capitals, or the long names of FF[1] to FF[3]; of small letters only names that are in use,
for other words before a bracket are text."""
_VALUE_TEXT = r"[^\\\]]*+(?:\\.[^\\\]]*+)*+"
_TOKEN = re.compile(
    rf"""\s*+ (?:
        (;?+) \s*+ ({_NAME}) \s*+ \[ ({_VALUE_TEXT}) \]  # a property and its first value
        ((?: \s*+ \[ {_VALUE_TEXT} \] )*+)                  # its further values
        | ([;()])
    )""",
    re.VERBOSE | re.DOTALL,
)
_VALUE = re.compile(rf"\[({_VALUE_TEXT})\]", re.DOTALL)
_STRAY_VALUE = re.compile(rf"\s*+\[({_VALUE_TEXT})\]", re.DOTALL)
_UNCLOSED = re.compile(rf"\s*+(;?+)\s*+({_NAME})?+\s*+\[")
_TOKEN_START = re.compile(rf"[;()\[]|(?<![A-Za-z]){_NAME}\s*+\[")
_END_OF_LONG_VALUE = re.compile(
    r"(?<!\\)\]\s*+(?=[;()\[]|[A-Z]{1,3}\s*+\[|\Z)|(?P<other>[;(]\s*+[A-Z]{1,2}\s*+\[|\(\s*+;)"
)
_CONTINUED = re.compile(r"\s*+;\s*+(?!(?:FF|GM|SZ|CA)\s*+\[)[A-Z]{1,2}\s*+\[")
_START = re.compile(
    r"\(\s*+;|\(\s*+(?=[A-Z]{1,2}\s*+\[)|;\s*+(?=(?:B|W|AB|AW|FF|GM|SZ)\s*+\[)", re.DOTALL
)
_POINT_VALUE = re.compile(r"\s*([A-Za-z]{2}(?::[A-Za-z]{2})?)?\s*(?=[;(\[]|[A-Z]+\[)")

_ROOT_ONLY = frozenset(("FF", "GM", "SZ", "CA"))
_POINT_NAMES = frozenset(("B", "W", "AB", "AW", "AE"))
_LISTS = _POINT_NAMES | {"AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW"}
"""Properties with many values: old programs repeat the name before each."""
_SNIPPET = 30
_BLANK = " \t\r\n\f\v\x00\x1a\ufeff"


def scan(text: str, problems: Problems) -> Iterator[Node]:
    """Yield the root of each game in `text`, in order, and report what had to be repaired.

    The problems of a game, and of what lies before it, are reported when it is yielded.
    """
    return _Scanner(text, problems).games()


class _Scanner:
    """Where the reading stands: the position in the text and the branch of the tree."""

    def __init__(self, text: str, problems: Problems):
        self.text = text
        self.problems = problems
        self.position = 0
        self._begin(Node())
        self.barren_until = 0  # no end of a long value lies before this

    # Games

    def games(self) -> Iterator[Node]:
        """Yield the roots of all games."""
        while self._find_start():
            yield self._read_game()
            while self.next_root is not None:
                self._begin(self.next_root)
                yield self._read_game()

    def _find_start(self) -> bool:
        """Go to the next game and report what is skipped; return False if there is none."""
        match = _START.search(self.text, self.position)
        end = match.start() if match else len(self.text)
        self._report_junk(self.position, end, " outside a game")
        self.position = match.end() if match else end
        if match is None:
            return False
        if not match[0].startswith("("):
            self._report(WarningKind.PARENTHESES, match.start(), "missing ( before a game")
        elif not match[0].endswith(";"):
            self._report(WarningKind.PROPERTY, match.end(), "missing ; before the first node")
        self._begin(Node(offset=match.start()))
        return True

    def _begin(self, root: Node) -> None:
        self.root = self.node = root  # properties belong to the last node
        self.parents = [root]  # what each closing parenthesis returns to
        self.is_node_open = True  # whether properties may follow: no parenthesis came since
        self.is_branch_open = False  # whether an opening parenthesis came just before
        self.branch: Node | None = None  # the last node, if it opened a variation
        self.name = ""  # of the last property
        self.values: list[str] = []  # and its values; empty if it was not the last token
        self.next_root: Node | None = None  # the start of a game found inside this one

    def _read_game(self) -> Node:
        """Read to the end of the game that has begun; return its root."""
        root = self.root
        match, text = _TOKEN.match, self.text
        while self.parents and self.next_root is None:
            token = match(text, self.position)
            if token is None:
                if not self._repair():
                    break
                continue
            self.position = token.end()
            if token.lastindex == 5:
                self._delimiter(token[5], token.start(5))
            else:
                self._property(token)
        self.problems.add_encoding(self.position)
        return root

    # Tokens

    def _property(self, token: re.Match[str]) -> None:
        mark, name, value, more, _ = token.groups()
        index = token.start(1)
        if mark:
            self._new_node(index)
        elif not self.is_node_open:
            self._report(WarningKind.PROPERTY, index, f"{name} outside a node: made one")
            self._new_node(index)
        if not name.isupper():
            name = self._short_name(name, index)
        if len(value) > 2 and name in _POINT_NAMES:
            value, more = self._cut_value(value, more, token.start(3))
        self._store(name, [value, *_VALUE.findall(more)] if more else [value], index)

    def _short_name(self, name: str, index: int) -> str:
        """Return the capitals of a long name; a name without any is taken as capitals."""
        capitals = "".join(letter for letter in name if letter.isupper())
        if not capitals:
            self._report(WarningKind.PROPERTY, index, f"property {name} in small letters")
        return capitals or name.upper()

    def _store(self, name: str, values: list[str], index: int) -> None:
        properties = self.node.properties
        if name in properties:
            if name not in _LISTS or name in ("B", "W"):
                self._report(WarningKind.PROPERTY, index, f"{name} more than once in a node")
            properties[name] += values
        else:
            properties[name] = values
        self.name, self.values = name, properties[name]
        if name in _ROOT_ONLY and self.branch is self.node:
            self._split_off(index)

    def _new_node(self, index: int) -> None:
        node = Node(offset=index)
        self.node.children.append(node)
        self.node = node
        self.branch = node if self.is_branch_open else None
        self.is_branch_open = False
        self.is_node_open = True
        self.values = []

    def _delimiter(self, delimiter: str, index: int) -> None:
        if delimiter == ";":
            self._new_node(index)
            return
        if self.is_branch_open:
            self._report(WarningKind.PARENTHESES, index, "( without a node after it")
        self.is_branch_open = delimiter == "("
        self.is_node_open = False
        self.values = []
        if delimiter == "(":
            self.parents.append(self.node)
        else:
            self._close(index)

    def _close(self, index: int) -> None:
        """Go back to where the parenthesis opened, unless the game plainly goes on."""
        last = self.node
        self.node = self.parents.pop()
        if not self.parents and _CONTINUED.match(self.text, self.position):
            self._report(WarningKind.PARENTHESES, index, ") too early: the game goes on")
            self.node = last
            self.parents = [self.root]

    # Repairs

    def _split_off(self, index: int) -> None:
        """Let a variation that opens with root properties be a game of its own."""
        self._report(WarningKind.PARENTHESES, index, "missing ) before the next game")
        self.parents[-1].children.pop()
        self.next_root = self.node

    def _repair(self) -> bool:
        """Deal with what is no token at the position; return False at the end of the text."""
        if self._extend_value() or self._take_stray_value():
            return True
        if self._take_unclosed_value():
            return False
        start = _TOKEN_START.search(self.text, self.position)
        end = start.start() if start else len(self.text)
        self._report_junk(self.position, end)
        self.position = end
        if start is None:
            self._report(WarningKind.TRUNCATED, end, f"missing {')' * min(len(self.parents), 9)}")
        return start is not None

    def _extend_value(self) -> bool:
        """Take a bracket that was not escaped, and what follows it, into a text value."""
        if not self.values or self.name in _POINT_NAMES or self.position >= len(self.text):
            return False
        end = _END_OF_LONG_VALUE.search(self.text, max(self.position, self.barren_until))
        if end is None:
            self.barren_until = len(self.text)
            return False
        if end["other"] is not None:
            return False
        self._report(WarningKind.BRACKETS, self.position - 1, f"] in {self.name} not escaped")
        inside = _escape_brackets(self.text[self.position : end.start()])
        self.values[-1] += "\\]" + inside
        self.position = end.start() + 1
        return True

    def _take_stray_value(self) -> bool:
        """Take a value without a name as one more value of the last property."""
        stray = _STRAY_VALUE.match(self.text, self.position)
        if stray is None:
            return False
        if self.values:
            self._report(WarningKind.PROPERTY, stray.start(1), f"taken as a value of {self.name}")
            self.values.append(stray[1])
        else:
            self._report_junk(self.position, stray.end())
        self.position = stray.end()
        return True

    def _take_unclosed_value(self) -> bool:
        """Take the rest of the text as the last value if its bracket never closes."""
        unclosed = _UNCLOSED.match(self.text, self.position)
        if unclosed is None:
            return False
        rest = self.text[unclosed.end() :].rstrip()
        self._report(WarningKind.TRUNCATED, unclosed.end(), f"missing ] after {_snippet(rest)}")
        self.position = len(self.text)
        if unclosed[1] or (unclosed[2] and not self.is_node_open):
            self._new_node(unclosed.start(1))
        name = self._short_name(unclosed[2], unclosed.start(2)) if unclosed[2] else self.name
        if name in _POINT_NAMES and not re.fullmatch("[A-Za-z]{2}", rest):
            return True
        if unclosed[2]:
            self._store(name, [_escape_brackets(rest)], unclosed.start(2))
        else:
            self.values.append(_escape_brackets(rest))
        return True

    def _cut_value(self, value: str, more: str, index: int) -> tuple[str, str]:
        """End a point where its missing bracket should be, and read on from there."""
        cut = _POINT_VALUE.match(value)
        if cut is None:
            return value, more
        self._report(WarningKind.BRACKETS, index, f"missing ] after {_snippet(cut[0])}")
        self.position = index + cut.end()
        return cut[1] or "", ""

    # Reports

    def _report(self, kind: WarningKind, index: int, reason: str) -> None:
        self.problems.add(kind, index, reason)

    def _report_junk(self, start: int, end: int, where: str = "") -> None:
        """Report a stretch of text as skipped, unless it is blank."""
        junk = self.text[start:end]
        content = junk.strip(_BLANK)
        if content:
            index = start + len(junk) - len(junk.lstrip(_BLANK))
            self._report(WarningKind.JUNK, index, f"skipped {_snippet(content)}{where}")


def _escape_brackets(text: str) -> str:
    """Escape what would end a value: bare brackets, and a backslash at the end."""
    return re.sub(r"\\.|\]|\\\Z", _escape, text, flags=re.DOTALL)


def _escape(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) == 2 else "\\" + match[0]


def _snippet(text: str) -> str:
    """Show the start of a text, on one line, and how long it is."""
    if len(text) <= _SNIPPET:
        return repr(text)
    return f"{text[:_SNIPPET]!r}... ({len(text)} characters)"
