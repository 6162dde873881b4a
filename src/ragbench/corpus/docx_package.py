"""The parts of a Word file that text comes from, unpacked within limits."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from dataclasses import dataclass
from typing import Any

from ragbench.errors import DataError

_EXPECTED = "a Word file (.docx)"
_MAX_PART = 100_000_000
_MAX_PACKED_RATIO = 200
_SMALL = 1_000_000
_OLE = b"\xd0\xcf\x11\xe0"
# ISO/IEC 29500 Strict writes the same vocabulary under other addresses.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_DC_TITLE = "{http://purl.org/dc/elements/1.1/}title"


@dataclass(frozen=True)
class Package:
    """Root elements of the parts; `styles` and `numbering` are None where the file has none."""

    body: Any
    styles: Any
    numbering: Any
    title: str
    strict: bool


def open_package(data: bytes) -> Package:
    """Parse the main part, its styles and numbering; pictures, macros and everything else stay packed.

    A part may be 100 MB unpacked and, beyond 1 MB, at most 200 times its packed size, both by what the file declares
    and by what really comes out. XML entities are not expanded and nothing is fetched.

    Raises:
        DataError: not a Word file, a legacy, encrypted or damaged one, or one that unpacks beyond the limits.
    """
    if not data:
        raise DataError("DOCX", expected=_EXPECTED, found="an empty file")
    if data.startswith(_OLE):
        raise DataError(
            "DOCX",
            expected=_EXPECTED,
            found="a legacy or encrypted Office file",
            hint="Save it as .docx, without a password.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _parts(archive)
    except DataError:
        raise
    except Exception as error:  # zipfile, zlib and lxml raise a dozen kinds for a broken file
        found = f"{type(error).__name__}: {str(error)[:120]}"
        raise DataError("DOCX", expected=_EXPECTED, found=found) from error


def _parts(archive: zipfile.ZipFile) -> Package:
    main = _target(archive, "", "officeDocument")
    if main is None:
        raise DataError("DOCX", expected=_EXPECTED, found="a zip file without a document in it")
    raw = _unpack(archive, main)
    root = _parse(raw)
    body = next((child for child in root if isinstance(child.tag, str) and child.tag.endswith("}body")), None)
    if body is None:
        raise DataError("DOCX", expected=_EXPECTED, found="no body of a text document (a sheet or slides?)")
    core = _optional(archive, _target(archive, "", "core-properties"))
    return Package(
        body=body,
        styles=_optional(archive, _target(archive, main, "styles")),
        numbering=_optional(archive, _target(archive, main, "numbering")),
        title=(core.findtext(_DC_TITLE) or "").strip() if core is not None else "",
        strict=_STRICT.search(raw[:4096]) is not None,
    )


def _target(archive: zipfile.ZipFile, source: str, kind: str) -> str | None:
    """Name of the part that `source` (empty: the file itself) refers to as `kind`."""
    folder, name = posixpath.split(source)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels not in archive.namelist():
        return None
    for relation in _parse(_unpack(archive, rels)):
        if isinstance(relation.tag, str) and (relation.get("Type") or "").rpartition("/")[2] == kind:
            found = posixpath.normpath(posixpath.join("/", folder, relation.get("Target") or "")).lstrip("/")
            return found if found in archive.namelist() else None
    return None


def _optional(archive: zipfile.ZipFile, name: str | None) -> Any:
    return None if name is None else _parse(_unpack(archive, name))


def _unpack(archive: zipfile.ZipFile, name: str) -> bytes:
    member = archive.getinfo(name)
    _check(name, member.file_size, member.compress_size)
    with archive.open(member) as handle:
        raw = handle.read(_MAX_PART + 1)
    _check(name, len(raw), member.compress_size)
    return raw


def _check(name: str, unpacked: int, packed: int) -> None:
    if unpacked > _MAX_PART or unpacked > max(_SMALL, _MAX_PACKED_RATIO * packed):
        raise DataError(
            "DOCX",
            expected=f"parts of at most {_MAX_PART // 1_000_000} MB, not {_MAX_PACKED_RATIO} times their packed size",
            found=f"{name} of {unpacked} bytes, packed in {packed} (a zip bomb?)",
        )


def _parse(raw: bytes) -> Any:
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(
        remove_blank_text=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    return etree.fromstring(_STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", raw), parser)
