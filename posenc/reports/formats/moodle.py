"""Moodle's grading worksheet, with feedback comments."""

from __future__ import annotations

from posenc.reports.formats import Format

FORMAT = Format(
    {
        "Identifier": "{participant}",
        "Full name": "{learner}",
        "Status": "{status}",
        "Grade": "{points}",
        "Maximum Grade": "{out_of}",
        "Feedback comments": "{feedback}",
    }
)
