"""The SGF grammar: a parser from text to game trees that repairs damaged records.

Well-formed text takes one regular expression match per property. Where the match fails, the parser
tries a repair and reports it. Repairs never go back in the text, so the time is linear in its
length; the tree is built without recursion, so its depth is not limited.
"""

import re
from collections.abc import Iterator

from tengen.records.tree import PLAIN_LINE, RAW_VALUE, Node
from tengen.records.warning import WarningCollector, WarningKind

_NAME = (
    r"(?:[a-z]*+[A-Z][A-Za-z]*+"
    r"|(?:[bwcn]|a[bwe]|sz|km|ha|re|p[bwcl]|[bw]r|ff|gm|ca|dt|ev|ru|tm)(?![A-Za-z]))"
)
"""Capitals, or the long names of FF[1] to FF[3], in which lower-case letters do not count; in lower
case only names in common use, since other words before a bracket are text."""
_TOKEN = re.compile(
    rf"""\s*+ (?:
        (;?+) \s*+ ({_NAME}) \s*+ \[ ({RAW_VALUE}) \]  # a property and its first value
        ((?: \s*+ \[ {RAW_VALUE} \] )*+)                  # its further values
        | ([;()])
    )""",
    re.VERBOSE | re.DOTALL,
)
_BRACKETED_VALUE = re.compile(rf"\[({RAW_VALUE})\]", re.DOTALL)
_STRAY_VALUE = re.compile(rf"\s*+\[({RAW_VALUE})\]", re.DOTALL)
_UNCLOSED_VALUE = re.compile(rf"\s*+(;?+)\s*+({_NAME})?+\s*+\[")
_TOKEN_START = re.compile(rf"[;()\[]|(?<![A-Za-z]){_NAME}\s*+\[")
_EXTENDED_VALUE_END = re.compile(
    r"(?<!\\)\]\s*+(?=[;()\[]|[A-Z]{1,3}\s*+\[|\Z)|(?P<other>[;(]\s*+[A-Z]{1,2}\s*+\[|\(\s*+;)"
)
_NESTED_END = re.compile(r"[^;\[\]]{0,200}\](?=\s*+(?:[;()]|[A-Z]{1,3}\s*+\[|\Z))")
"""The rest of a value after a bracket in it: `GC[a (=6 [points])]`."""
_CONTINUATION = re.compile(r"\s*+;\s*+(?!(?:FF|GM|SZ|CA)\s*+\[)[A-Z]{1,2}\s*+\[")
_GAME_START = re.compile(
    r"\(\s*+;|\(\s*+(?=[A-Z]{1,2}\s*+\[)|;\s*+(?=(?:B|W|AB|AW|FF|GM|SZ)\s*+\[)", re.DOTALL
)
_UNESCAPED_OPENING = re.compile(r"(?<!\\)\[")
_POINT_VALUE = re.compile(r"\s*([A-Za-z]{2}(?::[A-Za-z]{2})?)?\s*(?=[;(\[]|[A-Z]+\[)")

_ROOT_ONLY = frozenset(("FF", "GM", "SZ", "CA"))
_POINT_PROPERTIES = frozenset(("B", "W", "AB", "AW", "AE"))
_LIST_PROPERTIES = _POINT_PROPERTIES | {
    "AR",
    "CR",
    "DD",
    "LB",
    "LN",
    "MA",
    "SL",
    "SQ",
    "TB",
    "TR",
    "TW",
    "VW",
}
"""Properties with several values; old programs repeat the name before each value."""
MAX_NODES = 250_000
"""Nodes of one game; the text after them is not read."""
MAX_VALUES = 2_000
"""Values of one property; a board has 361 points."""
_SNIPPET_CHARACTERS = 30
_BLANKS = " \t\r\n\f\v\x00\x1a\ufeff"


def parse_collection(text: str, warnings: WarningCollector) -> Iterator[Node]:
    """Yield the root node of each game in `text`, in order, and report repairs.

    When a game is yielded, the warnings about it and about the text before it have been added.
    """
    return _Parser(text, warnings).games()


class _Parser:
    """The state of the parser: the position in the text and the current node of the tree."""

    def __init__(self, text: str, warnings: WarningCollector):
        self.text = text
        self.warnings = warnings
        self.position = 0
        self._begin(Node())
        self.extended_end_from = 0  # an extended value cannot end before this position

    # Games

    def games(self) -> Iterator[Node]:
        """Yield the root nodes of all games."""
        while self._find_game():
            yield self._read_game()
            while self.next_root is not None:
                self._begin(self.next_root)
                yield self._read_game()

    def _find_game(self) -> bool:
        """Advance to the next game, reporting skipped text; return False if there is none."""
        match = _GAME_START.search(self.text, self.position)
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
        self.root = self.node = root  # properties are added to the current node
        self.parents = [root]  # the node to return to at each closing parenthesis
        self.is_node_open = True  # whether properties may follow
        self.is_branch_open = False  # whether the last token was an opening parenthesis
        self.branch: Node | None = None  # the current node, if it is the first of a variation
        self.name = ""  # the last property
        self.values: list[str] = []  # its values; empty if it was not the last token
        self.next_root: Node | None = None  # the root of a game found inside this one
        self.node_count = 0
        self.line_parent: Node | None = None  # the parent, if the last token was a line

    def _read_game(self) -> Node:
        """Parse the current game to its end; return its root."""
        root = self.root
        match, text = _TOKEN.match, self.text
        while self.parents and self.next_root is None:
            if line := PLAIN_LINE.match(text, self.position):
                self._add_line(line)
                continue
            token = match(text, self.position)
            if token is None:
                if not self._repair():
                    break
                continue
            self.position = token.end()
            if token.lastindex == 5:
                self._add_delimiter(token[5], token.start(5))
            else:
                self._add_property(token)
        if self.node_count > MAX_NODES:
            self.position = len(text)
        self.warnings.add_encoding_warnings(self.position)
        return root

    # Tokens

    def _add_property(self, token: re.Match[str]) -> None:
        semicolon, name, value, more, _ = token.groups()
        index = token.start(1)
        if semicolon:
            self._new_node(index)
        elif not self.is_node_open:
            self._report(WarningKind.PROPERTY, index, f"{name} outside a node: new node added")
            self._new_node(index)
        if not name.isupper():
            name = self._short_name(name, index)
        if len(value) > 2 and name in _POINT_PROPERTIES:
            value, more = self._cut_value(value, more, token.start(3))
        self._store(name, [value, *_BRACKETED_VALUE.findall(more)] if more else [value], index)

    def _short_name(self, name: str, index: int) -> str:
        """Return the capitals of a long name, or a lower-case name in capitals."""
        capitals = "".join(letter for letter in name if letter.isupper())
        if not capitals:
            self._report(WarningKind.PROPERTY, index, f"property {name} in lower case")
        return capitals or name.upper()

    def _store(self, name: str, values: list[str], index: int) -> None:
        properties = self.node.properties
        if name in properties:
            if name not in _LIST_PROPERTIES or name in ("B", "W"):
                self._report(WarningKind.PROPERTY, index, f"{name} repeated in a node")
            properties[name] += values
        else:
            properties[name] = values
        if len(properties[name]) > MAX_VALUES:
            del properties[name][MAX_VALUES:]
            self._report(WarningKind.VALUE, index, f"more than {MAX_VALUES:,} values of {name}")
        self.name, self.values = name, properties[name]
        if "[" in values[-1] and name not in _POINT_PROPERTIES:
            self._close_nested_bracket()
        if name in _ROOT_ONLY and self.branch is self.node:
            self._split_game(index)

    def _add_line(self, line: re.Match[str]) -> None:
        """Add a line of plain nodes; it stays text if the variation ends after it."""
        if not self._has_room(line[0].count(";")):
            return
        self.position = line.end()
        self.node.add_line(line[0], line.start())
        if self.text.startswith(")", self.position):
            self.line_parent = self.node
        else:
            self.node = _line_end(self.node)
        self.branch = None
        self.is_branch_open = False
        self.is_node_open = True
        self.values = []

    def _has_room(self, count: int) -> bool:
        """Count new nodes; end the game, and return False, if there are too many."""
        self.node_count += count
        if self.node_count <= MAX_NODES:
            return True
        if self.parents:
            reason = f"more than {MAX_NODES:,} nodes: the rest of the file is not read"
            self._report(WarningKind.TRUNCATED, self.position, reason)
        self.parents = []
        return False

    def _new_node(self, index: int) -> None:
        self._has_room(1)
        node = Node(offset=index)
        self.node.children.append(node)
        self.node = node
        self.branch = node if self.is_branch_open else None
        self.is_branch_open = False
        self.is_node_open = True
        self.values = []

    def _add_delimiter(self, delimiter: str, index: int) -> None:
        if delimiter == ";":
            self._new_node(index)
            return
        if self.is_branch_open:
            self._report(WarningKind.PARENTHESES, index, "( not followed by a node")
        self.is_branch_open = delimiter == "("
        self.is_node_open = False
        self.values = []
        if delimiter == "(":
            self.parents.append(self.node)
        else:
            self._close_branch(index)

    def _close_branch(self, index: int) -> None:
        """Return to the node before the parenthesis, unless the game clearly continues."""
        last, self.node = self.node, self.parents.pop()
        line_parent, self.line_parent = self.line_parent, None
        if not self.parents and _CONTINUATION.match(self.text, self.position):
            self._report(WarningKind.PARENTHESES, index, ") too early: the game continues")
            self.node = last if line_parent is None else _line_end(line_parent)
            self.parents = [self.root]

    # Repairs

    def _split_game(self, index: int) -> None:
        """Make a variation that begins with root properties a separate game."""
        self._report(WarningKind.PARENTHESES, index, "missing ) before the next game")
        self.parents[-1].children.pop()
        self.next_root = self.node

    def _repair(self) -> bool:
        """Handle text that is not a token; return False at the end of the text."""
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
        """Append an unescaped bracket, and the text after it, to the last value."""
        if not self.values or self.name in _POINT_PROPERTIES or self.position >= len(self.text):
            return False
        end = _EXTENDED_VALUE_END.search(self.text, max(self.position, self.extended_end_from))
        if end is None:
            self.extended_end_from = len(self.text)
            return False
        if end["other"] is not None:
            return False
        self._report(WarningKind.BRACKETS, self.position - 1, f"] in {self.name} not escaped")
        rest = _escape_brackets(self.text[self.position : end.start()])
        self.values[-1] += "\\]" + rest
        self.position = end.start() + 1
        return True

    def _close_nested_bracket(self) -> None:
        """Extend a value with an opening bracket to the bracket that ends it."""
        value = self.values[-1]
        if _UNESCAPED_OPENING.search(value) is None:
            return
        end = _NESTED_END.match(self.text, self.position)
        if end is not None:
            self._report(WarningKind.BRACKETS, self.position - 1, f"] in {self.name} not escaped")
            self.values[-1] += "\\]" + _escape_brackets(end[0][:-1])
            self.position = end.end()

    def _take_stray_value(self) -> bool:
        """Add a value without a property name to the last property."""
        stray = _STRAY_VALUE.match(self.text, self.position)
        if stray is None:
            return False
        if self.values:
            self._report(WarningKind.PROPERTY, stray.start(1), f"value added to {self.name}")
            if len(self.values) < MAX_VALUES:
                self.values.append(stray[1])
        else:
            self._report_junk(self.position, stray.end())
        self.position = stray.end()
        return True

    def _take_unclosed_value(self) -> bool:
        """Take the rest of the text as the last value if its bracket is never closed."""
        unclosed = _UNCLOSED_VALUE.match(self.text, self.position)
        if unclosed is None:
            return False
        rest = self.text[unclosed.end() :].rstrip()
        self._report(WarningKind.TRUNCATED, unclosed.end(), f"missing ] after {_snippet(rest)}")
        self.position = len(self.text)
        if unclosed[1] or (unclosed[2] and not self.is_node_open):
            self._new_node(unclosed.start(1))
        name = self._short_name(unclosed[2], unclosed.start(2)) if unclosed[2] else self.name
        if name in _POINT_PROPERTIES and not re.fullmatch("[A-Za-z]{2}", rest):
            return True
        if unclosed[2]:
            self._store(name, [_escape_brackets(rest)], unclosed.start(2))
        else:
            self.values.append(_escape_brackets(rest))
        return True

    def _cut_value(self, value: str, more: str, index: int) -> tuple[str, str]:
        """End a point value at its missing bracket and continue parsing there."""
        cut = _POINT_VALUE.match(value)
        if cut is None:
            return value, more
        self._report(WarningKind.BRACKETS, index, f"missing ] after {_snippet(cut[0])}")
        self.position = index + cut.end()
        return cut[1] or "", ""

    # Warnings

    def _report(self, kind: WarningKind, index: int, reason: str) -> None:
        self.warnings.add(kind, index, reason)

    def _report_junk(self, start: int, end: int, where: str = "") -> None:
        """Report skipped text unless it is blank."""
        junk = self.text[start:end]
        content = junk.strip(_BLANKS)
        if content:
            index = start + len(junk) - len(junk.lstrip(_BLANKS))
            self._report(WarningKind.JUNK, index, f"skipped {_snippet(content)}{where}")


def _line_end(node: Node) -> Node:
    """Return the last node of the line that was just added to a node."""
    while children := node.children:
        node = children[-1]
    return node


def _escape_brackets(text: str) -> str:
    """Escape closing brackets and a trailing backslash, which would end the value."""
    return re.sub(r"\\.|\]|\\\Z", _escape, text, flags=re.DOTALL)


def _escape(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) == 2 else "\\" + match[0]


def _snippet(text: str) -> str:
    """Return the beginning of a text on one line, with its length if it is cut."""
    if len(text) <= _SNIPPET_CHARACTERS:
        return repr(text)
    return f"{text[:_SNIPPET_CHARACTERS]!r}... ({len(text)} characters)"
