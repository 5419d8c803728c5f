"""Large trees in headless Chromium: only changes are sent, only visible nodes are drawn."""

import pytest
from browser_helpers import missing

if reason := missing():
    pytest.skip(reason, allow_module_level=True)

from web_helpers import large_tree

NODES = 6101
MAX_DRAWN = 800
"""Dots in and around the visible frame; far fewer than nodes."""
LISTEN = """
    window.received = [];
    const {receive} = tengen;
    tengen.receive = (message) => {
        received.push([message.type, JSON.stringify(message).length]);
        receive.call(tengen, message);
    };
    """
WHOLE = """
    const walk = (id) => {
        const {children, ...node} = tengen.tree.nodes.get(id);
        return [node, ...children.flatMap(walk)];
    };
    return walk(tengen.tree.root);
    """
"""Returns the nodes of the page's tree in preorder."""
DRAWN = (
    "return [...document.querySelectorAll('.tree .node')].map((dot) => Number(dot.dataset.node))"
)


def is_drawn(node):
    return f"return Boolean(document.querySelector('.tree .node[data-node=\"{node}\"]'))"


def open_large(user):
    user.drop(large_tree())
    user.until(f"return tengen.tree.nodes.size === {NODES}")
    user.run("tengen.goTo(tengen.tree.root)")
    user.until("return tengen.state.move === 0")
    user.until("return document.querySelectorAll('.tree .node').length > 50")


def test_move_in_a_large_tree(user):
    open_large(user)
    assert user.count(".tree .node") < MAX_DRAWN
    user.run(LISTEN)
    user.run("tengen.play('T1')")
    user.until("return tengen.state.move === 1")
    assert user.run("return tengen.tree.nodes.size") == NODES + 1
    current = user.run("return document.querySelector('.tree .current').dataset.node")
    assert current == str(NODES), "the new node is displayed"
    assert user.count(".tree .node") < MAX_DRAWN
    lengths = dict(user.run("return received"))
    assert "tree" not in lengths
    assert lengths["tree_changes"] < 300


def test_scrolling_draws_nodes(user):
    open_large(user)
    last = user.run(
        "return [...tengen.tree.nodes.values()].reduce((a, b) => b.lane > a.lane ? b : a).id"
    )
    assert last not in user.run(DRAWN)
    user.run("tengen.tree.scrollTo(tengen.tree.nodes.get(arguments[0]))", last)
    user.until(is_drawn(last))
    assert 0 not in user.run(DRAWN), "nodes out of view are removed"
    user.run("tengen.goTo(arguments[0])", last)
    user.until(
        "return document.querySelector('.tree .current')?.dataset.node === arguments[0]", str(last)
    )
    user.press("2", "1")
    user.until(is_drawn(last))


def test_reload_shows_the_same_tree(user):
    user.new_game(size="5", color="both")
    for number, vertex in enumerate(("C3", "B2", "D4"), 1):
        user.play_move(vertex, number)
    for vertex in ("A1", "E5"):
        user.press("u")
        user.until("return tengen.state.move === 2")
        user.play_move(vertex, 3)
    user.run("tengen.send('comment', {node: 3, text: 'why'})")
    user.run("tengen.send('delete_branch', {node: 4})")
    user.until("return tengen.tree.nodes.get(3).hasComment && !tengen.tree.nodes.has(4)")
    grown = user.run(WHOLE)
    assert [node["vertex"] for node in grown] == [None, "C3", "B2", "E5", "D4"]
    user.driver.refresh()
    user.until("return document.body.dataset.ready === ''")
    assert user.run(WHOLE) == grown


def test_page_with_another_version_reloads_the_tree(user):
    user.new_game(size="5", color="both")
    user.play_move("C3", 1)
    user.run("tengen.tree.version = -1; tengen.tree.nodes.get(1).vertex = 'A1'")
    user.run("tengen.play('B2')")
    user.until("return tengen.tree.nodes.size === 3 && tengen.state.move === 2")
    assert [node["vertex"] for node in user.run(WHOLE)] == [None, "C3", "B2"]
    user.play_move("D4", 3)
    assert user.run("return tengen.tree.nodes.size") == 4
