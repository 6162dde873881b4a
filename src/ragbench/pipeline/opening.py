"""What opening a stage may raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ragbench.errors import CannotOpen, StartAgain, StoreError


@contextmanager
def opening(slot: str) -> Iterator[None]:
    """Whatever stands against opening a stage becomes CannotOpen, named after its slot."""
    try:
        yield
    except (CannotOpen, StartAgain, StoreError):
        raise  # told already, and no fault of this slot
    except Exception as error:  # files, models and clients of any library are opened here
        raise CannotOpen(slot, error) from error
