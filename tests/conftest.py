"""What every test has: a folder of its own for what the grader remembers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# A replayed lesson is nobody's work: nothing is recorded of it, and nothing said about that.
os.environ["POSENC_PROGRESS"] = "none"


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Results of graded piles go here, also those of programs that tests start."""
    before = os.environ.get("XDG_STATE_HOME")
    folder = tmp_path_factory.mktemp("state")
    os.environ["XDG_STATE_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before
