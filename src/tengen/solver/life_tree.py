"""Refutation trees of life-and-death proofs as SGF variations."""

from collections import deque

from tengen.board import PASS, Position
from tengen.records import Node, point_text
from tengen.solver.kernels.life_memory import ATTACKER
from tengen.solver.life import Claim
from tengen.solver.life_verification import LifeGame, state_of
from tengen.solver.verification import ProofError

SEARCH_NODES = 50_000
"""Most nodes searched for one move of the tree that the table has dropped."""


def add_move(parent: Node, position: Position, move: int, comment: str = "") -> Node:
    """Append a move of the side to move."""
    text = "" if move == PASS else point_text(move)
    node = parent.add_child(Node({position.to_play.letter: [text]}))
    if comment:
        node.set_text("C", comment)
    return node


class RefutationTree:
    """Adds the answers of a proof to a game tree: all moves of the opponent, one of the prover."""

    def __init__(self, game: LifeGame, limit: int):
        self.game = game
        self.left = limit
        """Nodes that may still be added."""
        self.is_complete = True
        self._shown: set[object] = set()

    def add(self, parent: Node, position: Position, threats: int) -> None:
        """Add the continuations of a proved position, those after few moves first."""
        queue = deque([(parent, position, threats)])
        while queue:
            node, here, left = queue.popleft()
            if self._close(node, here):
                continue
            state = state_of(here, left)
            if state in self._shown:
                node.set_text("C", "transposition")
                continue
            self._shown.add(state)
            for move, after, threats_left in self._moves(here, left):
                if self.left <= 0:
                    self.is_complete = False
                    return
                self.left -= 1
                queue.append((add_move(node, here, move), after, threats_left))

    def _close(self, node: Node, position: Position) -> bool:
        """Write the result of a line to its last node; return whether the line is over."""
        winner = self.game.winner(position)
        if winner is not None:
            node.set_text("C", "captured" if winner == ATTACKER else "alive")
        return winner is not None

    def _moves(self, position: Position, threats: int) -> list[tuple[int, Position, int]]:
        children = list(self.game.children(position, threats))
        if not self.game.prover_moves(position):
            return children
        try:
            proved = self.game.proved_moves(position, threats, SEARCH_NODES)
        except ProofError:
            self.is_complete = False
            return []
        return [child for child in children if child[0] in proved[:1]]


def solution_tree(
    game: LifeGame, position: Position, works: list[int], fails: list[int], limit: int
) -> tuple[Node, bool]:
    """Return a node with the first moves as variations, and whether the tree is complete.

    Moves that work have their refutation trees; moves that fail have the reply, if it is proved.
    """
    root, tree = Node(), RefutationTree(game, limit)
    for move, after, threats in game.children(position, game.claim.threats):
        if move in works:
            tree.add(add_move(root, position, move, "right"), after, threats)
    for move, after, threats in game.children(position, game.claim.threats):
        if move in fails:
            node = add_move(root, position, move, "wrong")
            reply = _reply(game, after, threats)
            if reply is not None:
                add_move(node, after, reply)
    return root, tree.is_complete


def _reply(game: LifeGame, position: Position, threats: int) -> int | None:
    """Return the opponent's move that keeps a first move from working."""
    claim = Claim(game.claim.prover, game.claim.whole, threats, game.claim.opponent_threats)
    game.searcher.search(position, claim, nodes=SEARCH_NODES)
    numbers = game.searcher.root_numbers()
    return next((move for move, (_, dn) in numbers.items() if dn == 0), None)
