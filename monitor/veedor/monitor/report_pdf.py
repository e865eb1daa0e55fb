"""The printed report: a session, or a part of it, as a PDF that can be handed to a regulator.

The same bytes for the same record: dates in the file are those of the session.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.platypus import Flowable, KeepTogether, Spacer
from veedor.monitor.language import Language
from veedor.monitor.report_money import stakes_of, sums_of
from veedor.monitor.report_pdf_back import back_matter
from veedor.monitor.report_pdf_blocks import (
    WIDTH,
    figures_table,
    finding_block,
    index_table,
    moment_words,
    section,
    stakes_table,
)
from veedor.monitor.report_pdf_cards import Course, Hands
from veedor.monitor.report_pdf_pages import canvas_of, document_of
from veedor.monitor.report_pdf_style import QUIET, Words, style
from veedor.monitor.report_record import Coup, RecordedFinding
from veedor.monitor.report_selection import Chosen
from veedor.monitor.timeline import draw_timeline
from veedor.monitor.wording import amount_text, clock, describe
from veedor.rules.events import Ruling

_MOST_COUPS_DRAWN = 400  # of those without a finding, when coups are asked for


def report_pdf(chosen: Chosen, language: Language) -> bytes:
    """The report as a PDF."""
    words = Words(language)
    out = io.BytesIO()
    document = document_of(out, chosen, words)
    story = [*_front(chosen, words), *_chapters(chosen, words), *back_matter(chosen, words)]
    document.build(story, canvasmaker=canvas_of(chosen, words))
    return out.getvalue()


def _front(chosen: Chosen, words: Words) -> list[Flowable]:
    """What it is about, its figures, and every finding on a line."""
    record, say = chosen.record, words.say
    profile = record.profile.names.get(str(words.language), record.profile.id)
    findings = chosen.findings
    flow: list[Flowable] = [
        words.line(say("Informe de mesa", "Table report"), style(9, colour=QUIET)),
        words.line(record.files.table_name, style(19, bold=True)),
        Spacer(1, 4),
        words.line(_period(chosen, words), style(9)),
        words.line(f"{profile} ({record.profile.id})", style(9)),
        words.line(f"{say('Sesión', 'Session')} {record.name}", style(8, colour=QUIET)),
    ]
    if not chosen.selection.whole:
        flow.append(words.line(_part(chosen, words), style(8, colour=QUIET)))
    verdicts = [each.view.verdict for each in findings]
    sums = sums_of(chosen.coups, findings)
    dismissed = sum(each.view.verdict == "broken" and each.dismissed for each in findings)
    accused = say("infracciones", "infractions")
    if dismissed:
        accused += say(f" ({dismissed} descartadas)", f" ({dismissed} dismissed)")
    due = "—" if sums.cagnotte_due is None else amount_text(sums.cagnotte_due)
    figures = [
        (say("jugadas", "coups"), str(len(chosen.coups))),
        (accused, str(verdicts.count("broken"))),
        (say("no se pudo ver", "could not be seen"), str(verdicts.count("undecided"))),
        (say("decide el inspector", "for the inspector"), str(verdicts.count("inspector"))),
        (say("apostado", "staked"), amount_text(sums.staked)),
        (
            say("pagado / cobrado", "paid / collected"),
            f"{amount_text(sums.paid)} / {amount_text(sums.collected)}",
        ),
        (
            say("mal liquidado: de más / de menos", "settled wrongly: too much / too little"),
            f"{amount_text(sums.too_much)} / {amount_text(sums.too_little)}",
        ),
        (
            say("cagnotte vista / debida", "cagnotte seen / due"),
            f"{amount_text(sums.cagnotte)} / {due}",
        ),
    ]
    flow += [Spacer(1, 8), figures_table(figures, words), Spacer(1, 4)]
    flow.append(words.line(_unit(chosen, words), style(7, colour=QUIET)))
    flow += section(say("Hallazgos", "Findings"), words)
    if findings:
        flow += [index_table(record, findings, words), Spacer(1, 3)]
        flow.append(words.line(_how_to_read(words), style(7, colour=QUIET)))
    else:
        calm = say("Sin novedad: ninguna infracción.", "Nothing to report: no infraction.")
        flow.append(words.line(calm, style(10)))
    different = [each for each in stakes_of(chosen.coups, findings) if each.differs and each.said]
    if different:
        title = say("Liquidaciones que difieren de lo debido", "Settlements that differ from what was due")
        flow += section(title, words)
        flow.append(stakes_table(different, words, with_coup=True))
    return flow


def _how_to_read(words: Words) -> str:
    return words.say(
        "«No se pudo ver»: no se acusa a nadie; cada hallazgo dice qué faltó. En rojo, las diferencias "
        "que un hallazgo da por mal liquidadas; con «?» las que no se pudieron ver del todo.",
        "“Could not be seen” accuses nobody; each finding says what was missing. In red, differences "
        "that a finding calls a wrong settlement; with “?” those that could not be seen in full.",
    )


def _period(chosen: Chosen, words: Words) -> str:
    record = chosen.record
    last_s = max((each.t for each in record.events), default=0.0)
    first, last = record.wall(0.0), record.wall(last_s)
    if first is None or last is None:
        return words.say(f"duración {clock(last_s)}", f"lasted {clock(last_s)}")
    shape = "%d/%m/%Y %H:%M:%S" if words.language is Language.ES else "%Y-%m-%d %H:%M:%S"
    end = last.strftime(shape if last.date() != first.date() else "%H:%M:%S")
    return f"{first.strftime(shape)} – {end} (UTC{first.strftime('%z')[:3]}:{first.strftime('%z')[3:5]})"


def _part(chosen: Chosen, words: Words) -> str:
    """Which part of the session it is."""
    selection, say = chosen.selection, words.say
    parts = []
    if selection.findings:
        parts.append(say("hallazgos ", "findings ") + ", ".join(map(str, selection.findings)))
    if selection.codes:
        parts.append(", ".join(selection.codes))
    if selection.coups is not None:
        low, high = selection.coups
        parts.append(say("jugadas ", "coups ") + (f"{low}" if low == high else f"{low}–{high}"))
    return say("Parte de la sesión: ", "Part of the session: ") + "; ".join(parts)


def _unit(chosen: Chosen, words: Words) -> str:
    opening = chosen.record.opening
    unit = "" if opening is None or opening.unit is None else amount_text(opening.unit)
    told = words.say("Importes en unidades de mesa", "Amounts in table units")
    return told + (words.say(f"; ficha unidad {unit}.", f"; unit chip {unit}.") if unit else ".")


def _chapters(chosen: Chosen, words: Words) -> list[Flowable]:
    """A chapter for each coup that has findings, or that was asked for."""
    flow: list[Flowable] = []
    drawn = 0
    for coup in chosen.coups:
        findings = chosen.of_coup(coup)
        asked = chosen.selection.coups is not None and drawn < _MOST_COUPS_DRAWN
        if findings or asked:
            flow += _chapter(chosen, coup, findings, words)
            drawn += 1
    rest = chosen.elsewhere()
    if rest:
        flow += section(words.say("Fuera de las jugadas", "Outside the coups"), words)
        for each in rest:
            block, *below = finding_block(chosen.record, each, words)
            flow += [KeepTogether(block), *below, Spacer(1, 6)]
    return flow


def _chapter(chosen: Chosen, coup: Coup, findings: Sequence[RecordedFinding], words: Words) -> list[Flowable]:
    story, record = coup.story, chosen.record
    end = "" if story.closed_t is None else f"–{moment_words(record, story.closed_t)}"
    about = [moment_words(record, story.opened_t) + end]
    if coup.bank is not None:
        about.append(f"{words.say('banca', 'bank')} {amount_text(coup.bank)}")
    if story.cagnotte is not None or coup.account.cagnotte is not None:
        seen = "0" if story.cagnotte is None else amount_text(story.cagnotte)
        due = (
            ""
            if coup.account.cagnotte is None
            else f" ({words.say('debida', 'due')} {amount_text(coup.account.cagnotte)})"
        )
        about.append(f"cagnotte {seen}{due}")
    flags = [
        (each.number, each.view.t_s, f"severity-{each.view.severity} verdict-{each.view.verdict}")
        for each in findings
    ]
    top = [
        *section(f"{words.say('Jugada', 'Coup')} {story.number}", words),
        words.line(" · ".join(about), style(8, colour=QUIET)),
        Spacer(1, 5),
        Course(draw_timeline(story, flags), words, WIDTH),
        Spacer(1, 5),
        Hands(coup, words, WIDTH),
    ]
    flow: list[Flowable] = [KeepTogether(top)]
    stakes = stakes_of([coup], findings)
    if stakes:
        flow += [Spacer(1, 4), stakes_table(stakes, words)]
    for ruling in (each for each in story.events if isinstance(each, Ruling)):
        told = f"{moment_words(record, ruling.t)} · {describe(ruling, words.language)}"
        flow.append(words.line(told, style(8, bold=True)))
    for each in findings:
        block, *below = finding_block(record, each, words)
        flow += [Spacer(1, 8), KeepTogether(block), *below]
    return flow
