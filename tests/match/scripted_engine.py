"""A GTP engine with scripted behavior: `scripted_engine.py crash=2 score=W+9 ...`.

Each color plays `stones` stones in its own corner, then passes.

crash, hang, illegal, nonsense, refuse: number of the genmove (from 1) at which to do so
late=N,SECONDS    answer the Nth genmove late
babble=1          write noise to standard output around every reply
score=TEXT        reply of final_score
resign=N          resign at the Nth genmove
resign_as=b|w     resign whenever that color is to move
sizes=5,9         accept only these sizes
start=die         exit before the first command
log=TEXT          write TEXT to standard error at every genmove
name=TEXT         reply of name
column=N          start at that column (default: 1)
likes=N           analysis: rate the last move by its distance from that column
over=1            analysis: pass without a report, as if the game were over
dies=1            analysis: exit at every command
dies_once=FILE    the same, but only until FILE exists, which is created
slow=SECONDS      delay the first boardsize
kata=RATE         support kata-genmove_analyze with this win rate
rules=COMMAND     support kata-set-rules or kgs-rules and write its arguments to stderr
nameless=1        do not support name
knows=A,B         list these commands as well
rejects=A,B       answer `?` to these commands
handicap=TEXT     reply of fixed_handicap (list it in `knows`)
echo=1            write every command to standard error
"""

import os
import sys
import time

LETTERS = "ABCDEFGHJKLMNOPQRST"
SILENT = ("boardsize", "clear_board", "komi", "play", "time_settings", "time_left")
COMMANDS = [*SILENT, "name", "version", "protocol_version", "list_commands", "known_command"]
COMMANDS += ["lz-genmove_analyze", "genmove", "quit", "final_score", "set_random_seed", "undo"]


class Engine:
    def __init__(self, options):
        self.options = options
        self.size = 9
        self.clear()

    def clear(self):
        self.asked = 0
        self.stones = []

    def answer(self, words):
        command = words[0]
        if command not in COMMANDS:
            return "? unknown command"
        method = getattr(self, "do_" + command.replace("-", "_"), None)
        return "= " + method(*words[1:]) if method else "= "

    def do_name(self):
        return self.options.get("name", "scripted")

    def do_version(self):
        return self.options.get("version", "1")

    def do_protocol_version(self):
        return "2"

    def do_list_commands(self):
        return "\n".join(COMMANDS)

    def do_known_command(self, command):
        return "true" if command in COMMANDS else "false"

    def do_clear_board(self):
        self.clear()
        return ""

    def do_final_score(self):
        return self.options.get("score", "0")

    def do_boardsize(self, size):
        time.sleep(float(self.options.pop("slow", 0)))
        self.size = int(size)
        return ""

    def do_fixed_handicap(self, count):
        return self.options.get("handicap", "C3 G7")

    def do_play(self, color, vertex):
        self.stones.append(vertex.upper())
        return ""

    def do_genmove(self, color):
        self.asked += 1
        print(self.options.get("log", ""), file=sys.stderr, flush=True)
        if self.at("crash"):
            print("fatal: out of cheese", file=sys.stderr, flush=True)
            sys.exit(3)
        if self.at("hang"):
            time.sleep(3600)
        late = self.options.get("late", "0,0").split(",")
        if int(late[0]) == self.asked:
            time.sleep(float(late[1]))
        if self.at("resign") or self.options.get("resign_as") == color:
            return "resign"
        if self.at("nonsense"):
            return "banana"
        if self.at("illegal"):
            return self.stones[0]
        return self.move(color)

    def do_lz_genmove_analyze(self, color, interval):
        once = self.options.get("dies_once")
        if "dies" in self.options or (once and not os.path.exists(once)):
            if once:
                open(once, "w").close()
            sys.exit("out of memory")
        if "over" in self.options:
            return "play pass"
        column = LETTERS.index(self.stones[-1][0]) + 1
        rate = 1000 * abs(column - int(self.options["likes"]))
        return f"\ninfo move pass visits 1 winrate {rate} prior 1 order 0 pv pass\nplay pass"

    def do_kgs_rules(self, name):
        print(name, file=sys.stderr, flush=True)
        return ""

    do_kata_set_rules = do_kgs_rules

    def do_kata_genmove_analyze(self, color, interval):
        return f"\ninfo move pass visits 1 winrate {self.options['kata']} order 0\nplay pass"

    def at(self, name):
        return int(self.options.get(name, 0)) == self.asked

    def move(self, color):
        if self.asked > int(self.options.get("stones", 2)):
            return "pass"
        row = 1 if color == "b" else self.size
        first = int(self.options.get("column", 1))
        move = f"{LETTERS[first + self.asked - 2]}{row}"
        self.stones.append(move)
        return move


def main(arguments):
    options = dict(word.split("=", 1) for word in arguments)
    if "start" in options:
        print("no license", file=sys.stderr)
        sys.exit(1)
    if "kata" in options:
        COMMANDS.append("kata-genmove_analyze")
    if "rules" in options:
        COMMANDS.append(options["rules"])
    COMMANDS.extend(filter(None, options.get("knows", "").split(",")))
    if "nameless" in options:
        COMMANDS.remove("name")
    engine = Engine(options)
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if "babble" in options:
            print("thinking hard...\nstill thinking\n")
        if "echo" in options:
            print(line.strip(), file=sys.stderr, flush=True)
        answer = engine.answer(words)
        if words[0] in options.get("rejects", "").split(","):
            answer = "? not so"
        if words[0] == "boardsize" and words[1] not in options.get("sizes", words[1]).split(","):
            answer = "? unacceptable size"
        if words[0] == "play" and options.get("refuse") == str(engine.asked):
            answer = "? illegal move"
        print(answer + "\n", flush=True)
        if words[0] == "quit":
            break


main(sys.argv[1:])
