"""Paper 004: the sloppy hash array of patterns, measured."""
