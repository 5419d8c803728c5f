"""Neural nets: what goes in, how it is computed, and what comes out."""
