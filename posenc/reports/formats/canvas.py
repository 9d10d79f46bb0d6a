"""Canvas's gradebook, as its *Import* reads it: a row of possible points, then the students."""

from __future__ import annotations

from posenc.reports.formats import Format


def _possible(most: int) -> list[list[str]]:
    return [["    Points Possible", "", "", "", "", str(most), "(read only)"]]


FORMAT = Format(
    {
        "Student": "{learner}",
        "ID": "{canvas}",
        "SIS User ID": "{id}",
        "SIS Login ID": "",
        "Section": "",
        "{title}": "{points}",
        "Status": "{status}",
    },
    lead=_possible,
)
