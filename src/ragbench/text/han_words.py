"""Chinese words of a dictionary."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any


def han_words(run: str) -> list[str]:
    """The words of a run of Han characters in order, joined they are the run; what the dictionary does not hold is
    single characters. Linear in the run's length."""
    return list(han_tokenizer().cut(run, HMM=False))


@cache
def han_tokenizer() -> Any:
    """A jieba tokenizer of our own: words that other code adds to the library's shared one do not reach it.

    The dictionary is read from the package (half a second a process): the library's cache file in the temporary folder
    may belong to another user, and reading it takes as long.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its regular expressions hold escapes that newer Pythons complain about
        import jieba

    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
