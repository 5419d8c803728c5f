"""Comparison of the rules with another engine over GTP, move by move."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from tengen.bench.selfcheck.check import Batch
from tengen.board import (
    EMPTY,
    NEIGHBOR_OFFSETS,
    PASS,
    Color,
    Ko,
    Position,
    Rules,
    parse_vertex,
    point_at,
    rules_to_katago,
    vertex,
)
from tengen.match import GtpClient

TIMEOUT_S = 120.0
SIZES = (5, 7, 9, 13, 19)
PASS_SHARE = 0.02
MAX_MOVES = 400
Compare = Callable[[GtpClient, Position, random.Random], list[str]]
"""Returns the differences between an engine and a position."""


def compare_rules(command: Sequence[str], kind: str) -> Callable[[random.Random], Iterator[Batch]]:
    """Return the cases of a comparison; `kind` is katago or gnugo.

    GNU Go lists the legal moves under simple ko. KataGo's policy is NaN for illegal moves, under
    all rules of ko and suicide.
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
        yield Batch(1, tuple(f"{text} {_description(position)}" for text in found))
        if found:
            return
        legal = [p for p in position.legal_moves() if not _is_lone_suicide(position, p)]
        move = rng.choice(legal) if legal and rng.random() > PASS_SHARE else PASS
        engine.send(f"play {position.to_play.letter} {vertex(move, position.rows)}", TIMEOUT_S)
        position.play(move)


def _description(position: Position) -> str:
    """Return a position as text, from which it can be repeated."""
    moves = " ".join(f"{m.color.letter} {vertex(m.move, position.rows)}" for m in position.moves)
    return f"on {position.rows}x{position.columns} under {position.rules} after {moves}"


def _gnugo_differences(engine: GtpClient, position: Position, rng: random.Random) -> list[str]:
    reply = engine.send(f"all_legal {position.to_play.letter}", TIMEOUT_S)
    theirs = {parse_vertex(word, position.rows, position.columns) for word in reply.split()}
    differences = _differences(theirs, set(position.legal_moves()), position)
    return differences + _stone_differences(engine, position)


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
    reply = engine.send("kata-raw-nn 0", TIMEOUT_S)
    lines = reply.partition("policy\n")[2].splitlines()[: position.rows]
    cells = [line.split() for line in lines]
    theirs = {
        point_at(row, column)
        for row, words in enumerate(cells)
        for column, word in enumerate(words)
        if word != "NAN"
    }
    # KataGo forbids the suicide of a single stone under all rules.
    ours = {point for point in position.legal_moves() if not _is_lone_suicide(position, point)}
    return _differences(theirs, ours, position)


def _is_lone_suicide(position: Position, point: int) -> bool:
    """Return whether a legal move leaves all points as they were."""
    neighbors = (point + offset for offset in NEIGHBOR_OFFSETS)
    if not position.rules.suicide or any(position.color(p) == EMPTY for p in neighbors):
        return False
    after = position.copy()
    after.play(point)
    return all(after.color(p) == position.color(p) for p in position.points())


def _differences(theirs: set[int], ours: set[int], position: Position) -> list[str]:
    different = sorted(vertex(p, position.rows) for p in theirs ^ ours)
    return [f"legality of {', '.join(different)}"] if different else []
