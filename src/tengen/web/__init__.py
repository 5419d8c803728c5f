"""The page: a server on this machine, and what it serves.

`messages` is what page and server say to each other. A `game` holds a tree of moves and knows no
network; a `table` is a game with who looks at it and what the engines do for it; `engines` lends
engines to tables; `connection` carries messages; `guard` keeps strangers out; `app` joins it all.
The page itself is in the folder `page`: plain ES modules, no build step.
"""
