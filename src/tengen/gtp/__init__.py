"""The Go Text Protocol."""
