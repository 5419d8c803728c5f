"""Paper 003: metric and dimensional evaluations on small boards."""
