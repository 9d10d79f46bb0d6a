"""Print pip constraints that pin what pyproject.toml asks for to its lower bounds."""

import re
import sys
import tomllib
from pathlib import Path


def lower_bounds(pyproject: str) -> list[str]:
    """Return 'name==version' for each requirement of the text of a pyproject.toml, extras too.

    Raises ValueError for a requirement that is not of the form name>=version.
    """
    project = tomllib.loads(pyproject)["project"]
    wanted = list(project["dependencies"])
    for requirements in project["optional-dependencies"].values():
        wanted += [each for each in requirements if not each.startswith(project["name"] + "[")]
    pinned = []
    for requirement in wanted:
        plain = requirement.partition(";")[0].strip()  # less the systems it is for
        found = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)", plain)
        if not found:
            raise ValueError(f"{requirement!r} has no lower bound of the form name>=version")
        pinned.append(f"{found[1]}=={found[2]}")
    return sorted(set(pinned))


if __name__ == "__main__":
    print("\n".join(lower_bounds(Path(sys.argv[1]).read_text(encoding="utf-8"))))
