"""`python -m posenc` is the command `posenc`."""

from posenc.cli import app

app(prog_name="posenc")
