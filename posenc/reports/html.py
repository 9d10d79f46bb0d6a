"""HTML pages from the templates beside this module; all that comes from outside is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def render(template: str, **values: Any) -> str:
    """The page of a template."""
    return _environment().get_template(template).render(**values)


def policy(script: str) -> str:
    """What the browser may load: nothing, and the one script of the page, if there is one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f" script-src 'sha256-{digest}';" if script else ""
    return f"default-src 'none'; style-src 'unsafe-inline';{allowed}"


def source(name: str) -> str:
    """A style or script from the templates' folder, as it is."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def prose(text: str) -> Markup:
    """A sentence, with what is between backquotes as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("posenc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment
