"""Levels: opponents of every rank, played by the policy of the bundled network."""
