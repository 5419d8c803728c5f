from .loop import GtpLoop as GtpLoop
from .protocol import Command as Command, GtpLog as GtpLog
from .session import COMMANDS as COMMANDS, Identity as Identity, Session as Session
