"""The `tengen` command: help, bad input, broken pipes, lazy imports."""

import argparse
import json
import subprocess
import sys

import pytest
from cli_helpers import COMMAND, PATIENCE_S, tengen

from tengen import __version__
from tengen.cli import main as command_line
from tengen.cli.engine_options import add_engine_options, engine_settings
from tengen.cli.parser import CommandParser
from tengen.util import TengenError

HEAVY_MODULES = ("numba", "numpy", "rich", "sgfmill", "matplotlib", "distributed")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['tengen', '--help']\n"
        "from tengen.cli.main import entry\n"
        "try: entry()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY_MODULES!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout
    for title, group in command_line.GROUPS.items():
        listed = [f"  {name:10} {text}" for name, text in group.items()]
        assert "\n".join([f"{title}:", *listed]) in done.stdout


@pytest.mark.parametrize("words", [["play"], ["net", "play"], ["games", "import"]])
def test_help_fits_the_terminal(words, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "50")
    with pytest.raises(SystemExit):
        command_line.main([*words, "--help"])
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if len(line) > 50 and line[0] != " "] == []


def test_version():
    assert tengen("--version") == (0, f"tengen {__version__}\n", "")


def test_prints_help_without_a_command():
    assert tengen() == tengen("--help")


def test_rejects_an_option_before_the_command():
    code, _, errors = tengen("--nonsense", "match")
    assert (code, len(errors.splitlines())) == (2, 1)
    assert "'--nonsense'" in errors


def test_warns_about_a_time_limit_beside_visits():
    code, _, errors = tengen("gtp", "-override-config", "maxVisits=10,maxTime=2", typed="quit\n")
    assert (code, "maxTime" in errors) == (0, True)


@pytest.mark.parametrize("name", command_line.COMMANDS)
def test_each_command_has_help(name, capsys):
    with pytest.raises(SystemExit) as leaving:
        command_line.main([name, "--help"])
    assert leaving.value.code == 0
    printed = capsys.readouterr()
    assert f"usage: tengen {name}" in printed.out
    assert printed.err == ""


def help_texts(parser):
    """Yield the help of every option and sub-command below a parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help or "" for choice in action._choices_actions)
            for below in action.choices.values():
                yield from help_texts(below)
        elif not isinstance(action, argparse._HelpAction):
            yield action.help or ""


@pytest.mark.parametrize("name", command_line.COMMANDS)
def test_help_texts_are_fragments(name):
    parser = CommandParser()
    command_line.import_command(name).add_arguments(parser)
    texts = [*help_texts(parser), command_line.COMMANDS[name]]
    assert [text for text in texts if not text or text.endswith(".")] == []


@pytest.fixture
def files(tmp_path):
    """A folder with a game record and a file that is not one."""
    (tmp_path / "game.sgf").write_text("(;SZ[5];B[aa])")
    (tmp_path / "junk").write_text("hello")
    return tmp_path


BAD_LINES = [
    "nonsense",
    "--nonsense",
    "gtp --threads x",
    "gtp --threads 0",
    "gtp --playouts -5",
    "gtp --seconds nan",
    "gtp --seed 99999999999999",
    "gtp bogus=1",
    "gtp playouts",
    "gtp --threads 1 playouts=5 nonsense",
    "gtp --threads 1 playouts=5 --nonsense=1",
    "gtp playouts=many",
    "gtp --as stockfish",
    "gtp --log FILES/missing/x.log",
    "gtp -config FILES/missing",
    "gtp -model FILES/junk",
    "analysis bogus=1",
    "analysis --positions 0",
    "analysis -config FILES/missing",
    "analysis -override-config maxVisits",
    "analysis -model FILES/missing.bin.gz",
    "bench interrupt --rounds 0",
    "gtp search.algorithm=magic",
    "gtp priors.playouts=1",
    "gtp --config FILES/missing",
    "gtp --config FILES/junk",
    "gtp --config FILES",
    "gtp --prior nonsense",
    "gtp --prior FILES/missing.py:source",
    "gtp --prior FILES/junk:source",
    "gtp --rules bridge",
    "play --size 40",
    "play --size 0x3",
    "play --size x",
    "play --komi 3.3",
    "play --komi nan",
    "play --komi x",
    "play --handicap 99",
    "play --handicap x",
    "play --color green",
    "play --rules bridge",
    "score",
    "score FILES/missing",
    "score FILES/game.sgf --komi 0.3",
    "score FILES/game.sgf --rules bridge",
    "score FILES/game.sgf --nonsense",
    "explain",
    "explain FILES/missing",
    "explain FILES/game.sgf --move 9",
    "explain FILES/game.sgf bogus=1",
    "review",
    "review FILES/game.sgf",
    "review FILES/missing -o FILES/match.db",
    "review FILES/game.sgf -o FILES/junk",
    "review FILES/game.sgf -o FILES/match.db playout=3",
    "presets nonsense",
    "regress",
    "regress FILES/missing",
    "regress FILES/game.sgf bogus=1",
    "view",
    "view FILES/missing",
    "view FILES/junk",
    "view FILES/game.sgf --source nonsense",
    "view FILES/game.sgf -o FILES/x.gif",
    "view FILES/game.sgf --surface",
    "games",
    "games stat",
    "games stat FILES/missing",
    "games stat FILES --workers 0",
    "match",
    "match one -o FILES/match.db",
    "match one two",
    "match tengen tengen --games x -o FILES/match.db",
    "match tengen tengen --games 0 -o FILES/match.db",
    "match tengen tengen --size 99 -o FILES/match.db",
    "match tengen tengen bogus=1 -o FILES/junk",
    "match /no/such/engine tengen -o FILES/match.db",
    "report",
    "report FILES/missing",
    "report FILES/junk",
    "report FILES",
    "tune",
    "tune FILES/missing -o FILES/tuned",
    "tune FILES/junk -o FILES/tuned",
    "gtp-check",
    "gtp-check /no/such/engine",
    "gtp-check x --timeout soon",
    "selfcheck --only nonsense",
    "selfcheck --minutes 0",
    "selfcheck --soak 0",
    "problem",
    "problem nowhere.sgf",
    "problem --suite nowhere",
    "problem --table-bits 99 x.sgf",
    "solve",
    "solve x",
    "solve 9x9x9",
    "shape",
    "shape nonsense",
    "shape info FILES/junk",
    "lab",
    "lab nonsense",
    "bench",
    "bench nonsense",
    "net",
    "net info",
    "net info no-such-net",
    "net info FILES/junk.onnx",
    "net import FILES/missing",
    "net import FILES/junk",
    "net get nonsense",
    "net eval no-such-net FILES/junk",
    "net eval FILES/junk.onnx FILES/junk",
    "bench net",
    "bench net --net no-such-net",
    "bench playouts --size x",
    "bench playouts --threads 0",
    "bench playouts --seconds -1",
    "bench games --database FILES/none",
    "games export FILES/game.sgf",
    "games export FILES/game.sgf -o FILES/x.csv",
    "games export FILES/missing -o FILES/x.npz",
    "games import",
    "games import FILES/none --database FILES/g",
    "games import FILES/game.sgf --database FILES/junk",
    "games search FILES/game.sgf --database FILES/none",
    "games search FILES/game.sgf --move 0",
    "games show x",
    "book",
    "book build",
    "book build -o FILES/b --database FILES/none",
    "book show FILES/junk",
    "book show FILES/none",
    "gtp book=FILES/junk",
    "gtp --book FILES/none",
]


def run_here(words, monkeypatch, capsys):
    """Run the console script in this process; return (exit code, stdout, stderr)."""
    monkeypatch.setattr(sys, "argv", ["tengen", *words])
    with pytest.raises(SystemExit) as leaving:
        command_line.entry()
    printed = capsys.readouterr()
    return leaving.value.code, printed.out, printed.err


@pytest.mark.parametrize("line", BAD_LINES)
def test_bad_input_is_reported_in_one_line(line, files, monkeypatch, capsys):
    words = line.replace("FILES", str(files)).split()
    code, output, errors = run_here(words, monkeypatch, capsys)
    assert code == 2
    assert output == ""
    messages = [text for text in errors.splitlines() if not text.startswith("tengen: compil")]
    assert len(messages) == 1, errors
    assert messages[0].startswith("tengen")
    assert not (files / "match.db").exists(), "nothing is written"


def test_bad_input_covers_every_command():
    tried = {line.split()[0] for line in BAD_LINES if line}
    assert set(command_line.COMMANDS) <= tried, "add bad input for a new command"


def test_rejects_a_file_without_a_game(files):
    code, output, errors = tengen("score", files / "junk")
    assert (code, output) == (2, "")
    assert errors.splitlines()[-1] == f"tengen: no game in {files / 'junk'}"
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (TengenError("first\nsecond"), 2, "tengen: first second\n"),
        (PermissionError(13, "Permission denied", "/x"), 2, "tengen: /x: Permission denied\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_print_no_traceback(error, code, message, monkeypatch, capsys):
    def fail(arguments):
        raise error

    monkeypatch.setattr(command_line, "main", fail)
    assert run_here([], monkeypatch, capsys) == (code, "", message)


@pytest.mark.parametrize("words", [["--help"], ["gtp", "--help"], ["score", "FILE"]])
def test_exits_quietly_on_a_broken_pipe(words, files):
    words = [str(files / "game.sgf") if word == "FILE" else word for word in words]
    command = [*COMMAND, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(PATIENCE_S) in (0, 1, 141)
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["--version", "gtp playouts=5 threads=1"])
def test_accepts_closed_standard_streams(words, closed):
    line = f"echo name | {{ {' '.join(COMMAND)} {words} {closed}; }}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_package_runs_as_a_module():
    outcome = tengen("gtp", "bogus=1")
    assert outcome.code == 2
    assert outcome.errors == "tengen: unknown setting 'bogus': `tengen gtp --help` lists them"


def test_sources_are_given_as_settings_and_options(files):
    """`prior=` and `--prior` add up."""
    (files / "idea.py").write_text("def idea(position): 'likes nothing'")
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    words = ["prior=lines@14", "--prior", f"{files / 'idea.py'}:idea"]
    settings = engine_settings(parser.parse_args(words))
    assert [source.name for source in settings.sources] == ["lines", "idea"]


def test_accepts_settings_between_options():
    outcome = tengen("gtp", "--threads", 1, "playouts=5", "--seed", 1, "lag=1", typed="name\n")
    assert outcome == (0, "= Tengen\n\n", "")


# Output of commands


@pytest.mark.kernels
def test_bench_prints_one_object(monkeypatch, capsys):
    words = ["bench", "playouts", "--size", "5", "--seconds", "0.05", "--threads", "2", "--json"]
    code, output, _ = run_here(words, monkeypatch, capsys)
    assert code == 0
    figures = json.loads(output)
    assert {"playouts_per_s", "moves_per_s", "size", "threads"} <= set(figures)
    assert (figures["size"], figures["threads"]) == (5, 2)
    assert figures["moves_per_s"] > figures["playouts_per_s"] > 0


@pytest.mark.kernels
def test_bench_prints_text(monkeypatch, capsys):
    words = ["bench", "playouts", "--size", "5x7", "--seconds", "0.05"]
    code, output, _ = run_here(words, monkeypatch, capsys)
    assert code == 0
    assert "playouts_per_s" in output
    assert "5x7" in output


FINISHED = "(;SZ[5]KM[0.5]RE[B+24.5]AB[ca][cb][cc][cd][ce]AW[da][db][dc][dd][de][aa]{})"


@pytest.mark.kernels
def test_score(tmp_path, monkeypatch, capsys):
    path = tmp_path / "game.sgf"
    path.write_text(FINISHED.format(""))
    code, output, _ = run_here(["score", str(path)], monkeypatch, capsys)
    assert code == 0
    assert "area scoring, komi 0.5: B+4.5, recorded result B+24.5" in output
    assert " o - X O ~ " in output
    code, output, _ = run_here(["score", str(path), "--json", "--komi", "7"], monkeypatch, capsys)
    found = json.loads(output)
    assert (found["result"], found["dead"], found["seki"]) == ("W+2", [["A5"]], [])
    assert found["owner"] == ["XXXOO"] * 5
    assert found["recorded"] == "B+24.5"


@pytest.mark.kernels
def test_score_by_other_rules(tmp_path, monkeypatch, capsys):
    path = tmp_path / "game.sgf"
    path.write_text(FINISHED.format(""))
    words = ["score", str(path), "--rules", "japanese", "--json"]
    code, output, _ = run_here(words, monkeypatch, capsys)
    assert json.loads(output)["result"] == "B+5.5", "ten and a prisoner against five and a half"


HINTS = {
    "analyse game.sgf": "`tengen analyse` is now `tengen review`",
    "analyze game.sgf": "`tengen analyze` is now `tengen review`",
    "net quantise default": "`tengen net quantise` is now `tengen net quantize`",
    "lab small-boards": "`tengen lab small-boards` is now `tengen lab metric`",
    "revew game.sgf": "did you mean 'review'?",
    "FILES/game.sgf": "is a file, not a command: try `tengen explain",
    "gtp --net default": "net is a setting: write net=VALUE",
    "gtp playout=50": "did you mean 'playouts'?",
    "explain": "required: FILE (see",
    "explain FILES/game.sgf --move 9": "no move 9: the game has 1 move",
    "view FILES/game.sgf --source bigmov": "did you mean 'bigmove'?",
    "explain FILES/game.sgf --memory-mib=64": "write memory_mib=VALUE",
    "explain FILES/game.sgf --playuots 3": "mean '--playouts'? (see `tengen explain --help`)",
    "gtp --equivalent-visits 50": "--equivalent-visits requires --prior",
    "view FILES/game.sgf --source my_ideas.py": "a function of the file: my_ideas.py:NAME",
    "match tengen tengen -o FILES": "is a folder: give the name of a match file",
}
"""Mistyped command lines and the hints they get."""


@pytest.mark.parametrize("line", HINTS)
def test_typos_get_a_hint(line, files, monkeypatch, capsys):
    words = line.replace("FILES", str(files)).split()
    code, _, errors = run_here(words, monkeypatch, capsys)
    assert code == 2
    assert HINTS[line] in errors


def test_usage_shortens_many_options(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["review", "--help"])
    usage = capsys.readouterr().out.split("\n\n")[0]
    assert usage == "usage: tengen review [options] -o OUT GAMES [GAMES ...] [NAME=VALUE ...]"


@pytest.mark.parametrize("words", [["net=foo"], ["net=default", "net_below=foo"]])
def test_gtp_reports_a_missing_net_at_the_start(words):
    with pytest.raises(TengenError, match="no network 'foo'"):
        command_line.main(["gtp", *words])
