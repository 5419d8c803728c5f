"""Game records: SGF and its relatives, read whole and written back.

The way of a record, each step a module: `source` (files, folders, archives) gives bytes,
`encoding` makes text of them, `grammar` (SGF), `gib`, `ngf` and `ugf` make a `tree` of it, and
`interpret` makes the `game`. `reader` joins the steps, `writer` goes back, `stat` counts.
"""
