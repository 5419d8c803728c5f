"""Which moves are legal, under each ko rule."""

import numpy as np

from tengen.board.kernels.block import situation_hash, stones_hash
from tengen.board.kernels.layout import (
    COLOUR,
    COLOURS,
    DOWN,
    EMPTIES,
    EMPTY,
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
from tengen.core.compiler import kernel

SIMPLE_KO, POSITIONAL_SUPERKO, SITUATIONAL_SUPERKO = np.uintp(0), np.uintp(1), np.uintp(2)

ONE = np.uintp(1)


@kernel
def _stone_key(point, colour):
    key = colour * POINTS + point
    return (np.uint64(ZOBRIST_HIGH[key]) << np.uint64(32)) | np.uint64(ZOBRIST_LOW[key])


@kernel
def _chain_key(block, head, colour):
    """Return the combined key of all stones of a chain."""
    key = np.uint64(0)
    stone = np.uintp(head)
    for _ in range(np.uintp(block[STONES + head])):
        key ^= _stone_key(stone, colour)
        stone = np.uintp(block[NEXT + stone])
    return key


@kernel
def hash_after(block, point):
    """Return what `stones_hash` would be after the side to move plays at the empty `point`."""
    colour = np.uintp(block[TO_PLAY])
    enemy = COLOURS - colour
    own_chains = np.uint64(0)
    taken = np.uint64(0)
    for offset in (UP, LEFT, RIGHT, DOWN):
        neighbour = point + offset
        beside = np.uintp(block[COLOUR + neighbour])
        if beside != colour and beside != enemy:
            continue
        head = np.uintp(block[HEAD + neighbour])
        if touched_before(block, point, offset, head):
            continue
        if beside == colour:
            own_chains ^= _chain_key(block, head, colour)
        elif in_atari(block, head):
            taken ^= _chain_key(block, head, enemy)
    after = stones_hash(block)
    if is_suicide(block, point, colour):
        return after ^ own_chains
    return after ^ _stone_key(point, colour) ^ taken


@kernel
def _repeats(block, point, ko_rule, history, known):
    """Tell whether a move would bring back one of the first `known` hashes of `history`."""
    after = hash_after(block, point)
    if ko_rule == SITUATIONAL_SUPERKO and block[TO_PLAY] != WHITE:
        after ^= SITUATION_KEY
    for index in range(known):
        if history[index] == after:
            return True
    return False


@kernel
def is_legal(block, move, ko_rule, suicide_allowed, history, known):
    """Tell whether the side to move may play `move`.

    `move` is PASS or any point of the padded board. `history` holds the hashes of all positions
    so far, the present one included: of the stones under positional superko, of stones and side
    to move under situational superko. Suicide of a single stone changes nothing but the side to
    move; under positional superko it repeats the position and so is illegal.
    """
    if move == PASS:
        return True
    if block[COLOUR + move] != EMPTY:
        return False
    if not suicide_allowed and is_suicide(block, move, np.uintp(block[TO_PLAY])):
        return False
    if ko_rule == SIMPLE_KO:
        return block[KO] != move
    return not _repeats(block, move, ko_rule, history, known)


@kernel
def legal_points(block, ko_rule, suicide_allowed, history, known, points):
    """Write the legal points for the side to move into `points`; return how many there are."""
    count = np.uintp(0)
    for place in range(np.uintp(block[EMPTIES])):
        point = np.uintp(block[EMPTY_LIST + place])
        if is_legal(block, point, ko_rule, suicide_allowed, history, known):
            points[count] = point
            count += ONE
    return count


@kernel
def position_hash(block, ko_rule):
    """Return the hash that superko compares under `ko_rule`."""
    if ko_rule == SITUATIONAL_SUPERKO:
        return situation_hash(block)
    return stones_hash(block)


@kernel
def replay(block, colours, moves, ko_rule, suicide_allowed, history, known):
    """Play a whole game; return how many moves were legal before the first illegal one.

    `history` must have room for the moves; it is filled from `known` on. The illegal move changes
    nothing.
    """
    for index in range(np.uintp(len(moves))):
        move = np.uintp(moves[index])
        to_play, ko = block[TO_PLAY], block[KO]
        if to_play != colours[index]:
            # The ko forbids a point to one side only.
            block[TO_PLAY] = colours[index]
            block[KO] = NOWHERE
        if not is_legal(block, move, ko_rule, suicide_allowed, history, known):
            block[TO_PLAY], block[KO] = to_play, ko
            return index
        play(block, move)
        history[known] = position_hash(block, ko_rule)
        known += ONE
    return np.uintp(len(moves))
