"""Legality of moves under simple ko and superko, and replaying of games."""

import numpy as np

from tengen.board.kernels.block import situation_hash, stones_hash
from tengen.board.kernels.layout import (
    COLOR,
    COLORS,
    DOWN,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_LIST,
    HEAD,
    KO,
    LEFT,
    NEXT,
    NOWHERE,
    PASS,
    POINTS,
    RIGHT,
    SITUATION_KEY,
    STONES,
    TO_PLAY,
    UP,
    WHITE,
    ZOBRIST_HIGH,
    ZOBRIST_LOW,
)
from tengen.board.kernels.stones import play
from tengen.board.kernels.tactics import in_atari, is_suicide, touched_before
from tengen.util.compiler import kernel

SIMPLE_KO, POSITIONAL_SUPERKO, SITUATIONAL_SUPERKO = np.uintp(0), np.uintp(1), np.uintp(2)

ONE = np.uintp(1)


@kernel
def _stone_key(point, color):
    key = color * POINTS + point
    return (np.uint64(ZOBRIST_HIGH[key]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[key])


@kernel
def _chain_key(block, head, color):
    """Return the combined key of all stones of a chain."""
    key = np.uint64(0)
    stone = np.uintp(head)
    for _ in range(np.uintp(block[STONES + head])):
        key ^= _stone_key(stone, color)
        stone = np.uintp(block[NEXT + stone])
    return key


@kernel
def hash_after(block, point):
    """Return the stones hash after the side to move plays at the empty `point`."""
    color = np.uintp(block[TO_PLAY])
    enemy = COLORS - color
    own_chains = np.uint64(0)
    taken = np.uint64(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbor = point + offset
        occupant = np.uintp(block[COLOR + neighbor])
        if occupant != color and occupant != enemy:
            continue
        head = np.uintp(block[HEAD + neighbor])
        if touched_before(block, point, offset, head):
            continue
        if occupant == color:
            own_chains ^= _chain_key(block, head, color)
        elif in_atari(block, head):
            taken ^= _chain_key(block, head, enemy)
    after = stones_hash(block)
    if is_suicide(block, point, color):
        return after ^ own_chains
    return after ^ _stone_key(point, color) ^ taken


@kernel
def _repeats(block, point, ko_rule, history, known):
    """Return whether a move repeats one of the first `known` hashes of `history`."""
    after = hash_after(block, point)
    if ko_rule == SITUATIONAL_SUPERKO and block[TO_PLAY] != WHITE:
        after ^= SITUATION_KEY
    for index in range(known):
        if history[index] == after:
            return True
    return False


@kernel
def is_legal(block, move, ko_rule, suicide_allowed, history, known):
    """Return whether the side to move may play `move`.

    `move` is PASS or any point of the padded board. `history` holds the `position_hash` of all
    positions so far, including the current one. Suicide of a single stone changes only the side to
    move, so it repeats the position and is illegal under positional superko.
    """
    if move == PASS:
        return True
    if block[COLOR + move] != EMPTY:
        return False
    if not suicide_allowed and is_suicide(block, move, np.uintp(block[TO_PLAY])):
        return False
    if ko_rule == SIMPLE_KO:
        return block[KO] != move
    return not _repeats(block, move, ko_rule, history, known)


@kernel
def legal_points(block, ko_rule, suicide_allowed, history, known, points):
    """Write the legal points for the side to move to `points`; return their number."""
    count = np.uintp(0)
    for place in range(np.uintp(block[EMPTY_COUNT])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_legal(block, point, ko_rule, suicide_allowed, history, known):
            points[count] = point
            count += ONE
    return count


@kernel
def position_hash(block, ko_rule):
    """Return the hash compared for superko: of the stones, or of stones and side to move."""
    if ko_rule == SITUATIONAL_SUPERKO:
        return situation_hash(block)
    return stones_hash(block)


@kernel
def replay(block, colors, moves, ko_rule, suicide_allowed, history, known):
    """Play moves up to the first illegal one; return the number of moves played.

    Position hashes are appended to `history` from index `known` on; it must have enough room.
    """
    for index in range(np.uintp(len(moves))):
        move = np.uintp(moves[index])
        to_play, ko = block[TO_PLAY], block[KO]
        if to_play != colors[index]:
            # A ko restricts only the side that is to move.
            block[TO_PLAY] = colors[index]
            block[KO] = NOWHERE
        if not is_legal(block, move, ko_rule, suicide_allowed, history, known):
            block[TO_PLAY], block[KO] = to_play, ko
            return index
        play(block, move)
        history[known] = position_hash(block, ko_rule)
        known += ONE
    return np.uintp(len(moves))
