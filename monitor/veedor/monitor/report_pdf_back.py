"""The last pages of a printed report: every coup, the articles, what it was made from, room for names."""

from __future__ import annotations

from typing import Any

from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Table, TableStyle
from veedor.monitor.evidence_bundle_chain import links_of
from veedor.monitor.report_money import sums_of
from veedor.monitor.report_pdf_blocks import GRID, HEAD, WIDTH, moment_words, section
from veedor.monitor.report_pdf_style import INK, QUIET, Words, style
from veedor.monitor.report_selection import Chosen
from veedor.monitor.rule_words import general
from veedor.monitor.store.lines import whole_lines
from veedor.monitor.wording import amount_text, clock
from veedor.rules.rulebook import rulebook


def back_matter(chosen: Chosen, words: Words) -> list[Flowable]:
    """Every coup on a line, the articles in full, what it was made from, and room for names."""
    flow: list[Flowable] = []
    if chosen.coups:
        flow += [*section(words.say("Todas las jugadas", "Every coup"), words), _coups_table(chosen, words)]
    flow += _articles(chosen, words)
    flow += section(words.say("De qué y con qué se hizo", "Made from and with"), words)
    flow.append(_made_table(chosen, words))
    names = (
        words.say("Director de vigilancia", "Surveillance director"),
        words.say("Inspector de mesa", "Table inspector"),
        words.say("Lugar y fecha", "Place and date"),
    )
    row: list[Any] = [""] * 5
    row[::2] = [words.line(each, style(7.5, colour=QUIET)) for each in names]
    look = TableStyle([("LINEABOVE", (at, 0), (at, 0), 0.6, INK) for at in (0, 2, 4)])
    wide, gap = (WIDTH - 16 * mm) / 3, 8 * mm
    lines = Table([row], [wide, gap, wide, gap, wide], style=look, spaceBefore=50)
    return [*flow, lines]


def _coups_table(chosen: Chosen, words: Words) -> Table:
    say = words.say
    heads = (
        say("Jugada", "Coup"), say("Hora", "Time"), say("Puntos", "Points"), say("Banca", "Bank"),
        say("Apostado", "Staked"), say("Pagado", "Paid"), say("Cobrado", "Collected"),
        say("Cagnotte", "Cagnotte"), say("Hallazgos", "Findings"),
    )  # fmt: skip
    rows = [[words.line(each, style(7, bold=True, right=place > 2)) for place, each in enumerate(heads)]]
    for coup in chosen.coups:
        story, sums = coup.story, sums_of([coup])
        points = " · ".join(
            f"{hand.name} {'–' if hand.points is None else hand.points}" for hand in story.hands if hand.cards
        )
        found = ", ".join(str(each.number) for each in chosen.of_coup(coup))
        amounts = (coup.bank, sums.staked, sums.paid, sums.collected, story.cagnotte)
        cells = [str(story.number), moment_words(chosen.record, story.opened_t), points]
        shown = ["—" if each is None else amount_text(each) for each in amounts]
        rows.append(
            [words.line(each, style(7.2)) for each in cells]
            + [words.line(each, style(7.2, right=True)) for each in [*shown, found or "—"]]
        )
    widths = [14, 17, 39, 20, 20, 18, 18, 17, 17]
    return Table(rows, [each * mm for each in widths], repeatRows=1, style=TableStyle([*GRID, *HEAD]))


def _articles(chosen: Chosen, words: Words) -> list[Flowable]:
    """The rules behind the findings, each once."""
    book = rulebook().codes
    codes = sorted({each.view.code for each in chosen.findings if each.view.code in book})
    if not codes:
        return []
    rows = []
    for code in codes:
        entry = book[code]
        texts = entry.texts[str(words.language)]
        rule = general(texts.expected, words.language)
        told = f"<b>{words.safe(texts.name)}.</b> {words.safe(rule[:1].upper() + rule[1:])}. "
        remedy = f"{words.safe(words.say('Remedio', 'Remedy'))}: {words.safe(texts.remedy)}"
        rows.append(
            [
                words.line(entry.source, style(7.5)),
                words.marked(told + remedy, style(7.5)),
                words.line(code, style(6.5, colour=QUIET)),
            ]
        )
    table = Table(rows, [34 * mm, 106 * mm, 40 * mm], style=TableStyle(GRID))
    return [*section(words.say("Artículos", "Articles"), words), table]


def _made_table(chosen: Chosen, words: Words) -> Table:
    record, say = chosen.record, words.say
    makers = record.files.makers
    rows: list[tuple[str, str, str]] = []
    for each in record.files.videos:
        length = f"{clock(each.start_s)}–{clock(each.stop_s)}" if each.stop_s else ""
        rows.append((say("grabación", "recording"), f"{each.name} {length}", each.sha256))
    rows += [(say("modelo", "model"), name, digest) for name, digest in makers.models.items()]
    rows.append((say("reglamento", "profile"), record.profile.id, makers.profile_sha256 or ""))
    lines = list(links_of(record.name, whole_lines(record.files.journal)))
    if lines:
        count = say(f"{len(lines)} líneas", f"{len(lines)} lines")
        rows.append((say("registro (cadena)", "journal (chain)"), count, lines[-1].chain))
    rows.append((say("juzgado por", "judged by"), f"veedor {makers.version or '?'}", makers.code or ""))
    cells = [
        [
            words.line(kind, style(7.2, colour=QUIET)),
            words.line(name, style(7.2)),
            words.line(digest, style(6.2)),
        ]
        for kind, name, digest in rows
    ]
    return Table(cells, [32 * mm, 52 * mm, 96 * mm], style=TableStyle(GRID))
