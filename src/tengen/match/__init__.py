"""Matches between players: in-process Tengen and any GTP program, with results one can believe."""
