"""The messages of the errors that an area raises, read from its source, with `HOLE` where a value stands."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HOLE = "⟦⟧"
_PARAMETER = "⟦{}⟧"  # of the function around: its callers may give a text for it
_DEEPEST = 4
_MOST = 400
Scope = ast.FunctionDef | None
Bound = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Raised:
    """A message, and where it is made: `path:line`."""

    text: str
    place: str


class Sources:
    """The modules of some folders, and the messages of the error classes that they define."""

    def __init__(self, root: Path, areas: Sequence[str]) -> None:
        self.root = root
        self.modules = {
            path: ast.parse(path.read_text(encoding="utf-8"))
            for area in areas
            for path in sorted((root / area / "veedor").rglob("*.py"))
        }
        self._scopes: dict[ast.AST, Scope] = {}
        self._functions: dict[Path, dict[str, list[ast.FunctionDef]]] = {}
        self._calls: dict[str, list[tuple[Path, ast.Call]]] = defaultdict(list)
        bases: dict[str, list[str]] = {}
        self._makers: dict[str, ast.FunctionDef] = {}
        for path, tree in self.modules.items():
            self._functions[path] = defaultdict(list)
            self._walk(path, tree, None)
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] = [_name(each) for each in node.bases]
                    for each in node.body:
                        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                            self._makers[node.name] = each
        self._bases = bases
        self.errors = {name for name in bases if self._is_error(name)}

    def _is_error(self, name: str) -> bool:
        return name == "Exception" or any(self._is_error(each) for each in self._bases.get(name, ()))

    def _walk(self, path: Path, node: ast.AST, scope: Scope) -> None:
        self._scopes[node] = scope
        if isinstance(node, ast.FunctionDef):
            self._functions[path][node.name].append(node)
            scope = node
        if isinstance(node, ast.Call):
            self._calls[_name(node.func)].append((path, node))
        for child in ast.iter_child_nodes(node):
            self._walk(path, child, scope)

    def messages(self, area: str) -> Iterator[Raised]:
        """Every message that code of that area can put into an error, with what its helpers are told."""
        for name in sorted(self.errors):
            for path, call in self._calls[name]:
                if path.is_relative_to(self.root / area):
                    yield from self._told(path, call, self._of_error(path, name, call), 0)

    def takes_spanish(self, call: ast.Call) -> bool:
        """Whether an error is made with its own Spanish."""
        maker = self._maker(_name(call.func))
        names = [] if maker is None else [each.arg for each in maker.args.args[1:]]
        own = next((at for at, name in enumerate(names) if name in ("spanish", "es")), None)
        return own is not None and len(call.args) > own

    def _maker(self, name: str) -> ast.FunctionDef | None:
        if name in self._makers:
            return self._makers[name]
        return next((found for each in self._bases.get(name, ()) if (found := self._maker(each))), None)

    def _of_error(self, path: Path, name: str, call: ast.Call) -> set[str]:
        if self._is_bilingual(path, call):
            return set()
        maker = self._maker(name)
        if maker is None:
            return self._resolve(call.args[0], path, self._scopes[call], {}, 0) if call.args else set()
        bound = self._bind(path, maker, call, 0, method=True)
        found: set[str] = set()
        for node in ast.walk(maker):
            if isinstance(node, ast.Call) and _name(node.func) == "__init__" and node.args:
                found |= self._resolve(node.args[0], path, maker, bound, 0)
        return found

    def _is_bilingual(self, path: Path, call: ast.Call) -> bool:
        # The monitor and the pages have the language at hand; what lies below them is told on by others.
        return self.takes_spanish(call) and path.relative_to(self.root).parts[0] in ("monitor", "web")

    def _told(self, path: Path, call: ast.Call, texts: set[str], depth: int) -> Iterator[Raised]:
        place = f"{path.relative_to(self.root)}:{call.lineno}"
        scope = self._scopes[call]
        names = [] if scope is None else [each.arg for each in _parameters(scope)]
        open_ = [name for name in names if any(_PARAMETER.format(name) in text for text in texts)]
        for text in texts:
            yield Raised(_closed(text, names), place)
        if scope is None or not open_ or depth >= 2:
            return
        for other, each in self._calls[scope.name]:
            if scope.name == "__init__":
                continue
            if other != path and not isinstance(each.func, ast.Attribute):
                continue
            bound = self._bind(other, scope, each, 0, method=isinstance(each.func, ast.Attribute))
            filled: set[str] = set()
            for text in texts:
                filled |= _filled(text, {name: bound.get(name, (HOLE,)) for name in open_})
            yield from self._told(
                other, each, {_closed(text, set(names) - set(self._own(each))) for text in filled}, depth + 1
            )

    def _own(self, call: ast.Call) -> list[str]:
        scope = self._scopes[call]
        return [] if scope is None else [each.arg for each in _parameters(scope)]

    def _bind(
        self, path: Path, function: ast.FunctionDef, call: ast.Call, depth: int, *, method: bool
    ) -> dict[str, list[str]]:
        names = [each.arg for each in function.args.args]
        if method and names and names[0] in ("self", "cls"):
            names = names[1:]
        given = dict(zip(names, call.args, strict=False))
        given |= {each.arg: each.value for each in call.keywords if each.arg}
        scope = self._scopes[call]
        return {
            name: sorted(self._resolve(value, path, scope, {}, depth + 1))
            for name, value in given.items()
            if not isinstance(value, ast.Starred)
        }

    def _resolve(self, node: ast.expr, path: Path, scope: Scope, bound: Bound, depth: int) -> set[str]:
        if depth > _DEEPEST:
            return {HOLE}
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.JoinedStr(values=parts):
                texts = [self._part(part, path, scope, bound, depth) for part in parts]
                return {"".join(each) for each in itertools.islice(itertools.product(*texts), _MOST)}
            case ast.IfExp(body=one, orelse=other):
                return self._either((one, other), path, scope, bound, depth)
            case ast.BoolOp(op=ast.And(), values=values):
                return {""} | self._resolve(values[-1], path, scope, bound, depth)
            case ast.BoolOp(values=values):
                return self._either(values, path, scope, bound, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                ends = self._resolve(right, path, scope, bound, depth)
                return {a + b for a in self._resolve(left, path, scope, bound, depth) for b in ends}
            case ast.Subscript(value=ast.Call(func=ast.Attribute(value=inner, attr="splitlines"))):
                return self._resolve(inner, path, scope, bound, depth)
            case ast.Name(id=name):
                return self._named(name, path, scope, bound, depth)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions[path]:
                found: set[str] = set()
                for function in self._functions[path][name]:
                    inside = self._bind(path, function, node, depth, method=False)
                    for each in ast.walk(function):
                        if isinstance(each, ast.Return) and each.value is not None:
                            found |= self._resolve(each.value, path, function, inside, depth + 1)
                return {
                    _closed(text, [a.arg for f in self._functions[path][name] for a in _parameters(f)])
                    for text in found
                } or {HOLE}
        return {HOLE}

    def _either(
        self, nodes: Sequence[ast.expr], path: Path, scope: Scope, bound: Bound, depth: int
    ) -> set[str]:
        return set().union(*(self._resolve(node, path, scope, bound, depth) for node in nodes))

    def _part(self, part: ast.expr, path: Path, scope: Scope, bound: Bound, depth: int) -> list[str]:
        if isinstance(part, ast.FormattedValue):
            if part.conversion != -1:
                return [HOLE]
            part = part.value
        return sorted(self._resolve(part, path, scope, bound, depth))

    def _named(self, name: str, path: Path, scope: Scope, bound: Bound, depth: int) -> set[str]:
        if name in bound:
            return set(bound[name])
        found: set[str] = set()
        for node in ast.walk(self.modules[path] if scope is None else scope):
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == name for t in node.targets
            ):
                found |= self._resolve(node.value, path, scope, bound, depth + 1)
        if scope is not None and not found:
            if name in [each.arg for each in _parameters(scope)]:
                return {_PARAMETER.format(name)}
            return self._named(name, path, None, {}, depth + 1)
        return found or {HOLE}


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.args, *function.args.kwonlyargs]


def _filled(text: str, given: Mapping[str, Sequence[str]]) -> set[str]:
    found = {text}
    for name, values in given.items():
        mark = _PARAMETER.format(name)
        found = {each.replace(mark, value) for each in found for value in values}
    return found


def _closed(text: str, names: Sequence[str] | set[str]) -> str:
    for name in names:
        text = text.replace(_PARAMETER.format(name), HOLE)
    return text


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
