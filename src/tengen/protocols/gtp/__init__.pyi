from .connection import GtpLog as GtpLog
from .loop import GtpLoop as GtpLoop
from .protocol import Command as Command
from .session import COMMANDS as COMMANDS, Identity as Identity, Session as Session
