"""Game records: SGF and its relatives, read whole and written back."""
