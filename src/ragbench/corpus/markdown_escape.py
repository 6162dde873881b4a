"""Text that would be read as Markdown structure, with a backslash before it."""

from __future__ import annotations

import re

# What opens a heading, a fence, HTML that no blank line ends, or a row; and what makes a table of the line above.
_OPENING = re.compile(
    r"(?m)^(?="
    r"#{1,6}(?:[ \t]|$)"
    r"|`{3,}[^`\n]*$|~{3,}"
    r"|<(?:(?i:script|pre|style|textarea)(?:[\s>]|$)|!(?:--|\[CDATA\[|[A-Za-z])|\?)"
    r"|\|.*\|[ \t]*$"
    r"|(?=[^\n]*[|:])[|: \t]*-[-|: \t]*$"
    r")"
)
_SIGNS = "#`~<|-:"
_TRAILING = re.compile(r"(?<=[ \t])(?=#+$)")


def escaped(text: str) -> str:
    """The text of one paragraph or list item, stripped lines, with a backslash before each line that opens structure.

    That is a heading (`# `), a code fence, a comment, `<script>`, `<pre>`, `<style>` or `<textarea>`, a table row
    `| … |`, or the line below the head of a table. What changes neither outline nor blocks (`- `, `1. `, `> `, `*`)
    stays as it is.
    """
    return _OPENING.sub(r"\\", text) if any(sign in text for sign in _SIGNS) else text


def escaped_heading(text: str) -> str:
    """The text of a heading: signs `#` at its end would go as the mark that closes it."""
    return _TRAILING.sub(r"\\", text)
