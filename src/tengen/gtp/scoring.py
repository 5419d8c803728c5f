"""Commands about the end of the game, and rules."""

import json

from tengen.board.katago_rules import rules_from_katago, rules_to_katago
from tengen.board.rules import rules_named
from tengen.gtp.arguments import want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command
from tengen.playout.judge import Judgement, Status, judge

WORDS = {"alive": Status.ALIVE, "dead": Status.DEAD, "seki": Status.SEKI}


def _judge(session: Session) -> Judgement:
    return judge(session.position)


@command("final_score")
def final_score(session: Session, arguments: list[str]) -> str:
    """Tell the score as if both had passed."""
    return _judge(session).result


@command("final_status_list")
def final_status_list(session: Session, arguments: list[str]) -> str:
    """List the chains of a status, one a line."""
    (word,) = want(arguments, 1, "final_status_list alive|dead|seki")
    if word.lower() not in WORDS:
        raise GtpError("invalid status: alive, dead or seki")
    chains = _judge(session).stones(WORDS[word.lower()])
    return "\n".join(session.vertices(list(chain)) for chain in chains)


@command("kgs-rules")
def kgs_rules(session: Session, arguments: list[str]) -> str:
    """Set the rules by their KGS name."""
    (name,) = want(arguments, 1, "kgs-rules NAME")
    session.set_rules(rules_named(name).with_komi(session.position.rules.komi))
    return ""


@command("kata-set-rules")
def kata_set_rules(session: Session, arguments: list[str]) -> str:
    """Set the rules by name, or by a JSON object as KataGo writes it."""
    text = " ".join(want(arguments, 1, "kata-set-rules NAME|JSON") + arguments[1:])
    rules = rules_from_katago(text) if text.startswith("{") else rules_named(text)
    session.set_rules(rules.with_komi(session.position.rules.komi))
    return ""


@command("kata-get-rules")
def kata_get_rules(session: Session, arguments: list[str]) -> str:
    """Tell the rules as KataGo writes them."""
    return json.dumps(rules_to_katago(session.position.rules))


@command("kata-set-rule")
def kata_set_rule(session: Session, arguments: list[str]) -> str:
    """Change one of the rules: `kata-set-rule ko SIMPLE`."""
    name, value = want(arguments, 2, "kata-set-rule NAME VALUE")
    given = rules_to_katago(session.position.rules)
    if name not in given:
        raise GtpError(f"unknown rule {name}: there are {', '.join(given)}")
    if name != "tax":
        del given["tax"]  # it follows from the scoring, which may be what changes
    rules = rules_from_katago(json.dumps({**given, name: value}))
    known = str(rules_to_katago(rules)[name])
    if known.upper() != value.upper():
        raise GtpError(f"{name} {value} is not played here: it is {known}")
    session.set_rules(rules.with_komi(session.position.rules.komi))
    return ""
