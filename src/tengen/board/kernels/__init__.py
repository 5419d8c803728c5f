"""Compiled board kernels. They work on board blocks (see `layout`), never on Python objects."""
