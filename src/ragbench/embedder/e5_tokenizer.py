"""The XLM-R unigram tokeniser of multilingual-e5-small, built from the weights file.

Text is normalised code point by code point (NFKC-like), runs of blanks become one, outer blanks go, every word begins
with `▁`, and the unigram model cuts each word into its most probable pieces (Kudo 2018, arXiv:1804.10959).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.embedder import e5_file
from ragbench.embedder.model_hash import models_dir

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BLANKS = re.compile(" {2,}")
_CONTROL_PIECES = frozenset({"<s>", "<pad>", "</s>", "<unk>", "<mask>"})


class E5Tokenizer:
    """Texts to token ids, without special tokens. Use from several threads is safe."""

    def __init__(self, file: e5_file.E5File) -> None:
        self._map = file.normaliser()
        # What UTF-8 cannot hold or C strings end at must not reach the model; it becomes a blank as U+FFFD does.
        self._map.update(dict.fromkeys([0, *range(0xD800, 0xE000)], " "))
        self._tokenizer = _build(file)

    def normalise(self, text: str) -> str:
        """The text as the model cuts it."""
        return _BLANKS.sub(" ", text.translate(self._map)).strip(" ")

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text; empty for a text without visible characters."""
        clean = [self.normalise(text) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        return [len(ids) for ids in self.encode(texts)]

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Half-open character interval of each token in `text` as given, in order; as many as `count_tokens` says.

        A blank belongs to the token that follows it, of a run of blanks its first. The mark that opens the text where
        its first piece has no own room (Chinese) is the empty interval before the first visible character; several
        tokens from one character (`㎏` → `kg`) share its interval.
        """
        clean, origin = self._aligned(text)
        encoding = self._tokenizer.encode(clean, add_special_tokens=False)
        spans = [(origin[start], origin[end - 1] + 1) for start, end in encoding.offsets]
        if spans and encoding.tokens[0] == "▁":
            spans[0] = (origin[0], origin[0])
        return spans

    def _aligned(self, text: str) -> tuple[str, list[int]]:
        """The normalised text and, for each of its characters, the index of the character it comes from."""
        characters: list[str] = []
        origin: list[int] = []
        for index, character in enumerate(text):
            for new in self._map.get(ord(character), character):
                if new != " " or (characters and characters[-1] != " "):
                    characters.append(new)
                    origin.append(index)
        if characters and characters[-1] == " ":
            characters.pop()
            origin.pop()
        return "".join(characters), origin


@lru_cache(maxsize=1)
def load_tokenizer(path: Path) -> E5Tokenizer:
    """The tokeniser of a weights file, built once a process (about 0.7 s)."""
    return E5Tokenizer(e5_file.E5File(path))


def count_tokens(text: str) -> int:
    """Tokens of one text in the offline embedder's tokeniser, without special and prefix tokens.

    Raises ConfigError where the weights are not installed.
    """
    return _installed().count_tokens([text])[0]


def token_offsets(text: str) -> list[tuple[int, int]]:
    """Character intervals of one text's tokens in the offline embedder's tokeniser; see `E5Tokenizer.token_offsets`."""
    return _installed().token_offsets(text)


@cache
def _installed() -> E5Tokenizer:
    return load_tokenizer(e5_file.verified(models_dir()))


def _build(file: e5_file.E5File) -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers

    # A document that spells `</s>` must not end the sequence: NUL never survives normalising, so these never match.
    pieces = [(f"\0{piece}" if piece in _CONTROL_PIECES else piece, score) for piece, score in file.vocabulary()]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=file.shape.unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    return tokenizer
