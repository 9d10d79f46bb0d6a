"""What a lesson calls in its notebook."""

from posenc.classroom.asking import ask
from posenc.classroom.checking import case, check, hint, solution
from posenc.classroom.claiming import claim
from posenc.classroom.playgrounds import playground
from posenc.classroom.recording import progress
from posenc.classroom.waiting import bar

__all__ = ["ask", "bar", "case", "check", "claim", "hint", "playground", "progress", "solution"]
