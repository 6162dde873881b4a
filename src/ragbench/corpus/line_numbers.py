"""Numbers that count the lines of a page."""

from __future__ import annotations

_LINE_NUMBERS = 10


def without_line_numbers(page: str) -> str:
    """The page without the numbers that count its lines, where they come as a block: ten or more lines in a row that
    hold nothing but 1, 2, 3, …, from whatever number on. Any other page is returned as it is.
    """
    lines = page.split("\n")
    numbers = [_line_number(line.strip()) for line in lines]
    kept: list[str] = []
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and numbers[start] >= 0 and numbers[end] == numbers[start] + (end - start):
            end += 1
        if end - start < _LINE_NUMBERS:
            kept += lines[start:end]
        start = end
    return page if len(kept) == len(lines) else "\n".join(kept)


def _line_number(line: str) -> int:
    return int(line) if line.isascii() and line.isdigit() and len(line) < 6 else -1
