"""XML of strangers, read without entities: a document type, the way into every such attack, is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from veedor.datasets.formats.faults import FormatFault
from veedor.datasets.formats.reading import read_bytes

DEEPEST = 16  # CVAT nests seven deep


@dataclass(slots=True)
class Node:
    """One element and the line it starts on."""

    tag: str
    given: dict[str, str]
    line: int
    children: list[Node] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text; line breaks at its ends come from tidy printing and are left out."""
        whole = "".join(self.parts)
        return whole.strip() if "\n" in whole else whole

    def all(self, tag: str) -> Iterator[Node]:
        return (child for child in self.children if child.tag == tag)

    def first(self, *path: str) -> Node | None:
        """The element at the end of a path of tags, or None."""
        node: Node | None = self
        for tag in path:
            node = None if node is None else next(node.all(tag), None)
        return node


def read_xml(path: Path) -> Node:
    """The root element; FormatFault names file, line and fault."""
    data = read_bytes(path)
    parser = expat.ParserCreate()
    above = Node("", {}, 0)
    open_nodes = [above]

    def refuse(*_: object) -> None:
        raise FormatFault(path, "a document type is not allowed", parser.CurrentLineNumber)

    def start(tag: str, given: dict[str, str]) -> None:
        if len(open_nodes) > DEEPEST:
            raise FormatFault(path, "nested too deeply", parser.CurrentLineNumber)
        node = Node(tag, given, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def end(_: str) -> None:
        open_nodes.pop()

    def characters(text: str) -> None:
        open_nodes[-1].parts.append(text)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as fault:
        reason = expat.ErrorString(fault.code)
        raise FormatFault(path, f"not XML: {reason}", fault.lineno) from None
    except (ValueError, LookupError) as fault:  # an encoding that Python does not know
        raise FormatFault(path, f"not XML: {fault}") from None
    return above.children[0]
