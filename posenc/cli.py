"""The command `posenc`: one small function for each thing that can be asked of the course.

What a command needs is imported inside it, so that `posenc --help` answers at once.
Exit codes: 0 done, 1 could not be done, 2 asked for in a way that is not understood.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
import typer.core

from posenc import places
from posenc.errors import CourseError, NotUnderstood


class _Course(typer.core.TyperGroup):
    """The commands, with one place that turns what can go wrong into a sentence and a code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CourseError as error:
            leave(str(error), error.code)
        except OSError as error:
            leave(
                f"The file system refused: {error}. Check the folder's rights and the free space."
            )


app = typer.Typer(
    name="posenc",
    cls=_Course,
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


@app.command()
def start(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Where to. Without it: my-course in the course.", show_default=False),
    ] = None,
) -> None:
    """Copy the lessons into a working folder; nothing that is there is overwritten."""
    from posenc.learning import workspace

    target = folder if folder is not None else places.find_folder()
    typer.echo(workspace.prepare(target).describe())
    typer.echo(f"Open it with: {places.command('lab')} --folder {places.quoted(target)}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(context: typer.Context, folder: Folder = None) -> None:
    """Open the working folder in JupyterLab; other arguments go to JupyterLab."""
    from posenc.learning import lab as laboratory
    from posenc.learning import workspace

    target = folder if folder is not None else places.find_folder()
    typer.echo(workspace.prepare(target).describe())
    laboratory.open_lab(target, context.args)


@app.command()
def reset(lesson: Lesson, folder: Folder = None) -> None:
    """Bring a lesson back as it was shipped; your copy is kept under a dated name."""
    from posenc.learning import workspace

    typer.echo(workspace.reset(lesson, folder).describe())


@app.command()
def handin(lesson: Lesson, folder: Folder = None) -> None:
    """Fill the exercise of a lesson from your copy, ready to be handed in."""
    from posenc.learning import handin as handing_in

    typer.echo(handing_in.handin(lesson, folder).describe())


@app.command()
def restore(
    challenge: Annotated[str, typer.Argument(help="A challenge: 6.2.", show_default=False)],
    folder: Folder = None,
) -> None:
    """Print the cell with which you passed a challenge, as it was kept then."""
    from posenc import lessons
    from posenc.classroom import recording

    try:
        known = lessons.challenge(challenge)
    except KeyError as unknown:
        raise NotUnderstood(f"{unknown.args[0]}.") from None
    source = recording.read(places.open_working_folder(folder)).source(known.id)
    if not source:
        raise CourseError(f"No answer to {known.id} is kept: none has passed in this folder yet.")
    typer.echo(source)


@app.command()
def progress(folder: Folder = None) -> None:
    """Show what you have done and what is left, lesson by lesson."""
    from posenc.classroom.terminal import print_progress

    print_progress(places.open_working_folder(folder))


@app.command()
def grade(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Notebooks, or folders of them.", show_default=False)
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write everything to this JSON file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write a table to this CSV file.")] = None,
    columns: Annotated[
        str | None,
        typer.Option(help="Columns of the CSV file: canvas, moodle, brightspace, or a JSON file."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    gradescope: Annotated[
        Path | None, typer.Option(help="Write Gradescope's results.json, or a folder of them.")
    ] = None,
    feedback: Annotated[
        Path | None, typer.Option(help="Write one page for each learner into this folder.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="How many notebooks are run at a time.")] = 1,
    sandbox: Annotated[
        str, typer.Option(help="How they are run apart: auto, bwrap or none.")
    ] = "auto",
    seed: Annotated[
        int | None,
        typer.Option(help="The seed of the drawn inputs. Without it: that of earlier runs."),
    ] = None,
    lesson: Annotated[
        int | None, typer.Option(help="Grade every notebook as one of this lesson.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Most seconds for one notebook.")] = 60.0,
    memory: Annotated[int, typer.Option(help="Most memory for one notebook, in MB.")] = 1024,
    names: Annotated[
        Path | None, typer.Option(help="A CSV list with the columns file, learner and id.")
    ] = None,
    name_pattern: Annotated[
        str | None,
        typer.Option(help="A regular expression for paths, with a group called learner."),
    ] = None,
    keep: Annotated[
        str,
        typer.Option(help="Which of a learner's submissions counts: newest, oldest, best or all."),
    ] = "newest",
    store: Annotated[
        Path | None,
        typer.Option(help="Where results are kept. Without it: in your own state folder."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run unchanged notebooks again, too.")
    ] = False,
    regrade: Annotated[
        str | None, typer.Option(help="A challenge, or all: judge again, and keep the old marks.")
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(help="The deadline, like 2026-12-01 or '2026-12-01 18:00': marks late ones."),
    ] = None,
    override: Annotated[
        Path | None,
        typer.Option(
            help="A CSV list of points given by hand: learner, challenge, points, reason, who."
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(help="A challenge: show each call, what was expected and what was returned."),
    ] = None,
    self_test: Annotated[
        bool,
        typer.Option("--self-test", help="Show what holds on this machine, on a built-in pile."),
    ] = False,
) -> None:
    """Grade notebooks: run each apart, judge what its functions return.

    Exit codes: 0 graded, whatever the marks; 1 could not be done; 2 not understood, or no notebook
    found; 3 graded, but the grader itself met a fault; 130 interrupted, what was graded is kept.
    """
    from posenc.reports import grade_command

    request = grade_command.Request(
        paths or [],
        json,
        csv,
        columns,
        junit,
        gradescope,
        feedback,
        jobs,
        sandbox,
        seed,
        lesson,
        seconds,
        memory,
        names,
        name_pattern,
        keep,
        store,
        fresh,
        regrade,
        due,
        override,
        typer.echo,
    )
    raise typer.Exit(grade_command.answer(request, explain, self_test, leave))


@app.command()
def replay(
    results: Annotated[Path, typer.Argument(help="A file that `posenc grade --json` wrote.")],
    learner: Annotated[str, typer.Argument(help="Whose verdict: a name, an id, or a file.")],
    challenge: Annotated[str, typer.Argument(help="A challenge, such as 6.2.")],
) -> None:
    """Give a verdict again from a results file alone, and compare it with the one that is there.

    Nothing is run: the answers are in the file. Exit codes: 0 the same verdict, byte for byte;
    1 another one, or it cannot be given again; 2 not understood.
    """
    from posenc.reports import replay_command

    raise typer.Exit(replay_command.answer(results, learner, challenge, typer.echo))


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
    from posenc.authoring import editions

    root = places.author_folder()
    if not check:
        editions.build(root, lessons or (), jobs, force, typer.echo)
        return
    found = editions.check(root, lessons or (), jobs)
    if found:
        leave("\n".join([*found, f"{len(found)} differences. `posenc build` mends them."]))
    typer.echo("Every notebook is what its source gives.")


@app.command()
def export(
    lessons: Lessons = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The folder to put pages in. Without it: html or html-instructor."),
    ] = None,
    edition: Annotated[str, typer.Option(help="Which one: learner or instructor.")] = "learner",
) -> None:
    """Make a page to read of each lesson: pictures in place of widgets, no network needed."""
    from posenc.authoring import export as exporting

    exporting.export(places.author_folder(), lessons or (), output, edition, typer.echo)


@app.command()
def describe(lessons: Lessons = None) -> None:
    """Print the size of each lesson: words, lines, figures, challenges, in one table."""
    from posenc.authoring import describe as describing

    typer.echo(describing.table(describing.rows(places.author_folder(), lessons or ())))


@app.command()
def report(
    graded: Annotated[
        Path | None,
        typer.Argument(
            help="Results of `posenc grade` (JSON or its store), or a folder, graded first.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="The page. Without it: class-report.html, or class-report-anonymous.html."
        ),
    ] = None,
    anonymous: Annotated[
        bool,
        typer.Option("--anonymous", help="For the projector: counts and shared mistakes only."),
    ] = False,
    watch: Annotated[
        Path | None, typer.Option(help="A folder: keep the page current as notebooks are saved.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="How many notebooks are run at a time.")] = 1,
) -> None:
    """Make a page about a class: what holds it up, which mistake how many share.

    Exit codes: 0 done, also where Ctrl+C ended --watch; 1 could not be done; 2 not understood.
    """
    from posenc.reports import report_command as reporting

    request = reporting.Request(graded, output, anonymous, watch, jobs, typer.echo)
    raise typer.Exit(reporting.answer(request, leave))


@app.command()
def handout(
    output: Annotated[Path, typer.Option(help="The zip file.")] = Path("posenc-handout.zip"),
) -> None:
    """Make a zip of the course without its solutions, for learners."""
    from posenc.authoring import handout as handing_out

    typer.echo(handing_out.make(places.course_folder(), output).describe())


@app.command()
def timetable(
    start: Annotated[str, typer.Option(help="When a day begins.")] = "9:00",
) -> None:
    """Print the sessions and their minutes, a two-day and a one-day course."""
    from posenc.authoring import timetable as times

    hour, colon, minute = start.partition(":")
    if not (colon and hour.isdigit() and minute.isdigit() and int(hour) < 24 and int(minute) < 60):
        raise NotUnderstood(f"--start {start}: a time of day is written like 9:00 or 13:30.")
    typer.echo(times.text(places.course_folder(), int(hour) * 60 + int(minute)), nl=False)


@app.command()
def slides(
    lessons: Lessons = None,
    output: Annotated[Path, typer.Option(help="The folder to put decks in.")] = Path("slides"),
) -> None:
    """Make a deck of each lesson, with the instructor's notes; it needs no network afterwards."""
    from posenc.authoring import editions
    from posenc.authoring import slides as decks

    root = places.author_folder()
    chosen = editions.select(editions.source_paths(root), lessons or ())
    for path in chosen:
        typer.echo(decks.make(root, int(path.name[:2]), output))


@app.command()
def kit(
    kind: Annotated[str, typer.Argument(help="gradescope or github.", show_default=False)],
    lesson: Lesson,
    output: Annotated[
        Path | None, typer.Option(help="The zip file. Without it: posenc-KIND-NN.zip.")
    ] = None,
) -> None:
    """Make what a system needs to grade a lesson by itself, upload by upload."""
    from posenc import lessons
    from posenc.hosting import kits

    stem = places.meant(lesson, [one.stem for one in lessons.LESSONS])
    typer.echo(
        f"{kits.make(kind, int(stem[:2]), output)} is ready. docs/hosting.md says how to use it."
    )


@app.command()
def doctor() -> None:
    """Look at this machine: one line for each thing that the course needs; nothing is sent.

    Exit codes: 0 all is well, 1 something should be looked at.
    """
    from posenc.hosting.doctor import findings

    well = True
    for finding in findings():
        typer.echo(finding.line())
        well = well and finding.well
    raise typer.Exit(0 if well else 1)


if __name__ == "__main__":
    app()
