"""The sheets of a printed report: size, running head and foot, what the file says of itself."""

from __future__ import annotations

import io
from importlib import metadata
from typing import Any

from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate
from veedor.monitor.language import Language
from veedor.monitor.report_pdf_blocks import WIDTH
from veedor.monitor.report_pdf_style import EDGE, PLAIN, QUIET, Words
from veedor.monitor.report_selection import Chosen

_MARGIN = 15 * mm
rl_config.useA85 = 0  # pictures as they are: text around them would make them a quarter larger


def document_of(out: io.BytesIO, chosen: Chosen, words: Words) -> BaseDocTemplate:
    record = chosen.record
    title = f"{words.say('Informe de mesa', 'Table report')} · {record.files.table_name}"
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        title=title,
        author=f"veedor {metadata.version('veedor')}",
        subject=record.name,
        creator="veedor",
        lang=str(words.language),
        invariant=1,
    )
    frame = Frame(_MARGIN, 17 * mm, WIDTH, A4[1] - 37 * mm, 0, 0, 0, 0)
    document.addPageTemplates(PageTemplate("page", [frame]))
    return document


def canvas_of(chosen: Chosen, words: Words) -> type[Canvas]:
    """A canvas that knows how many pages there are when it writes their feet."""
    record = chosen.record
    started = record.started
    stamp = None if started is None else started.strftime("D:%Y%m%d%H%M%S") + _offset(started.strftime("%z"))
    left = words.plain(f"{record.files.table_name} · {record.name}")
    day = (
        ""
        if started is None
        else started.strftime("%d/%m/%Y" if words.language is Language.ES else "%Y-%m-%d")
    )

    class Paged(Canvas):  # type: ignore[misc]  # reportlab has no types
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self._pages: list[dict[str, Any]] = []
            if stamp is not None:
                self.setDateFormatter(lambda *_: stamp)

        def showPage(self) -> None:
            self._pages.append(dict(self.__dict__))
            self._startPage()

        def save(self) -> None:
            for number, page in enumerate(self._pages, 1):
                self.__dict__.update(page)
                self._edges(number)
                super().showPage()
            super().save()

        def _edges(self, number: int) -> None:
            self.setFont(PLAIN, 7)
            self.setFillColor(QUIET)
            self.setStrokeColor(EDGE)
            self.setLineWidth(0.5)
            right, top = A4[0] - _MARGIN, A4[1]
            if number > 1:
                self.drawString(_MARGIN, top - 12 * mm, left)
                self.drawRightString(right, top - 12 * mm, day)
                self.line(_MARGIN, top - 14 * mm, right, top - 14 * mm)
            self.line(_MARGIN, 13 * mm, right, 13 * mm)
            self.drawString(_MARGIN, 9 * mm, f"veedor {metadata.version('veedor')}")
            pages = len(self._pages)
            self.drawRightString(
                right, 9 * mm, words.say(f"página {number} de {pages}", f"page {number} of {pages}")
            )

    return Paged


def _offset(written: str) -> str:
    """`-0300` as PDF writes it."""
    return f"{written[:3]}'{written[3:5]}'" if written else "Z"
