"""Notebooks as learners hand them in: right, mistaken, broken and hostile."""
