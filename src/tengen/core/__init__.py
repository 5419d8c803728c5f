"""What every other package may use: the compiler, errors, progress."""
