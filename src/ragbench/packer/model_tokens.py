"""Tokens of a text by a model's own tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ragbench.errors import DataError
from ragbench.packer.base import CountTokens


@lru_cache(maxsize=4)
def token_counter(path: str) -> CountTokens:
    """Counts with the `tokenizer.json` at `path`, without special tokens. Raises DataError where it cannot be read."""
    from tokenizers import Tokenizer

    text = _read(path).decode("utf-8", "replace")
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # the library raises bare Exceptions
        raise _unreadable(path, " ".join(str(error).split())[:100]) from error

    def count(texts: Sequence[str]) -> list[int]:
        # A lone surrogate is no Unicode text, which is all the library takes.
        plain = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [len(one.ids) for one in tokenizer.encode_batch(plain, add_special_tokens=False)]

    return count


def fingerprint_of(path: str) -> str:
    """`sha256:` and the hash of the file; raises DataError where it cannot be read."""
    return f"sha256:{hashlib.sha256(_read(path)).hexdigest()}"


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error.strerror or type(error).__name__) from error


def _unreadable(path: str, found: str) -> DataError:
    hint = "Name the file that came with the model, or leave pipeline.packer.tokenizer=null for the estimate."
    return DataError(f"pipeline.packer.tokenizer {path}", expected="a tokenizer.json", found=found, hint=hint)
