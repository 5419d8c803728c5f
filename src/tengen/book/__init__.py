"""The opening book: what strong players did, how often, and with what result.

`Book` reads a file and tells what it knows of a position; see docs/book.md.
"""
