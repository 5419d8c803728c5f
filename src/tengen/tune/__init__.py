"""Tuners: SPSA and an evolving population. Both only ask for duels and take their results."""
