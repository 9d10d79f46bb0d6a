"""The command `posenc`: one small function for each thing that can be asked of the course.

What a command needs is imported inside it, so that `posenc --help` answers at once.
Exit codes: 0 done, 1 could not be done, 2 asked for in a way that is not understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer

app = typer.Typer(
    name="posenc",
    help="Positional encoding in twelve notebooks, and the judge that checks them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="Your working folder. Without it: the one you are in, else my-course in the course.",
        show_default=False,
    ),
]
Lesson = Annotated[
    str, typer.Argument(help="A lesson: its number, or its file name.", show_default=False)
]

Lessons = Annotated[
    list[str] | None,
    typer.Argument(help="Lessons, by number or file name. Without any: all.", show_default=False),
]


@app.callback()
def _every_command() -> None:
    """Positional encoding in twelve notebooks, and the judge that checks them."""


def leave(message: str, code: int = 1) -> NoReturn:
    """Say on stderr why the command ends here, and end it with an exit code."""
    typer.echo(message, err=True)
    raise typer.Exit(code)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn what can go wrong with a working folder into a sentence and an exit code."""
    from posenc.workspace import NotUnderstood, WorkspaceError

    try:
        yield
    except NotUnderstood as error:
        leave(str(error), 2)
    except WorkspaceError as error:
        leave(str(error))
    except OSError as error:
        leave(f"The file system refused: {error}. Check the folder's rights and the free space.")


@contextmanager
def _author_errors() -> Iterator[None]:
    """Turn what can go wrong with a lesson's source into a sentence and an exit code."""
    from posenc.editions import EditionError
    from posenc.sources import SourceError

    try:
        yield
    except KeyError as unknown:
        leave(str(unknown.args[0]), 2)
    except (EditionError, SourceError) as error:
        leave(str(error))


@app.command()
def start(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Where to. Without it: my-course in the course.", show_default=False),
    ] = None,
) -> None:
    """Copy the lessons into a working folder; nothing that is there is overwritten."""
    from posenc import workspace

    with _plain_errors():
        target = folder if folder is not None else workspace.find_folder()
        typer.echo(workspace.prepare(target).describe())
        typer.echo(f"Open it with: {workspace.command('lab')} --folder {workspace.quoted(target)}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(context: typer.Context, folder: Folder = None) -> None:
    """Open the working folder in JupyterLab; other arguments go to JupyterLab."""
    from posenc import lab as laboratory
    from posenc import workspace

    with _plain_errors():
        target = folder if folder is not None else workspace.find_folder()
        typer.echo(workspace.prepare(target).describe())
        laboratory.open_lab(target, context.args)


@app.command()
def reset(lesson: Lesson, folder: Folder = None) -> None:
    """Bring a lesson back as it was shipped; your copy is kept under a dated name."""
    from posenc import workspace

    with _plain_errors():
        typer.echo(workspace.reset(lesson, folder).describe())


@app.command()
def handin(lesson: Lesson, folder: Folder = None) -> None:
    """Fill the exercise of a lesson from your copy, ready to be handed in."""
    from posenc import handin as handing_in

    with _plain_errors():
        typer.echo(handing_in.handin(lesson, folder).describe())


@app.command()
def build(
    lessons: Lessons = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where a notebook differs.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="How many lessons are run at a time.")] = 2,
    force: Annotated[
        bool, typer.Option("--force", help="Run each lesson again, also where a run is kept.")
    ] = False,
) -> None:
    """Make the notebooks of the lessons from their sources in solutions/."""
    from posenc import editions

    with _author_errors():
        root = editions.find_root()
        if not check:
            editions.build(root, lessons or (), jobs, force, typer.echo)
            return
        found = editions.check(root, lessons or (), jobs)
    if found:
        leave("\n".join([*found, f"{len(found)} differences. `posenc build` mends them."]))
    typer.echo("Every notebook is what its source gives.")


@app.command()
def describe(lessons: Lessons = None) -> None:
    """Print the size of each lesson: words, lines, figures, challenges, in one table."""
    from posenc import describe as describing
    from posenc import editions

    with _author_errors():
        typer.echo(describing.table(describing.rows(editions.find_root(), lessons or ())))


if __name__ == "__main__":
    app()
