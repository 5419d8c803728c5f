"""Which of the five ideas make a stronger engine, together and alone."""
