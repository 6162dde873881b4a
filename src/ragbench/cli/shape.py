"""Flags that say how the axes of a sweep are combined."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbench.run.shape import Shape


def add_shape(parser: argparse.ArgumentParser) -> None:
    """`--one-at-a-time` and `--when`."""
    parser.add_argument(
        "--one-at-a-time", action="store_true", help="vary each axis alone around the base, which has none of them"
    )
    parser.add_argument(
        "--when",
        action="append",
        default=[],
        metavar="KEY:OTHER=VALUE[,VALUE]",
        help="vary KEY only where OTHER has one of these values; may be repeated",
    )


def shape_of(args: argparse.Namespace) -> Shape:
    """The shape that the flags ask for; raises ConfigError for a condition that is none."""
    from ragbench.run.grid import axes
    from ragbench.run.shape import Shape, when_of

    keys = axes(args.overrides)
    return Shape(args.one_at_a_time, tuple(when_of(text, keys) for text in args.when))
