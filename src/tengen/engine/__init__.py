"""The engine: the one place that wires board, playouts, knowledge and search together."""
