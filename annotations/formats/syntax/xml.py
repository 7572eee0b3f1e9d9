"""Parse untrusted XML: no DTD is loaded, no entity expanded but XML's own, nothing fetched; depth is bounded.

The module also has helpers for writing XML. The library is imported only if there is a file for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotations.formats.model.findings import FormatError

if TYPE_CHECKING:
    from lxml import etree

MAX_DEPTH = 200
SPECIAL = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def parse(data: bytes, file: str) -> etree._Element:
    """Return the root of an XML file without comments and processing instructions. Raises FormatError.

    A document that declares entities is refused. Elements keep their line as `sourceline`.
    """
    from lxml import etree  # imported only if there is a file for it

    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise FormatError(f"this is not well-formed XML: {error.msg}", file, line or None, column or None) from None
    except (ValueError, LookupError) as error:
        raise FormatError(f"this XML cannot be read: {error}", file) from None
    # In an attribute, an undeclared entity would be dropped silently if the DTD, which is not loaded, may declare it.
    undeclared = next((entry for entry in parser.error_log if entry.type_name == "WAR_UNDECLARED_ENTITY"), None)
    if undeclared is not None:
        raise FormatError(f"an entity is not known: {undeclared.message}", file, undeclared.line, undeclared.column)
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise FormatError("an XML file that declares entities is not read", file, 1)
    deep = [(root, 1)]
    while deep:
        element, depth = deep.pop()
        if depth > MAX_DEPTH:
            raise FormatError(f"elements nest deeper than {MAX_DEPTH}", file, element.sourceline)
        if isinstance(element, etree._Entity):
            raise FormatError(f"the entity {element.text} is not known", file, element.sourceline)
        deep += [(child, depth + 1) for child in element]
    return root


def local_name(element_tag: object) -> str:
    return str(element_tag).rpartition("}")[2]


def child_text(element: etree._Element, name: str) -> str:
    """Return the text of the first child with the name, in any namespace; empty if there is none."""
    return (element.findtext(f"{{*}}{name}") or "").strip()


def serialize(root: etree._Element) -> bytes:
    from lxml import etree

    return etree.tostring(root)


def escape(text: str) -> str:
    """Return the text escaped for elements and attributes, so that all its white space is read back."""
    return text.translate(SPECIAL)
