"""What ends a command of the course with a sentence: one tree, each class with its exit code.

The command line prints the message and ends with `code`; a notebook or another program may catch
the class that it can do something about. 0 is done, 1 could not be done, 2 not understood, 3 done
with a fault of the grader, 130 interrupted.
"""

from __future__ import annotations


class CourseError(Exception):
    """It could not be done; the message names the input, the limit and the way out."""

    code = 1


class NotUnderstood(CourseError, ValueError):
    """What was asked for does not exist or does not fit together, such as lesson 13."""

    code = 2
