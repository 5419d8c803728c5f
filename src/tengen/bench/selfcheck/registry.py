"""The checks of `tengen selfcheck`."""

from tengen.bench.selfcheck.boards import oracle_games, scored_positions, superko_games
from tengen.bench.selfcheck.check import Check
from tengen.bench.selfcheck.gtp_lines import gtp_lines
from tengen.bench.selfcheck.json_lines import json_lines
from tengen.bench.selfcheck.matches import hostile_engines, killed_matches
from tengen.bench.selfcheck.records import damaged_records
from tengen.bench.selfcheck.server import server_attacks

CHECKS = (
    Check(
        "rules",
        "positions",
        "stones, legal moves and area agree with a slow reference board",
        oracle_games,
        2.0,
    ),
    Check(
        "superko",
        "positions",
        "the same on small boards, where positions repeat often",
        superko_games,
    ),
    Check(
        "scoring",
        "positions",
        "area scores agree with the reference, under rotation and a swap of colors",
        scored_positions,
        0.5,
    ),
    Check(
        "records",
        "records",
        "damaged records are read without an error and written unchanged",
        damaged_records,
        2.0,
    ),
    Check("gtp", "lines", "each line gets one well-formed reply", gtp_lines),
    Check("json", "lines", "each query gets its responses, none twice", json_lines),
    Check(
        "kills",
        "kills",
        "a killed match resumes; no game is lost, doubled or damaged",
        killed_matches,
        2.0,
    ),
    Check(
        "engines",
        "games",
        "engines that crash, hang, cheat or flood lose; the match continues",
        hostile_engines,
    ),
    Check(
        "server",
        "requests",
        "foreign, malformed and slow requests are refused; the page keeps answering",
        server_attacks,
    ),
)
