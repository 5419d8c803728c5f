"""Parameter tuning: SPSA and an evolving population, by games or by a reference engine."""
