"""The blocks that a printed report is put together from."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from PIL import Image as Picture
from reportlab.lib.colors import white
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.platypus import Flowable, HRFlowable, KeepInFrame, Paragraph, Spacer, Table, TableStyle
from veedor.monitor.report_money import Stake
from veedor.monitor.report_pdf_style import (
    EDGE,
    GREEN,
    GROUND,
    INK,
    QUIET,
    RED,
    TONES,
    UNDECIDED,
    Words,
    style,
)
from veedor.monitor.report_record import NightRecord, RecordedFinding
from veedor.monitor.report_words import action_words, decision_words
from veedor.monitor.rule_words import SEVERITIES
from veedor.monitor.wording import amount_text, clock, person_name, signed_amount, zone_name

WIDTH = 180 * mm
_STILL_WIDTH = 88 * mm
_TALLEST_STILL = 95 * mm
_TALLEST_BLOCK = 235 * mm
# Characters: of a name in a table's cell; of a text in a block; of decisions beside a picture, more go below.
_LONGEST_NAME, _LONGEST_TEXT, _MOST_BESIDE = 120, 450, 500
_VERDICTS = {
    "undecided": ("no se pudo ver", "could not be seen"),
    "inspector": ("decide el inspector", "inspector decides"),
    "withdrawn": ("retirado", "withdrawn"),
}
GRID = [
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LINEBELOW", (0, 0), (-1, -1), 0.4, EDGE),
    ("TOPPADDING", (0, 0), (-1, -1), 2.2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2.6),
    ("LEFTPADDING", (0, 0), (-1, -1), 3),
    ("RIGHTPADDING", (0, 0), (-1, -1), 3),
]
HEAD = [("BACKGROUND", (0, 0), (-1, 0), GROUND), ("LINEBELOW", (0, 0), (-1, 0), 0.9, INK)]


def tone_of(finding: RecordedFinding) -> Any:
    """The colour of a finding: by how grave it is, grey where nobody is accused."""
    accuses = finding.view.verdict == "broken" and not finding.dismissed
    return TONES.get(finding.view.severity, UNDECIDED) if accuses else UNDECIDED


def badge_words(finding: RecordedFinding, words: Words) -> str:
    """How grave a finding is, or why it accuses nobody."""
    view = finding.view
    both = SEVERITIES.get(view.severity) if view.verdict == "broken" else _VERDICTS.get(view.verdict)
    return words.say(*both) if both is not None else view.verdict


def moment_words(record: NightRecord, t_s: float) -> str:
    """Wall clock where it is known, else media time."""
    wall = record.wall(t_s)
    return clock(t_s) if wall is None else wall.strftime("%H:%M:%S")


def amount_cell(amount: Decimal | None, words: Words, *, signed: bool = False, tone: Any = INK) -> Paragraph:
    shown = "" if amount is None else (signed_amount(amount) if signed else amount_text(amount))
    return words.line(shown, style(7.5, right=True, colour=tone))


def section(title: str, words: Words) -> list[Flowable]:
    """A heading with its rule."""
    heading = ParagraphStyle(f"h{words.language}", parent=style(12, bold=True), spaceBefore=14)
    return [
        words.line(title, heading),
        HRFlowable(width="100%", thickness=0.9, color=INK, spaceBefore=2, spaceAfter=5),
    ]


def index_table(record: NightRecord, findings: Sequence[RecordedFinding], words: Words) -> Table:
    """Every finding on a line."""
    heads = (
        "#", words.say("Hora", "Time"), words.say("Jugada", "Coup"), words.say("Qué", "What"),
        words.say("Quién", "Who"), words.say("Artículo", "Article"), words.say("Gravedad", "Severity"),
        words.say("Decisión", "Decision"),
    )  # fmt: skip
    rows = [[words.line(each, style(7.2, bold=True)) for each in heads]]
    look = [*GRID, *HEAD]
    for row, each in enumerate(findings, 1):
        view, small = each.view, style(7.5)
        decided = "—" if each.answer is None else action_words(each.answer, words.language)
        cells = (
            str(each.number), moment_words(record, view.t_s), "" if view.coup is None else str(view.coup),
            view.title.in_language(words.language), _name(view.actor, words), view.rule,
        )  # fmt: skip
        rows.append(
            [words.line(cell, small) for cell in cells]
            + [words.line(badge_words(each, words), style(7.5, bold=True, colour=tone_of(each)))]
            + [words.line(decided, small)]
        )
        look.append(("LINEBEFORE", (0, row), (0, row), 2.4, tone_of(each)))
    widths = [9, 17, 14, 51, 21, 27, 21, 20]
    return Table(rows, [each * mm for each in widths], repeatRows=1, style=TableStyle(look))


def figures_table(figures: Sequence[tuple[str, str]], words: Words, columns: int = 4) -> Table:
    """Large figures with small names, so many side by side."""
    cells = [
        [words.line(value, style(13, bold=True)), words.line(name, style(7, colour=QUIET))]
        for name, value in figures
    ]
    cells += [[""]] * (-len(cells) % columns)
    rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
    look = TableStyle(
        [
            ("BACKGROUND", (0, 0), (-1, -1), GROUND),
            ("INNERGRID", (0, 0), (-1, -1), 3, white),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 4),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
        ]
    )
    return Table(rows, [WIDTH / columns] * columns, style=look)


def stakes_table(stakes: Sequence[Stake], words: Words, *, with_coup: bool = False) -> Table:
    """What each stake was due and what was seen to happen to it.

    A difference is red where a finding says that it is a fault; by itself it accuses nobody.
    """
    heads = [
        words.say("Quién", "Who"), words.say("Dónde", "Where"), words.say("Apuesta", "Stake"),
        words.say("Debido", "Due"), words.say("Pagado", "Paid"), words.say("Cobrado", "Collected"),
        words.say("Diferencia", "Difference"), words.say("Hallazgo", "Finding"),
    ]  # fmt: skip
    texts = 3 if with_coup else 2
    if with_coup:
        heads.insert(0, words.say("Jugada", "Coup"))
    rows = [[words.line(each, style(7.2, bold=True, right=n >= texts)) for n, each in enumerate(heads)]]
    look = [*GRID, *HEAD]
    for row, each in enumerate(stakes, 1):
        rows.append(_stake_cells(each, words, with_coup=with_coup))
        if each.wrong:
            look.append(("BACKGROUND", (0, row), (-1, row), GROUND))
    widths = [*([14, 26, 28] if with_coup else [30, 38]), *([18.5] * 5 if with_coup else [18.7] * 5), 19]
    return Table(rows, [each * mm for each in widths], repeatRows=1, style=TableStyle(look))


def _stake_cells(stake: Stake, words: Words, *, with_coup: bool) -> list[Paragraph]:
    bet, small = stake.bet, style(7.5)
    cells = [words.line(str(stake.coup.story.number), small)] if with_coup else []
    cells.append(words.line(_name(bet.who, words), small))
    cells.append(words.line(_cut(zone_name(bet.zone, words.language), _LONGEST_NAME), small))
    cells.append(words.line(amount_text(stake.amount), style(7.5, right=True)))
    cells.append(amount_cell(stake.due, words, signed=True))
    cells.append(amount_cell(bet.paid, words, tone=GREEN))
    cells.append(amount_cell(bet.collected, words, tone=RED))
    difference = stake.difference
    shown = "—" if difference is None else "0" if difference == 0 else signed_amount(difference)
    tone = RED if stake.wrong else INK if stake.differs else QUIET
    cells.append(words.line(shown, style(7.5, bold=stake.wrong, right=True, colour=tone)))
    said = ", ".join(
        f"{each.number}" if each.view.verdict == "broken" else f"{each.number} ?" for each in stake.said
    )
    cells.append(words.line(said or "—", style(7.5, right=True, colour=INK if said else QUIET)))
    return cells


def finding_block(record: NightRecord, finding: RecordedFinding, words: Words) -> list[Flowable]:
    """A finding with its still: who, what was due, what was done, remedy, article, what people decided.

    The first flowable fits on a page; those behind it, of long decisions, go over pages where they must.
    """
    view, language = finding.view, words.language
    tone = tone_of(finding)
    media = clock(view.t_s)
    moment = moment_words(record, view.t_s)
    when = moment if moment == media else f"{moment} · {media}"
    coup = "" if view.coup is None else f"{words.say('jugada', 'coup')} {view.coup} · "
    colour = tone.hexval().replace("0x", "#")
    badge = f'<font color="{colour}"><b>{words.safe(badge_words(finding, words).upper())}</b></font>'
    head = words.marked(f"{badge} &nbsp; {words.safe(coup + when)}", style(7.5, colour=QUIET))
    title = words.line(f"{finding.number}. {view.title.in_language(language)}", style(10.5, bold=True))
    accuses = view.verdict == "broken"
    remedy = words.say("Remedio", "Remedy") if accuses else words.say("Si es así", "If so")
    facts: list[tuple[str, str, bool]] = [
        (words.say("Quién", "Who"), _name(view.actor, words), False),
        (words.say("Debía", "Expected"), view.expected.in_language(language), False),
        (words.say("Se vio", "Found"), view.found.in_language(language), False),
        (words.say("Falta", "Missing"), view.reason.in_language(language), False),
        (remedy, view.remedy.in_language(language), accuses),
        (words.say("Artículo", "Article"), f"{view.rule} ({view.code})", False),
        (words.say("Certeza", "Confidence"), f"{round(view.confidence * 100)} %", False),
    ]
    facts = [(name, _cut(told, _LONGEST_TEXT), strong) for name, told, strong in facts]
    decided = [decision_words(each.line, words.language) for each in finding.decisions]
    decisions = [(words.say("Decisión", "Decision"), told, False) for told in decided]
    beside = sum(map(len, decided)) <= _MOST_BESIDE
    rows = _fact_rows(facts + decisions if beside else facts, words)
    details = Table(rows, [18 * mm, WIDTH - _STILL_WIDTH - 25 * mm], style=TableStyle(_TIGHT))
    side: list[Flowable] = [head, Spacer(1, 2), title, Spacer(1, 3), details]
    look = TableStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBEFORE", (0, 0), (0, 0), 3, tone),
            ("LEFTPADDING", (0, 0), (0, 0), 7),
            ("TOPPADDING", (0, 0), (-1, -1), 2),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    widths = [_STILL_WIDTH + 5 * mm, WIDTH - _STILL_WIDTH - 5 * mm]
    if sum(len(told) for _, told, _ in facts) > 2 * _LONGEST_TEXT:
        side = [KeepInFrame(widths[1] - 12, _TALLEST_BLOCK, side, mode="shrink")]
    block = Table([[still_of(finding, words), side]], widths, style=look)
    if beside:
        return [block]
    below = Table(
        _fact_rows(decisions, words), [18 * mm, WIDTH - 18 * mm], style=TableStyle(_TIGHT), splitInRow=1
    )
    return [block, below]


def _fact_rows(facts: Sequence[tuple[str, str, bool]], words: Words) -> list[list[Paragraph]]:
    return [
        [words.line(name, style(7.5, colour=QUIET)), words.line(told, style(8, bold=strong))]
        for name, told, strong in facts
        if told
    ]


def _name(person: str | None, words: Words) -> str:
    return _cut(person_name(person, words.language), _LONGEST_NAME)


def _cut(told: str, most: int) -> str:
    """What fits: a record of others may have a name as long as a page."""
    return told if len(told) <= most else told[: most - 1] + "…"


_TIGHT = [
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 3),
    ("TOPPADDING", (0, 0), (-1, -1), 0.5),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
]


def still_of(finding: RecordedFinding, words: Words) -> Flowable:
    """The picture of the moment, or a word on why there is none."""
    still = finding.still_bytes()
    if still is None:
        gone = words.say("sin imagen (se borró por plazo)", "no picture (deleted after its time)")
        none = words.say("sin imagen", "no picture")
        return words.line(gone if finding.about.get("removed") else none, style(7.5, colour=QUIET))
    size = _jpeg_size(still)
    if size is None:
        unreadable = words.say("la imagen no se puede leer", "the picture cannot be read")
        return words.line(unreadable, style(7.5, colour=RED))
    scale = min(_STILL_WIDTH / size[0], _TALLEST_STILL / size[1])
    return StillPicture(finding, size[0] * scale, size[1] * scale)


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Width and height of a JPEG; None for anything else."""
    try:
        with Picture.open(io.BytesIO(content), formats=("JPEG",)) as picture:
            return picture.size
    except (OSError, ValueError, SyntaxError, Picture.DecompressionBombError):
        return None


class _Jpeg(ImageReader):  # type: ignore[misc]  # reportlab has no types
    """A JPEG that goes into the file as it is, not decoded before: nights have hundreds of stills."""

    _dataA = None  # a JPEG has no transparency

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self._content = content

    def getRGBData(self) -> bytes:
        """What reportlab tells pictures apart by."""
        return self._content


class StillPicture(Flowable):  # type: ignore[misc]
    """A finding's still, read when its page is drawn."""

    def __init__(self, finding: RecordedFinding, width: float, height: float) -> None:
        super().__init__()
        self._finding, self.width, self.height = finding, width, height

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        still = self._finding.still_bytes()
        if still is not None:
            self.canv.drawImage(_Jpeg(still), 0, 0, self.width, self.height)
