"""Trees of thousands of nodes: only what changes is told, only what can be seen is drawn."""

import pytest
from browser_helpers import missing

if reason := missing():
    pytest.skip(reason, allow_module_level=True)

from web_helpers import large_tree

NODES = 6101
MOST_DRAWN = 800
"""Dots in a frame of this window and around it; far fewer than nodes."""
LISTEN = """
    window.heard = [];
    const {take} = tengen;
    tengen.take = (message) => {
        heard.push([message.type, JSON.stringify(message).length]);
        take.call(tengen, message);
    };
    """
WHOLE = """
    const walk = (id) => {
        const {children, ...about} = tengen.tree.nodes.get(id);
        return [about, ...children.flatMap(walk)];
    };
    return walk(tengen.tree.start());
    """
"""Returns the tree that a page has, nodes with their places, first children first."""
DRAWN = (
    "return [...document.querySelectorAll('.tree .node')].map((dot) => Number(dot.dataset.node))"
)


def is_drawn(node):
    return f"return Boolean(document.querySelector('.tree .node[data-node=\"{node}\"]'))"


def open_large(person):
    person.drop(large_tree())
    person.until(f"return tengen.tree.nodes.size === {NODES}")
    person.until("return document.querySelectorAll('.tree .node').length > 100")


def test_a_move_tells_and_draws_little(person):
    open_large(person)
    assert person.count(".tree .node") < MOST_DRAWN
    person.run(LISTEN)
    person.run("tengen.play('T1')")
    person.until("return tengen.state.move === 1")
    assert person.run("return tengen.tree.nodes.size") == NODES + 1
    current = person.run("return document.querySelector('.tree .current').dataset.node")
    assert current == str(NODES), "the new node is there and shown"
    assert person.count(".tree .node") < MOST_DRAWN
    told = dict(person.run("return heard"))
    assert "tree" not in told
    assert told["growth"] < 300


def test_what_is_scrolled_to_is_drawn(person):
    open_large(person)
    last = person.run(
        "return [...tengen.tree.nodes.values()].reduce((a, b) => b.lane > a.lane ? b : a).id"
    )
    assert last not in person.run(DRAWN)
    person.run("tengen.tree.scrollTo(tengen.tree.nodes.get(arguments[0]))", last)
    person.until(is_drawn(last))
    assert 0 not in person.run(DRAWN), "what is out of view is not"
    person.run("tengen.goTo(arguments[0])", last)
    person.until(
        "return document.querySelector('.tree .current')?.dataset.node === arguments[0]", str(last)
    )
    person.press("2", "1")
    person.until(is_drawn(last))


def test_a_reload_shows_the_tree_as_it_grew(person):
    person.new_game(size="5", colour="both")
    for number, vertex in enumerate(("C3", "B2", "D4"), 1):
        person.play_move(vertex, number)
    for vertex in ("A1", "E5"):
        person.press("u")
        person.until("return tengen.state.move === 2")
        person.play_move(vertex, 3)
    person.run("tengen.send('comment', {node: 3, text: 'why'})")
    person.run("tengen.send('cut', {node: 4})")
    person.until("return tengen.tree.nodes.get(3).hasComment && !tengen.tree.nodes.has(4)")
    grown = person.run(WHOLE)
    assert [node["vertex"] for node in grown] == [None, "C3", "B2", "E5", "D4"]
    person.driver.refresh()
    person.until("return document.body.dataset.ready === ''")
    assert person.run(WHOLE) == grown


def test_a_page_with_another_tree_is_told_all_of_it(person):
    person.new_game(size="5", colour="both")
    person.play_move("C3", 1)
    person.run("tengen.tree.version = -1; tengen.tree.nodes.get(1).vertex = 'A1'")
    person.run("tengen.play('B2')")
    person.until("return tengen.tree.nodes.size === 3 && tengen.state.move === 2")
    assert [node["vertex"] for node in person.run(WHOLE)] == [None, "C3", "B2"]
    person.play_move("D4", 3)
    assert person.run("return tengen.tree.nodes.size") == 4
