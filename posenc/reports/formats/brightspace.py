"""Brightspace's grade import: the user's number, the grade item, and a mark that ends each line."""

from __future__ import annotations

from posenc.reports.formats import Format

FORMAT = Format(
    {
        "OrgDefinedId": "#{id}",
        "Full Name": "{learner}",
        "{title} Points Grade": "{points}",
        "End-of-Line Indicator": "#",
    }
)
