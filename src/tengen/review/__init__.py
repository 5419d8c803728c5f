"""Reviews of whole games and explanations of single positions.

`review` estimates every position of a game, `annotation` writes the results into SGF, `page` with
`figures` into HTML, `serialization` into JSON. `folder` stores the reviews of many games, `batch`
runs them. `explanation` collects search results and source scores of one position.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
