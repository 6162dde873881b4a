"""Links from one written page to another, by relative path."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def relative_link(report: Path, page: Path) -> str:
    """The way from `page` to `report`, fit for an href, so that folders can be moved together.

    Empty where the report does not exist or no relative path leads to it (another drive).
    """
    if not report.is_file():
        return ""
    try:
        return quote(Path(os.path.relpath(report, page.parent)).as_posix())
    except ValueError:
        return ""
