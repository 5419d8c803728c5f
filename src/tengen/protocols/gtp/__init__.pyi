from .loop import GtpLoop as GtpLoop
from .protocol import Command as Command, GtpLog as GtpLog, InputQueue as InputQueue
from .session import COMMANDS as COMMANDS, Identity as Identity, Session as Session
