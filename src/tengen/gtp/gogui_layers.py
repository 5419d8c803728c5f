"""GoGui's analyze commands: every layer as a picture, every setting in a dialog."""

from typing import TYPE_CHECKING

from tengen.gtp.arguments import vertex_text, want
from tengen.gtp.gogui_settings import SETTING_COMMANDS
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command
from tengen.gtp.state import Heed
from tengen.gtp.watch import Watch

if TYPE_CHECKING:
    from tengen.search.report import SearchReport

FIXED = (
    "gfx/A source of your own (FILE.py:NAME)/tengen-layer %s",
    "var/Best line/tengen-line",
    "string/Score as it stands/final_score",
    "plist/Dead stones/final_status_list dead",
    "plist/Stones in seki/final_status_list seki",
    "none/Forget the search tree/clear_cache",
)


@command("gogui-analyze_commands")
def analyze_commands(session: Session, arguments: list[str]) -> str:
    """List what GoGui can show: `type/label/command`, one a line."""
    from tengen.view.catalogue import LAYERS

    layers = [
        f"gfx/{_label(f'{info.group}: {info.title}')}/tengen-layer {name}"
        for name, info in LAYERS.items()
    ]
    settings = [f"param/{_label(label)}/{name}" for name, label in SETTING_COMMANDS.items()]
    return "\n".join([*layers, *FIXED, *settings])


def _label(text: str) -> str:
    """GoGui splits a line at `/`."""
    return text[:1].upper() + text[1:].replace("/", ", ")


@command("tengen-layer")
def layer(session: Session, arguments: list[str]) -> str:
    """Draw a layer of the present position in GoGui's `gfx`: `tengen-layer search.visits`."""
    from tengen.database.place import usual_place
    from tengen.gtp.gfx import layer_commands
    from tengen.view.catalogue import find_layer, make_layer
    from tengen.view.context import ViewContext
    from tengen.view.info import Need

    name = " ".join(want(arguments, 1, "tengen-layer NAME") + arguments[1:])
    needs_search = find_layer(name).needs is Need.SEARCH
    report = _searched(session) if needs_search else session.seen_here()
    context = ViewContext(session.settings, report, usual_place())
    made = make_layer(name, session.position, context)
    return "\n".join(layer_commands(made, session.position))


@command("tengen-line")
def best_line(session: Session, arguments: list[str]) -> str:
    """Tell the best line that the search found."""
    candidates = _searched(session).candidates
    if not candidates:
        raise GtpError("there is no move")
    return " ".join(vertex_text(session.position, move) for move in candidates[0].line)


def _searched(session: Session) -> "SearchReport":
    """Return what a search of the present position found; search for a move's time if need be."""
    report = session.seen_here()
    if report is None:
        position = session.position.copy()
        watch = Watch(session, position)
        with session.heeding(Heed.INTERRUPT):
            report = session.engine.analyse(position, session.settings.play.limit(), watch)
        watch.end(report)
    return report
