"""What runs beside a learner's code: sent as text to a process that cannot import the course.

Nothing here knows an expected value. The modules import the standard library, NumPy, IPython,
`posenc.judging.values` and `posenc.judging.calls` (with `posenc.judging.layers`), and nothing else
of the course.
"""
