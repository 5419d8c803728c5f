"""The solver of small boards: perfect play, proved."""
