from .server import QueryDefaults as QueryDefaults, serve as serve
