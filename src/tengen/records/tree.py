"""The tree of a record: nodes with their properties, as they stood in the file."""

from collections.abc import Iterator

from sgfmill import sgf_grammar

_NEEDS_CARE = frozenset("\\\n\r\t\f\v")


class Node:
    """One node: raw property values, the nodes that follow, and where it stood.

    Values are raw: escapes are still in them. The first child continues the main line, the
    others are variations. `offset` counts characters of the decoded file.
    """

    __slots__ = ("properties", "children", "offset")

    def __init__(self, properties: dict[str, list[str]] | None = None, offset: int = 0):
        self.properties: dict[str, list[str]] = {} if properties is None else properties
        self.children: list[Node] = []
        self.offset = offset

    def text(self, name: str) -> str | None:
        """Return the first value of a property as plain text, or None if there is none."""
        values = self.properties.get(name)
        return None if not values else plain_text(values[0])

    @property
    def comment(self) -> str:
        """All that C says as plain text: some programs write it twice."""
        return "\n".join(map(plain_text, self.properties.get("C", ())))

    def set_text(self, name: str, text: str) -> None:
        """Set a property to one plain text; whatever it held before is gone."""
        self.properties[name] = [escaped_text(text)]

    def add_child(self, node: "Node") -> "Node":
        """Append a node after this one and return it."""
        self.children.append(node)
        return node

    def main_line(self) -> Iterator["Node"]:
        """Walk from here down the first children."""
        node = self
        yield node
        while node.children:
            node = node.children[0]
            yield node

    def walk(self) -> Iterator["Node"]:
        """Walk all nodes from here, each before its children, first children first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def __reduce__(self) -> tuple[object, ...]:
        """Let pickles and copies be flat: the usual way would recurse once a move."""
        flat = [(node.properties, node.offset, len(node.children)) for node in self.walk()]
        return _rebuild, (flat,)

    def __repr__(self) -> str:
        return f"Node({self.properties}, {len(self.children)} children)"


def _rebuild(flat: list[tuple[dict[str, list[str]], int, int]]) -> Node:
    """Return the tree whose nodes were listed in the order of `walk`."""
    top = Node()
    unfinished = [(top, 1)]
    for properties, offset, children in flat:
        parent, left = unfinished.pop()
        node = parent.add_child(Node(properties, offset))
        if left > 1:
            unfinished.append((parent, left - 1))
        if children:
            unfinished.append((node, children))
    return top.children[0]


def plain_text(value: str) -> str:
    """Return what a raw value says: without escapes, line breaks as `\\n`."""
    if _NEEDS_CARE.isdisjoint(value):
        return value
    data = value.encode("utf-8", "surrogatepass")
    return str(sgf_grammar.text_value(data).decode("utf-8", "surrogatepass"))


def escaped_text(text: str) -> str:
    """Return the raw value that says `text`."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
