"""What a lesson calls in its notebook."""

from posenc.classroom.asking import ask
from posenc.classroom.checking import case, check, hint, solution
from posenc.classroom.claiming import claim
from posenc.classroom.playgrounds import playground
from posenc.classroom.recording import progress

__all__ = ["ask", "case", "check", "claim", "hint", "playground", "progress", "solution"]
