"""Compiled board kernels. Nothing here is a Python object; everything works on board blocks."""
