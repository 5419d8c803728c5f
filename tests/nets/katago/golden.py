"""Positions with the raw outputs of KataGo's networks, as computed by KataGo.

Run with a KataGo executable, a configuration for GTP and model files, this writes the data:

    python tests/nets/katago/golden.py katago gtp_example.cfg MODEL...

Without model files it writes the data of the human-like network only.
"""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from tiny_model import write_tiny

from tengen.board import BLACK, PASS, Position, rules_from_katago, rules_named, rules_to_katago
from tengen.board.kernels import layout
from tengen.nets import DEFAULT_NET, load_net
from tengen.nets.self_play import draw_move

DATA = Path(__file__).parent / "data" / "katago-outputs.npz"
POLICY_UNIT, OWNERSHIP_UNIT = 65535, 32767
"""Probabilities and ownership are stored as integers of these fractions of 1."""
PASS_SHARE = 0.03
"""Share of moves that are passes in half of the games."""
FIRST_PASS = 10
"""Number of moves before a pass; for KataGo, early passes of White are handicap."""


def position_of(game):
    """Return the position of a stored game."""
    rules = rules_from_katago(json.dumps(game["rules"])).with_komi(game["komi"])
    position = Position(game["rows"], game["columns"], rules)
    if game["handicap"]:
        position.place_handicap([position.parse_move(v) for v in game["handicap"].split()])
    for vertex in game["moves"].split():
        position.play(position.parse_move(vertex))
    return position


def load():
    """Return the games and, by network, the outputs for its first games.

    Outputs are `policy` (points and pass, NaN if illegal), `white_win` given that there is a
    result, `white_lead` and `white_ownership`.
    """
    with np.load(DATA) as data:
        games = json.loads(bytes(data["games"]).decode())
        return games, {
            name: list(_outputs_of(data, name, games)) for name in json.loads(bytes(data["nets"]))
        }


def _outputs_of(data, name, games):
    policy, ownership = data[f"{name}/policy"], data[f"{name}/ownership"]
    scalars = zip(data[f"{name}/win"], data[f"{name}/lead"], strict=True)
    at = owned = 0
    for game, (win, lead) in zip(games, scalars, strict=False):
        area = game["rows"] * game["columns"]
        part = policy[at : at + area + 1].astype(float)
        part[part == POLICY_UNIT] = np.nan
        owner = ownership[owned : owned + area].astype(float) / OWNERSHIP_UNIT
        yield part / (POLICY_UNIT - 1), float(win), float(lead), owner
        at, owned = at + area + 1, owned + area


# Writing


RULES = {
    "chinese": {},
    "japanese": {},
    "simple-area": {"ko": "SIMPLE"},
    "tromp-taylor": {},
    "aga": {},
}
SIZES = [(9, 9), (13, 13), (19, 19), (9, 9), (13, 13), (19, 19), (9, 13)]
HANDICAPS = {9: "C3 G7", 13: "D4 K10 D10", 19: "D4 Q16 D16 Q4"}


def make_games(count, seed=1):
    """Play games of random length with moves drawn from the bundled network's policy."""
    random = np.random.default_rng(seed)
    net = load_net(DEFAULT_NET)
    games = []
    for number in range(count):
        rows, columns = SIZES[number % len(SIZES)]
        name = list(RULES)[number % 5 if number % 2 else number // 2 % 2]
        base = rules_named("chinese" if name == "simple-area" else name)
        komi = float(random.choice([base.komi, 0.5, 5.5, 6, 6.5, 7, -3.5, 15.5]))
        game = {
            "rows": rows,
            "columns": columns,
            "rules": {**rules_to_katago(base), **RULES[name]},
            "komi": komi,
            "handicap": HANDICAPS[rows] if number % 6 == 5 and rows == columns else "",
            "moves": "",
        }
        position = position_of(game)
        length = int(random.integers(1, rows * columns * 3 // 4))
        while not _is_enough(position, length, wants_ko=number % 3 == 0):
            evaluation = net.evaluate([position])[0]
            move = draw_move(replace(evaluation, pass_probability=0.0), random, 1.3)
            is_late = number % 3 and len(position.moves) >= length - 3
            may_pass = len(position.moves) >= FIRST_PASS and position.moves[-1].move != PASS
            if number % 2 and may_pass and (is_late or random.random() < PASS_SHARE):
                move = PASS
            position.play(move)
        game["moves"] = " ".join(position.vertex(m.move) for m in position.moves)
        games.append(game)
    return games


def _is_enough(position, length, wants_ko):
    """Return whether a game is long enough and, if wanted, a ko was just taken."""
    excess = len(position.moves) - length
    return excess >= 0 and (not wants_ko or excess > 60 or position.block[layout.KO] > 0)


def ask_katago(katago, config, model, games, profiles=()):
    """Return KataGo's answers for the games, each with a player profile if there are any."""
    command = [katago, "gtp", "-config", config, "-model", model]
    first = f",humanSLProfile={profiles[0]}" if profiles else ""
    override = f"numSearchThreads=1,logAllGTPCommunication=false,logDir={first}"
    command += ["-override-config", override]
    commands = []
    for number, game in enumerate(games):
        if profiles:
            commands.append(f"kata-set-param humanSLProfile {profiles[number]}")
        height, width = game["rows"], game["columns"]
        size = (
            f"boardsize {width}" if width == height else f"rectangular_boardsize {width} {height}"
        )
        commands += [
            size,
            "clear_board",
            f"kata-set-rules {json.dumps(game['rules'])}",
            f"komi {game['komi']}",
        ]
        if game["handicap"]:
            commands.append(f"set_free_handicap {game['handicap']}")
        position = position_of({**game, "moves": ""})
        for vertex in game["moves"].split():
            commands.append(f"play {'B' if position.to_play is BLACK else 'W'} {vertex}")
            position.play(position.parse_move(vertex))
        commands.append("kata-raw-nn 0 0.0")
    text = "\n".join([*commands, "quit"]) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    replies = done.stdout.strip().split("\n\n")
    assert not any(reply.startswith("?") for reply in replies), replies
    return [_parse(reply) for reply in replies if reply.startswith("= symmetry")]


def _parse(reply):
    """Return policy, white win, white lead and ownership of a reply to kata-raw-nn."""
    head, _, rest = reply.partition("\npolicy\n")
    policy, _, ownership = rest.partition("\nwhiteOwnership\n")
    values = dict(line.removeprefix("= ").split() for line in head.splitlines())
    win, loss = float(values["whiteWin"]), float(values["whiteLoss"])
    probabilities = np.array(policy.replace("policyPass", "").split(), dtype=float)
    return (
        np.where(np.isnan(probabilities), POLICY_UNIT, np.rint(probabilities * (POLICY_UNIT - 1))),
        win / (win + loss),
        float(values["whiteLead"]) / (win + loss),  # KataGo counts no result as a lead of 0
        np.rint(np.array(ownership.split(), dtype=float) * OWNERSHIP_UNIT),
    )


def write(katago, config, models, games, limits):
    """Ask KataGo about the games and write the data; `limits` gives the games of each model."""
    arrays = {"games": np.frombuffer(json.dumps(games).encode(), dtype=np.uint8)}
    names = []
    for model, limit in zip(models, limits, strict=True):
        names.append(Path(model).name.removesuffix(".bin.gz"))
        answers = ask_katago(katago, config, model, games[:limit])
        policy, win, lead, ownership = zip(*answers, strict=True)
        arrays[f"{names[-1]}/policy"] = np.concatenate(policy).astype(np.uint16)
        arrays[f"{names[-1]}/win"] = np.array(win, dtype=np.float32)
        arrays[f"{names[-1]}/lead"] = np.array(lead, dtype=np.float32)
        arrays[f"{names[-1]}/ownership"] = np.concatenate(ownership).astype(np.int16)
    arrays["nets"] = np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)
    with zipfile.ZipFile(DATA, "w", zipfile.ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)


HUMAN_MODEL = DATA.with_name("tiny-human.bin.gz")
HUMAN_DATA = DATA.with_name("human-outputs.json")
PROFILES = [
    "rank_5k",
    "preaz_9d",
    "proyear_2000",
    "rank_1d_20k",
    "proyear_2022",
    "preaz_12k",
    "rank_9d",
    "proyear_1800",
]


def write_human(katago, config):
    """Write a random human-like network and KataGo's outputs for it, one profile per game."""
    write_tiny(HUMAN_MODEL, 15, seed=7, has_metadata=True)
    games = make_games(len(PROFILES), seed=3)
    for game in games:  # KataGo may compute pass-alive areas otherwise where suicide is legal
        game["rules"]["suicide"] = False
    answers = ask_katago(katago, config, str(HUMAN_MODEL), games, PROFILES)
    rows = [
        {
            "game": game,
            "profile": profile,
            "policy": [int(share) for share in policy],
            "win": win,
            "lead": lead,
            "ownership": [int(share) for share in ownership],
        }
        for game, profile, (policy, win, lead, ownership) in zip(
            games, PROFILES, answers, strict=True
        )
    ]
    HUMAN_DATA.write_text("[" + ",\n".join(map(json.dumps, rows)) + "]\n")


if __name__ == "__main__":
    write_human(*sys.argv[1:3])
    sizes = [50 if "tfrs" in model or "tflrs" in model else 12 for model in sys.argv[3:]]
    if sizes:
        write(sys.argv[1], sys.argv[2], sys.argv[3:], make_games(max(sizes)), sizes)
