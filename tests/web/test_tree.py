"""Changes of the game tree sent to pages."""

import asyncio
import json
import random

import pytest
from web_helpers import ReceivedTree, large_tree, page_of

from tengen.board import BLACK, Move, point_at
from tengen.records import read_bytes
from tengen.web import NewGame
from tengen.web.connection import Outbox
from tengen.web.game import WebGame
from tengen.web.game_options import start_game
from tengen.web.messages import Pong, TreeChanges, TreeSnapshot
from tengen.web.tree import ROOT, GameTree

MAX_LENGTH = 300
"""Characters of the message for one move, whatever the size of the tree."""


def tree_of(sgf):
    return GameTree(next(read_bytes(sgf)))


def decoded(message):
    return json.loads(message.encode())


def change(tree, rng):
    """Make a random change at a random node."""
    number = rng.choice(sorted(tree.nodes))
    kind = rng.choice(["add", "add", "add", "main_line", "delete", "comment"])
    if kind == "add":
        tree.add(number, Move(BLACK, point_at(rng.randrange(9), rng.randrange(9))))
    elif kind == "main_line":
        tree.set_main_line(number)
    elif kind == "delete" and number != ROOT:
        tree.delete(number)
    elif kind == "comment":
        tree.set_property(number, "C", rng.choice(["", "why", "why not"]))


@pytest.mark.parametrize("seed", range(20))
def test_changes_reproduce_the_tree(seed):
    rng = random.Random(seed)
    tree = tree_of(b"(;SZ[9](;B[ee];W[cc]C[so])(;B[ec]))")
    page = ReceivedTree()
    page.take(decoded(tree.snapshot()))
    for _ in range(40):
        for _ in range(rng.randrange(4)):
            change(tree, rng)
        if changes := tree.take_changes():
            page.take(decoded(changes))
        expected = decoded(tree.snapshot())
        assert {"type": "tree", "version": page.version, "nodes": page.rows()} == expected
        assert tree.take_changes() is None, "changes are sent once"


def test_versions_are_unique_across_trees():
    trees = [tree_of(b"(;SZ[9];B[ee])") for _ in range(2)]
    for tree in trees:
        tree.add(ROOT, Move(BLACK, point_at(0, 0)))
    changes = [tree.take_changes() for tree in trees]
    versions = [version for one in changes for version in (one.since, one.version)]
    assert len(set(versions)) == 4


def take_all(outbox):
    async def take():
        outbox.put(Pong("end"))
        received = []
        while not received or not isinstance(received[-1], Pong):
            received.append(await outbox.get())
        return received[:-1]

    return asyncio.run(take())


def test_slow_page_receives_all_changes_before_the_state():
    outbox = Outbox()
    changes = [TreeChanges(number, number + 1, []) for number in range(2)]
    states = [WebGame(*start_game(NewGame())).state() for _ in range(2)]
    for change, state in zip(changes, states, strict=True):
        outbox.put(change)
        outbox.put(state)
    assert take_all(outbox) == [*changes, states[1]]


def test_slow_page_receives_no_changes_of_a_replaced_tree():
    outbox = Outbox()
    outbox.put(TreeSnapshot(1, []))
    outbox.put(TreeChanges(1, 2, []))
    outbox.put(TreeSnapshot(3, []))
    outbox.put(TreeChanges(3, 4, []))
    assert take_all(outbox) == [TreeSnapshot(3, []), TreeChanges(3, 4, [])]


def load_large_tree(client, page):
    response = client.post(f"/games/{page.newest['game']['id']}", content=large_tree())
    assert response.status_code == 200
    page.receive("state")
    page.request("go_to", node=0)
    assert len(page.tree.nodes) == 6101


def changes_after(page, kind, **fields):
    """Send a request; return the JSON of the tree changes it causes."""
    for name in ("tree", "tree_changes"):
        page.newest.pop(name, None)
    page.request(kind, **fields)
    assert "tree" not in page.newest
    return json.dumps(page.newest.get("tree_changes", ""))


def test_changes_of_a_large_tree_are_short(client, page):
    load_large_tree(client, page)
    assert "T1" in changes_after(page, "play", vertex="T1")
    assert len(changes_after(page, "play", vertex="S1")) < MAX_LENGTH
    assert len(changes_after(page, "comment", node=7, text="why")) < MAX_LENGTH
    assert len(changes_after(page, "delete_branch", node=1)) < MAX_LENGTH
    assert [node[3] for node in page.tree.rows()[-2:]] == ["T1", "S1"]
    assert len(page.tree.nodes) == 63, "the root, its other variations and the two moves"


def test_no_message_without_changes(client, page):
    load_large_tree(client, page)
    changes_after(page, "comment", node=0, text="why")
    assert changes_after(page, "comment", node=0, text="why not") == '""'
    assert changes_after(page, "go_to", node=5) == '""'


def test_all_pages_have_the_same_tree(client, page):
    game = page.newest["game"]["id"]
    page.request("new_game", size="5", color="both")
    with page_of(client, game) as early:
        page.request("play", vertex="C3")
        page.request("undo")
        early.request("play", vertex="B2")
        with page_of(client, game) as late:
            late.request("comment", node=1, text="why")
            page.request("undo")
            page.request("play", vertex="C3")
            page.request("delete_branch", node=2)
            pages = [page, early, late]
            for one in pages:
                one.settle()
            trees = [(one.tree.version, one.tree.rows()) for one in pages]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0][1] == [[0, None, None, None, False], [1, 0, "black", "C3", True]]
