"""A teacher with known answers, games for it, and labels in the older format."""

import json

import numpy as np
from random_records import random_sgf

from tengen.nets import Net, TengenFeatures
from tengen.nets.evaluation import Outputs


class Corner:
    """A teacher that prefers the top left corner and predicts a win."""

    def run(self, planes, numbers):
        n, _, rows, columns = planes.shape
        logits = -np.arange(rows * columns + 1, dtype=np.float32)
        return Outputs(
            policy=np.tile(logits, (n, 1)),
            win=np.full(n, 0.75, dtype=np.float32),
            lead=np.full(n, 2.0, dtype=np.float32),
            ownership=planes[:, 1] - planes[:, 2],
        )


def corner():
    return Net("corner", TengenFeatures(), Corner())


def sgf_of(seed):
    return random_sgf(np.random.default_rng(seed), 30, 9, "KM[6.5]RE[B+3]")


def old_labels(games, folder, count):
    """Write labels of 16 positions of each of the first games in the older format."""
    from tengen.nets.training import plain_games

    folder.mkdir(exist_ok=True)
    listed, rows = [], []
    for number, record in zip(range(count), plain_games([str(games)]), strict=False):
        position = record.position()
        moves = " ".join(position.vertex(move.move) for move in record.moves)
        listed.append({"size": 9, "komi": 6.5, "moves": moves})
        rows += [(number, turn) for turn in range(0, 30, 2)] + [(number, 29)]
    total = len(rows)
    (folder / "games.json").write_text(json.dumps(listed))
    np.savez(
        folder / "labels-9.npz",
        game=np.array([row[0] for row in rows], dtype=np.int32),
        turn=np.array([row[1] for row in rows], dtype=np.int32),
        policy_move=np.tile(np.arange(32, dtype=np.uint16), (total, 1)),
        policy=np.tile(np.float16(0.5) ** np.arange(32).astype(np.float16), (total, 1)),
        black_win=np.full(total, 0.75, dtype=np.float32),
        black_lead=np.full(total, 2.0, dtype=np.float32),
        ownership=np.zeros((total, 81), dtype=np.int8),
    )
