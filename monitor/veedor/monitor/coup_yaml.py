"""Coup files as YAML: every key once, and the line on which each event stands."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import yaml
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text


@dataclass(frozen=True)
class Written:
    """What a YAML file holds, and the line of each entry of its list `events`, counted from 1."""

    document: object
    event_lines: tuple[int, ...]


class _Loader(yaml.SafeLoader):
    """Refuses a key that is given twice: the first would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen = set()
        for key_node, _ in node.value:
            key = (key_node.tag, key_node.value) if isinstance(key_node, yaml.ScalarNode) else None
            if key is not None and key in seen:
                said = text(es=f"{key[1]}: dado dos veces", en=f"{key[1]}: given twice")
                raise _TwiceError(key_node.start_mark.line + 1, said)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


class _TwiceError(Exception):
    def __init__(self, line: int, said: str) -> None:
        super().__init__(said)
        self.line = line


def read_yaml(path: Path) -> Written:
    """Reads a coup file; raises UsageFault naming file, line and fault, OSError where it cannot be opened."""
    bad = f"{path}: {text(es='no es YAML', en='not YAML')}"
    try:
        content = path.read_text(encoding="utf-8-sig")
        loader = _Loader(content)
        try:
            node = loader.get_single_node()
            _expect_bounded(node)
            document = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except _TwiceError as error:
        raise UsageFault(f"{path}: {_line(error.line)}: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f"{_line(mark.line + 1)}: "
        raise UsageFault(f"{bad}: {place}{error.problem or error.context}") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        # A date like 2026-13-45 is a ValueError of the loader.
        raise UsageFault(f"{bad}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise UsageFault(f"{bad}: {text(es='demasiado anidado', en='nested too deep')}") from None
    return Written(document, _event_lines(node))


# A coup file has some ten nodes an event; aliases of aliases can stand for more than any memory holds.
MOST_NODES = 1_000_000


def _expect_bounded(node: yaml.Node | None) -> None:
    """Raises YAMLError where aliases make the document too large, or make it hold itself."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(one: yaml.Node) -> int:
        known = sizes.get(id(one))
        if known is not None:
            return known
        if id(one) in open_nodes:
            raise yaml.YAMLError(text(es="un alias se contiene a sí mismo", en="an alias holds itself"))
        open_nodes.add(id(one))
        parts: list[yaml.Node] = []
        if isinstance(one, yaml.SequenceNode):
            parts = one.value
        elif isinstance(one, yaml.MappingNode):
            parts = [part for pair in one.value for part in pair]
        found = sizes[id(one)] = 1 + sum(map(size, parts))
        open_nodes.discard(id(one))
        return found

    if node is not None and size(node) > MOST_NODES:
        raise yaml.YAMLError(text(es="demasiado grande por sus alias", en="too large by its aliases"))


def _line(number: int) -> str:
    return f"{text(es='línea', en='line')} {number}"


def _event_lines(node: yaml.Node | None) -> tuple[int, ...]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "events" and isinstance(value, yaml.SequenceNode):
                return tuple(entry.start_mark.line + 1 for entry in value.value)
    return ()
