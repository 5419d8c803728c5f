"""Playouts (light, heavy and batched), and the scoring of finished positions with them."""
