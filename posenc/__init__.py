"""Positional encoding: the mathematics, the course's data, and the judge of its challenges."""

__version__ = "1.0.0"
