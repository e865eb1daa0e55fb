"""Renders public card art for training the reader; nothing of it ships.

Sources, fetched by their ordinary clients and unpacked side by side under one folder:

- `npm pack @heruka_urgyen/react-playing-cards` (CC0), unpacked to `package/`; its corner index is a separate
  `<use>`, so every card is rendered with and without;
- `apt-get download kdegames-card-data-kf5` (GPL-2+), unpacked with `dpkg -x` to `kde/`.

Run `python -m veedor.models.reader_art SOURCES OUT`; needs `resvg-py`.
"""

from __future__ import annotations

import gzip
import importlib
import re
import sys
import xml.etree.ElementTree as Tree
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from veedor.models.errors import TrainingError
from veedor.vision.reader import RANKS, SUITS

WIDTH_PX, HEIGHT_PX = 252, 352
NPM_STYLES = ("2color", "2color-bf")
KDE_DECKS = ("standard", "gm-paris", "xskat-french", "dondorf", "oxygen-white", "nicu-ornamental")
KDE_RANKS = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
KDE_SUITS = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
SVG = "{http://www.w3.org/2000/svg}"
NPM_SMALL_SIGN_HEIGHT = "26.769"  # of the suit under the index


def render_art(sources: Path, out: Path) -> int:
    """Write `out/DECK/7H.png` and `back.png` (BGRA, 252 x 352) of every deck found; returns how many."""
    return _render_npm(sources / "package" / "src" / "images", out) + _render_kde(
        sources / "kde" / "usr" / "share" / "carddecks", out
    )


def _rendered(svg: str, width_px: int) -> NDArray[np.uint8]:
    try:
        resvg_py: Any = importlib.import_module("resvg_py")
    except ImportError as error:
        raise TrainingError("rendering card art needs resvg-py: pip install resvg-py") from error
    png = np.frombuffer(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width_px)), np.uint8)
    return np.asarray(cv2.imdecode(png, cv2.IMREAD_UNCHANGED), np.uint8)


def _write(picture: NDArray[np.uint8], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), cv2.resize(picture, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA))


def _render_npm(images: Path, out: Path) -> int:
    count = 0
    for style in NPM_STYLES:
        for path in sorted((images / style).glob("*.svg")):
            if path.stem[0] not in RANKS or path.stem[1] not in SUITS:
                continue
            svg = path.read_text(encoding="utf-8")
            svg = svg.replace('height="3.5in"', 'height="500"').replace('width="2.5in"', 'width="358"')
            svg = svg.replace('stroke="black"></rect>', "></rect>", 1)
            bare = re.sub(r'<use xlink:href="#V[^>]*></use>', "", svg)
            bare = re.sub(rf'<use xlink:href="#S[^>]*height="{NPM_SMALL_SIGN_HEIGHT}"[^>]*></use>', "", bare)
            _write(_rendered(svg, 2 * WIDTH_PX), out / f"npm-{style}" / f"{path.stem}.png")
            _write(_rendered(bare, 2 * WIDTH_PX), out / f"npm-{style}-bare" / f"{path.stem}.png")
            count += 2
    return count


def _render_kde(decks: Path, out: Path) -> int:
    count = 0
    names = {r + s: f"{KDE_RANKS.get(r, r)}_{KDE_SUITS[s]}" for s in SUITS for r in RANKS} | {"back": "back"}
    for deck in KDE_DECKS:
        for path in sorted((decks / f"svg-{deck}").glob("*.svgz")):
            source = gzip.decompress(path.read_bytes())
            for card, element in names.items():
                picture = _element(source, element)
                if picture is not None:
                    _write(picture, out / deck / f"{card}.png")
                    count += 1
    return count


def _element(source: bytes, element: str) -> NDArray[np.uint8] | None:
    """One card of a sheet, cut to its own outline; None where the sheet lacks it."""
    root = Tree.fromstring(source)
    found = next((node for node in root.iter() if node.get("id") == element), None)
    if found is None:
        return None
    _hide_the_rest(root, found)
    sheet = root.get("viewBox") or f"0 0 {_number(root.get('width', '1'))} {_number(root.get('height', '1'))}"
    x, y, width, height = map(float, sheet.split())
    reach = 1.5 * max(width, height)  # cards may lie outside the sheet
    window = (x - reach, y - reach, width + 2 * reach, height + 2 * reach)
    whole = _window(root, window, 1600)
    rows, columns = np.nonzero(whole[..., 3] > 40)
    if not len(rows):
        return None
    pixel = window[2] / whole.shape[1]
    left, top = (columns.min() - 1) * pixel + window[0], (rows.min() - 1) * pixel + window[1]
    wide, high = (np.ptp(columns) + 3) * pixel, (np.ptp(rows) + 3) * pixel
    card = _window(root, (left, top, wide, high), 440)
    rows, columns = np.nonzero(card[..., 3] > 128)
    return card[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def _hide_the_rest(root: Tree.Element, kept: Tree.Element) -> None:
    """Move everything but `kept` and its ancestors into definitions, where it can still be referred to."""
    parents = {child: parent for parent in root.iter() for child in parent}
    hidden = Tree.Element(f"{SVG}defs")
    node = kept
    while node is not root:
        parent = parents[node]
        for child in list(parent):
            if child is not node and child.tag not in (f"{SVG}defs", f"{SVG}style"):
                parent.remove(child)
                hidden.append(child)
        node = parent
    root.append(hidden)


def _window(
    root: Tree.Element, window: tuple[float, float, float, float], width_px: int
) -> NDArray[np.uint8]:
    root.set("viewBox", " ".join(map(str, window)))
    root.set("width", str(window[2]))
    root.set("height", str(window[3]))
    root.attrib.pop("preserveAspectRatio", None)
    return _rendered(Tree.tostring(root, encoding="unicode"), width_px)


def _number(text: str) -> float:
    return float(re.sub("[a-z%]+", "", text))


if __name__ == "__main__":
    print(render_art(Path(sys.argv[1]), Path(sys.argv[2])), "cards")
