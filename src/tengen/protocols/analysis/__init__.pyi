from .server import (
    AnalysisServer as AnalysisServer,
    QueryDefaults as QueryDefaults,
    serve as serve,
)
