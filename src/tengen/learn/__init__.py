"""From game records to tables."""
