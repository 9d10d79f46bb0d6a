"""What a lesson calls in its notebook."""

from posenc.classroom.playgrounds import playground

__all__ = ["playground"]
