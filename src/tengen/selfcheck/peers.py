"""Comparison of the rules with another engine over GTP, move by move."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from tengen.board import (
    EMPTY,
    PASS,
    Color,
    Ko,
    Position,
    Rules,
    parse_vertex,
    rules_to_katago,
    vertex,
)
from tengen.match import EngineRefusedError, GtpClient
from tengen.selfcheck.check import Batch

TIMEOUT_S = 120.0
SIZES = (5, 7, 9, 13, 19)
PASS_SHARE = 0.02
MAX_MOVES = 400
PROBES = 6
"""Points per position that are tried with `play` and `undo`."""
Compare = Callable[[GtpClient, Position, random.Random], list[str]]
"""Returns the differences between an engine and a position."""


def compare_rules(command: Sequence[str], kind: str) -> Callable[[random.Random], Iterator[Batch]]:
    """Return the cases of a comparison; `kind` is katago or gnugo.

    GNU Go lists the legal moves under simple ko. KataGo accepts or refuses moves under the rule
    sets that both know, superko and suicide included.
    """
    play = {"katago": _katago_game, "gnugo": _gnugo_game}[kind]

    def cases(rng: random.Random) -> Iterator[Batch]:
        with closing(GtpClient(command)) as engine:
            while True:
                yield from play(engine, rng)

    return cases


def _gnugo_game(engine: GtpClient, rng: random.Random) -> Iterator[Batch]:
    position = Position(rng.choice(SIZES), rules=Rules(ko=Ko.SIMPLE, suicide=False))
    yield from _game(engine, position, rng, _gnugo_differences)


def _katago_game(engine: GtpClient, rng: random.Random) -> Iterator[Batch]:
    rules = Rules(ko=rng.choice(list(Ko)), suicide=rng.random() < 0.5)
    position = Position(rng.choice(SIZES), rules=rules)
    engine.send(f"kata-set-rules {json.dumps(rules_to_katago(rules))}", TIMEOUT_S)
    yield from _game(engine, position, rng, _katago_differences)


def _game(
    engine: GtpClient, position: Position, rng: random.Random, compare: Compare
) -> Iterator[Batch]:
    """Play a random game on both sides; stop at the first difference."""
    engine.send(f"boardsize {position.rows}", TIMEOUT_S)
    engine.send("clear_board", TIMEOUT_S)
    for _ in range(MAX_MOVES):
        found = compare(engine, position, rng)
        found = [f"{text} after {position.moves} under {position.rules}" for text in found]
        yield Batch(1, tuple(found))
        if found:
            return
        legal = position.legal_moves()
        move = rng.choice(legal) if legal and rng.random() > PASS_SHARE else PASS
        engine.send(f"play {position.to_play.letter} {vertex(move, position.rows)}", TIMEOUT_S)
        position.play(move)


def _gnugo_differences(engine: GtpClient, position: Position, rng: random.Random) -> list[str]:
    reply = engine.send(f"all_legal {position.to_play.letter}", TIMEOUT_S)
    theirs = {parse_vertex(word, position.rows, position.columns) for word in reply.split()}
    found = []
    if theirs != set(position.legal_moves()):
        different = sorted(vertex(p, position.rows) for p in theirs ^ set(position.legal_moves()))
        found.append(f"legality of {', '.join(different)}")
    return found + _stone_differences(engine, position)


def _stone_differences(engine: GtpClient, position: Position) -> list[str]:
    found = []
    for color in ("black", "white"):
        reply = engine.send(f"list_stones {color}", TIMEOUT_S)
        theirs = {parse_vertex(word, position.rows, position.columns) for word in reply.split()}
        wanted = Color.parse(color)
        if theirs != {point for point in position.points() if position.color(point) == wanted}:
            found.append(f"other {color} stones")
    return found


def _katago_differences(engine: GtpClient, position: Position, rng: random.Random) -> list[str]:
    empty = [point for point in position.points() if position.color(point) == EMPTY]
    # Where rules differ, moves are illegal: prefer those.
    legal = set(position.legal_moves())
    illegal = [point for point in empty if point not in legal]
    probes = [*illegal[:PROBES], *rng.sample(empty, min(PROBES, len(empty)))][:PROBES]
    found = []
    for point in probes:
        text = vertex(point, position.rows)
        if _accepts(engine, f"play {position.to_play.letter} {text}") != (point in legal):
            found.append(f"legality of {text}")
    return found


def _accepts(engine: GtpClient, command: str) -> bool:
    try:
        engine.send(command, TIMEOUT_S)
    except EngineRefusedError:
        return False
    engine.send("undo", TIMEOUT_S)
    return True
