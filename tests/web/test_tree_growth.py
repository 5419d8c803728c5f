"""What pages hear of a tree that changes: little, and enough to have the same tree."""

import asyncio
import json
import random

import pytest
from web_helpers import HeardTree, large_tree, page_of

from tengen.board.colour import BLACK
from tengen.board.points import point_at
from tengen.board.position import Move
from tengen.records.reader import read_bytes
from tengen.web.connection import Outbox
from tengen.web.tree import ROOT, GameTree

SHORT = 300
"""Characters of what is told of one move, whatever the size of its tree."""


def tree_of(sgf):
    return GameTree(next(read_bytes(sgf)))


def change(tree, chance):
    """Change a tree in one of the ways there are, at one of its nodes."""
    number = chance.choice(sorted(tree.places))
    what = chance.choice(["add", "add", "add", "lead", "cut", "write"])
    if what == "add":
        tree.add(number, Move(BLACK, point_at(chance.randrange(9), chance.randrange(9))))
    elif what == "lead":
        tree.lead_to(number)
    elif what == "cut" and number != ROOT:
        tree.cut(number)
    elif what == "write":
        tree.write(number, "C", chance.choice(["", "why", "why not"]))


@pytest.mark.parametrize("seed", range(20))
def test_a_page_that_hears_the_changes_has_the_tree(seed):
    chance = random.Random(seed)
    tree = tree_of(b"(;SZ[9](;B[ee];W[cc]C[so])(;B[ec]))")
    page = HeardTree()
    page.take({"type": "tree", **tree.describe_all()})
    for _ in range(40):
        for _ in range(chance.randrange(4)):
            change(tree, chance)
        if told := tree.tell_changes():
            page.take({"type": "growth", **told})
        assert {"version": page.version, "nodes": page.listed()} == tree.describe_all()
        assert tree.tell_changes() is None, "nothing is told twice"


def test_no_two_trees_share_a_version():
    trees = [tree_of(b"(;SZ[9];B[ee])") for _ in range(2)]
    for tree in trees:
        tree.add(ROOT, Move(BLACK, point_at(0, 0)))
    told = [tree.tell_changes() for tree in trees]
    versions = [one[name] for one in told for name in ("since", "version")]
    assert len(set(versions)) == 4


def take_all(outbox):
    async def take():
        outbox.send({"type": "pong"})
        heard = []
        while not heard or heard[-1]["type"] != "pong":
            heard.append(await outbox.take())
        return heard[:-1]

    return asyncio.run(take())


def test_a_slow_page_hears_every_growth_before_its_state():
    outbox = Outbox()
    for number in range(2):
        outbox.send({"type": "growth", "since": number})
        outbox.send({"type": "state", "node": number})
    growths = [{"type": "growth", "since": number} for number in range(2)]
    assert take_all(outbox) == [*growths, {"type": "state", "node": 1}]


def test_a_slow_page_hears_no_growth_of_a_tree_that_it_never_had():
    outbox = Outbox()
    outbox.send({"type": "tree", "version": 1})
    outbox.send({"type": "growth", "since": 1})
    outbox.send({"type": "tree", "version": 3})
    outbox.send({"type": "growth", "since": 3})
    assert take_all(outbox) == [{"type": "tree", "version": 3}, {"type": "growth", "since": 3}]


def open_large(client, page):
    answer = client.post(f"/games/{page.newest['game']['id']}", content=large_tree())
    assert answer.status_code == 200
    page.hear("state")
    assert len(page.tree.nodes) == 6101


def told_of(page, kind, **fields):
    """Ask for something; return what is told of the tree and its text."""
    for name in ("tree", "growth"):
        page.newest.pop(name, None)
    page.ask(kind, **fields)
    assert "tree" not in page.newest
    return json.dumps(page.newest.get("growth", ""))


def test_little_is_told_of_a_move_in_a_large_tree(client, page):
    open_large(client, page)
    assert "T1" in told_of(page, "play", vertex="T1")
    assert len(told_of(page, "play", vertex="S1")) < SHORT
    assert len(told_of(page, "comment", node=7, text="why")) < SHORT
    assert len(told_of(page, "cut", node=1)) < SHORT
    assert [node[3] for node in page.tree.listed()[-2:]] == ["T1", "S1"]
    assert len(page.tree.nodes) == 63, "the root, its other variations and both moves"


def test_nothing_is_told_of_a_tree_that_stays(client, page):
    open_large(client, page)
    told_of(page, "comment", node=0, text="why")
    assert told_of(page, "comment", node=0, text="why not") == '""'
    assert told_of(page, "goto", node=5) == '""'


def test_all_pages_have_the_same_tree(client, page):
    game = page.newest["game"]["id"]
    page.ask("new", size="5", colour="both")
    with page_of(client, game) as early:
        page.ask("play", vertex="C3")
        page.ask("undo")
        early.ask("play", vertex="B2")
        with page_of(client, game) as late:
            late.ask("comment", node=1, text="why")
            page.ask("undo")
            page.ask("play", vertex="C3")
            page.ask("cut", node=2)
            pages = [page, early, late]
            for one in pages:
                one.settle()
            trees = [(one.tree.version, one.tree.listed()) for one in pages]
    assert trees[0] == trees[1] == trees[2]
    assert trees[0][1] == [[0, None, None, None, False], [1, 0, "black", "C3", True]]
