"""The tree search. It knows no concrete knowledge source."""
