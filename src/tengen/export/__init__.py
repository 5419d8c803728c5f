"""Positions of games with the features of Tengen's nets, as files for one's own training."""
