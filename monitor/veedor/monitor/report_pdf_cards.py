"""Cards, hands and timelines drawn on the page; all shapes are our own."""

from __future__ import annotations

from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable
from veedor.monitor.report_pdf_style import (
    BLUE,
    BOLD,
    EDGE,
    GREEN,
    INK,
    PLAIN,
    QUIET,
    RED,
    TONES,
    UNDECIDED,
    Words,
)
from veedor.monitor.report_record import Coup
from veedor.monitor.story import HandStory
from veedor.monitor.timeline import Mark, Timeline
from veedor.monitor.wording import card_name, clock, person_name

CARD_WIDTH, CARD_HEIGHT = 21.0, 29.0
_MOST_LETTERS = 300  # of a line, before it is measured
_BACK = HexColor("#33567d")
_CARD_RED = HexColor("#c3182b")
_RESULTS = {
    "player": ("gana", "wins", GREEN),
    "banker": ("pierde", "loses", RED),
    "tie": ("empate", "tie", QUIET),
    "annulled": ("anulado", "annulled", RED),
}


def draw_suit(canvas: Any, suit: str, x: float, y: float, size: float) -> None:
    """A suit sign around (x, y), `size` high, in the colour that is set."""
    half = size / 2
    path = canvas.beginPath()
    if suit == "D":
        path.moveTo(x, y + half)
        for dx, dy in ((half * 0.75, 0), (0, -half), (-half * 0.75, 0)):
            path.lineTo(x + dx, y + dy)
        path.close()
        canvas.drawPath(path, stroke=0, fill=1)
        return
    if suit == "C":
        for dx, dy in ((0, half * 0.45), (-half * 0.5, -half * 0.2), (half * 0.5, -half * 0.2)):
            canvas.circle(x + dx, y + dy, half * 0.46, stroke=0, fill=1)
    else:
        up = 1.0 if suit == "H" else -1.0  # a spade is a heart turned over, with a stem
        tip, top = y - up * half, y + up * half * 0.35
        path.moveTo(x, tip)
        path.curveTo(x - half * 0.4, y - up * half * 0.5, x - half, y - up * half * 0.1, x - half, top)
        path.curveTo(x - half, y + up * half, x - half * 0.1, y + up * half, x, top)
        path.curveTo(x + half * 0.1, y + up * half, x + half, y + up * half, x + half, top)
        path.curveTo(x + half, y - up * half * 0.1, x + half * 0.4, y - up * half * 0.5, x, tip)
        path.close()
        canvas.drawPath(path, stroke=0, fill=1)
        if suit == "H":
            return
    stem = canvas.beginPath()
    stem.moveTo(x, y)
    stem.lineTo(x - half * 0.35, y - half)
    stem.lineTo(x + half * 0.35, y - half)
    stem.close()
    canvas.drawPath(stem, stroke=0, fill=1)


def draw_card(canvas: Any, shows: str, x: float, y: float) -> None:
    """A card with its lower left corner at (x, y); `??` is its back."""
    canvas.setLineWidth(0.6)
    canvas.setStrokeColor(EDGE)
    if shows == "??":
        canvas.setFillColor(_BACK)
        canvas.roundRect(x, y, CARD_WIDTH, CARD_HEIGHT, 2.5, stroke=1, fill=1)
        canvas.setStrokeColor(white)
        canvas.roundRect(x + 2, y + 2, CARD_WIDTH - 4, CARD_HEIGHT - 4, 1.5, stroke=1, fill=0)
        return
    canvas.setFillColor(white)
    canvas.roundRect(x, y, CARD_WIDTH, CARD_HEIGHT, 2.5, stroke=1, fill=1)
    canvas.setFillColor(_CARD_RED if shows[1] in "HD" else INK)
    rank = card_name(f"{shows[0]}?") if shows[0] != "?" else "?"
    canvas.setFont(BOLD, 11)
    canvas.drawCentredString(x + CARD_WIDTH / 2, y + CARD_HEIGHT - 12.5, rank)
    if shows[1] in "SHDC":
        draw_suit(canvas, shows[1], x + CARD_WIDTH / 2, y + 8.5, 11)


class Hands(Flowable):  # type: ignore[misc]  # reportlab has no types
    """The hands of a coup side by side: name, result, point, cards, words."""

    HEIGHT = 62.0

    def __init__(self, coup: Coup, words: Words, width: float) -> None:
        super().__init__()
        self._hands = [each for each in coup.story.hands if each.cards or each.said]
        self._results = coup.account.results
        self._words = words
        self.width, self.height = width, (self.HEIGHT + 4 if self._hands else 0.0)

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        room = self.width / max(3, len(self._hands))
        for place, hand in enumerate(self._hands):
            self._hand(hand, place * room, room - 6)

    def _hand(self, hand: HandStory, x: float, width: float) -> None:
        canvas, words = self.canv, self._words
        canvas.setStrokeColor(EDGE)
        canvas.setLineWidth(0.6)
        canvas.roundRect(x, 2, width, self.HEIGHT, 3, stroke=1, fill=0)
        canvas.setFillColor(QUIET)
        canvas.setFont(PLAIN, 7.5)
        name = words.plain(person_name(hand.name, words.language)).capitalize()
        canvas.drawString(x + 6, self.HEIGHT - 8, name)
        result = _RESULTS.get(self._results.get(hand.name) or "")
        if result is not None:
            canvas.setFillColor(result[2])
            canvas.setFont(BOLD, 7.5)
            canvas.drawString(x + 10 + stringWidth(name, PLAIN, 7.5), self.HEIGHT - 8, words.say(*result[:2]))
        canvas.setFillColor(INK)
        canvas.setFont(BOLD, 17)
        canvas.drawRightString(
            x + width - 7, self.HEIGHT - 15, "–" if hand.points is None else str(hand.points)
        )
        for number, card in enumerate(hand.cards[:5]):
            draw_card(canvas, card.shows, x + 6 + number * (CARD_WIDTH + 3), 16)
        said = ", ".join(f"«{each}»" for each in hand.said)
        holder = "" if hand.holder is None else person_name(hand.holder, words.language)
        canvas.setFillColor(QUIET)
        canvas.setFont(PLAIN, 6.8)
        tail = words.plain(" · ".join(each for each in (said, holder) if each))
        canvas.drawString(x + 6, 6.5, _fitting(tail, width - 12, 6.8))


class Course(Flowable):  # type: ignore[misc]
    """A coup's timeline, as the page of the report has it."""

    def __init__(self, timeline: Timeline, words: Words, width: float) -> None:
        super().__init__()
        self._drawing, self._words = timeline, words
        self._scale = width / 1000.0
        self.width, self.height = width, timeline.height * self._scale

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def _y(self, y: float) -> float:
        return self.height - y * self._scale

    def draw(self) -> None:
        canvas, scale = self.canv, self._scale
        canvas.setLineWidth(0.4)
        canvas.setStrokeColor(HexColor("#e7e4dc"))
        names = {"calls": "croupier", "bets": ("apuestas", "stakes"), "money": ("pagos", "settled")}
        for name, y in self._drawing.lanes:
            canvas.line(84 * scale, self._y(y + 22), 990 * scale, self._y(y + 22))
            shown = names.get(name, name)
            canvas.setFillColor(QUIET)
            canvas.setFont(PLAIN, 6.5)
            canvas.drawString(
                0, self._y(y) - 2.2, shown if isinstance(shown, str) else self._words.say(*shown)
            )
        canvas.setStrokeColor(EDGE)
        canvas.setDash(1, 2)
        for x, t_s in self._drawing.ticks:
            canvas.line(x * scale, self._y(20), x * scale, self._y(self._drawing.height - 18))
            canvas.setFont(PLAIN, 5.8)
            canvas.drawCentredString(x * scale, self._y(self._drawing.height - 5), clock(t_s))
        canvas.setDash()
        last = -1e9
        for x, number, classes in self._drawing.flags:
            last = max(x * scale, last + 11)  # numbers of one moment stand side by side
            self._flag(x * scale, last, number, classes)
        for mark in self._drawing.marks:
            self._mark(mark)

    def _flag(self, x: float, number_x: float, number: int, classes: str) -> None:
        canvas = self.canv
        tone = next((tone for name, tone in TONES.items() if f"severity-{name}" in classes), UNDECIDED)
        tone = tone if "verdict-broken" in classes else UNDECIDED
        canvas.setStrokeColor(tone)
        canvas.setFillColor(tone)
        canvas.setLineWidth(0.9)
        canvas.line(x, self._y(18), x, self._y(self._drawing.height - 18))
        canvas.line(x, self._y(18), number_x, self._y(9))
        canvas.circle(number_x, self._y(9), 5.2, stroke=0, fill=1)
        canvas.setFillColor(white)
        canvas.setFont(BOLD, 6)
        canvas.drawCentredString(number_x, self._y(9) - 2.1, str(number))

    def _mark(self, mark: Mark) -> None:
        canvas, x, y = self.canv, mark.x * self._scale, self._y(mark.y)
        if mark.kind in ("card", "back"):
            canvas.setLineWidth(0.4)
            canvas.setStrokeColor(QUIET)
            canvas.setFillColor(white if mark.kind == "card" else _BACK)
            canvas.roundRect(x - 5.5, y - 7, 11, 14, 1.3, stroke=1, fill=1)
        if mark.kind == "back":
            return
        if mark.kind == "card":
            suit = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}.get(mark.label[-1:])
            canvas.setFillColor(_CARD_RED if suit in ("H", "D") else INK)
            canvas.setFont(BOLD, 6)
            canvas.drawCentredString(x, y + 0.6, mark.label.rstrip("♠♥♦♣"))
            if suit:
                draw_suit(canvas, suit, x, y - 3.6, 4.6)
            return
        colours = {"paid": GREEN, "collected": RED, "call": QUIET, "taken": QUIET}
        canvas.setFillColor(colours.get(mark.kind, INK))
        if mark.kind == "taken":
            canvas.setLineWidth(0.8)
            canvas.setStrokeColor(QUIET)
            canvas.line(x, y - 3.5, x, y + 3.5)
            canvas.line(x, y + 3.5, x - 2, y + 1)
            canvas.line(x, y + 3.5, x + 2, y + 1)
            return
        if mark.kind == "chip":
            canvas.setFillColor(BLUE)
            canvas.circle(x, y - 3.4, 2, stroke=0, fill=1)
            canvas.setFillColor(INK)
            y += 3.6
        canvas.setFont(BOLD if mark.kind in ("paid", "collected") else PLAIN, 6)
        canvas.drawCentredString(x, y - 2.1, self._words.plain(mark.label))


def _fitting(words: str, width: float, size: float) -> str:
    """The words, cut to the room there is."""
    words = words[:_MOST_LETTERS]
    if stringWidth(words, PLAIN, size) <= width:
        return words
    while words and stringWidth(words + "…", PLAIN, size) > width:
        words = words[:-1]
    return words + "…"
