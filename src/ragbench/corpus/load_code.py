"""Source code."""

from __future__ import annotations

import re

from ragbench.corpus.code_grammars import GRAMMARS
from ragbench.corpus.code_structure import code_outline, code_structure
from ragbench.corpus.decode import recognised
from ragbench.corpus.normalise import normalise
from ragbench.corpus.parsed import Parsed, whole

_CPLUSPLUS = re.compile(r"^[ \t]*(?:class|namespace|template|using)\b", re.MULTILINE)


def load_code(data: bytes, language: str) -> Parsed:
    """The source with every blank kept; its outline are the signatures of its classes and functions.

    `metadata["language"]` is the language; a C header that says `class`, `namespace`, `template` or `using` is C++.
    A warning says what is wrong with the syntax, or which extra finds the definitions of this language where its
    grammar is not installed.
    """
    text, encoding, guessed = recognised(data)
    text = normalise(text, collapse=False)
    if language == "c" and _CPLUSPLUS.search(text):
        language = "cpp"
    metadata = {"language": language, "encoding": encoding}
    found = code_structure(text, language)
    outline = code_outline(text, found.definitions) if found else ()
    warning = found.warning if found else ""
    if found is None and language in GRAMMARS:
        warning = "definitions of this language need an extra: pip install 'ragbench[code]'"
    warnings = (*guessed, warning) if warning else guessed
    return whole(text, "code", metadata=metadata, outline=outline, warnings=warnings, collapse=False)
