"""Knowledge sources: each gives every point of a position a number, and says what it means."""
