"""Playouts, and what is judged by playing many of them."""
