"""The `tengen` command: one module per sub-command, imported only when it is used."""
