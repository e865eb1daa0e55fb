"""Transcripts: timing, speakers, and the dealer's Spanish turned into journal events."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from veedor.monitor.announcements import read_announcements
from veedor.monitor.errors import UsageFault
from veedor.monitor.spanish_numbers import number_in, plain
from veedor.monitor.spoken import events_of
from veedor.monitor.transcript import parse_transcript
from veedor.rules.events import encode_event

VTT = """WEBVTT - mesa 3

NOTE grabado con el micrófono de la mesa

jugada
00:00:01.000 --> 00:00:03.000
<v Crupier>Jugada cuatro. La banca es de dos mil quinientos.

00:04.500 --> 00:06.000 align:start
<v.alto Crupier>Hagan juego, señores.

00:00:20.000 --> 00:00:21.000
<v Crupier>Ya no va más.

00:00:35.000 --> 00:00:37.000
<v Paño 1>Carta
<v Paño 2>No, me planto

00:00:44.000 --> 00:00:45.000
Banquero: El cuadro, por favor

00:00:50.000 --> 00:00:51.000
qué buena mano
"""


def heard(transcript: str) -> list[dict[str, object]]:
    spoken = events_of(parse_transcript(transcript, "mesa.vtt"))
    common = ("id", "source", "confidence")
    lines = [encode_event(event) for event in spoken.events]
    return [{key: value for key, value in line.items() if key not in common} for line in lines]


def test_a_webvtt_transcript_becomes_journal_events() -> None:
    assert heard(VTT) == [
        {"t": 1.0, "event": "coup_opened", "coup": 4},
        {"t": 1.553, "event": "bank_declared", "amount": 2500},
        {"t": 4.5, "event": "betting_opened"},
        {"t": 20.0, "event": "betting_closed"},
        {"t": 35.0, "event": "said", "by": "P1", "words": "carta"},
        {"t": 36.0, "event": "said", "by": "P2", "words": "no"},
        {"t": 44.0, "event": "said", "by": "banker", "words": "cuadro"},
    ]


def test_what_is_not_understood_is_kept_apart() -> None:
    spoken = events_of(parse_transcript(VTT, "mesa.vtt"))
    assert [cue.words for cue in spoken.not_understood] == ["qué buena mano"]


def test_subrip_with_windows_line_ends_and_bom() -> None:
    first = "1\r\n00:00:02,250 --> 00:00:03,000\r\nPaño 2: ABATO, ocho\r\n"
    srt = f"\ufeff{first}\r\n2\r\n00:00:05,000 --> 00:00:06,000\r\nP1: siete\r\n"
    assert heard(srt) == [
        {"t": 2.25, "event": "said", "by": "P2", "words": "abato"},
        {"t": 5.0, "event": "said", "by": "P1", "words": "point", "point": 7},
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Crupier: ¡No va más!", {"event": "betting_closed"}),
        ("Crupier: Primer paño, carta", {"event": "said", "by": "P1", "words": "carta"}),
        ("Crupier: Segundo paño: nueve", {"event": "said", "by": "P2", "words": "point", "point": 9}),
        ("Paño dos: servido", {"event": "said", "by": "P2", "words": "no"}),
        ("Paño 1: bacará", {"event": "said", "by": "P1", "words": "point", "point": 0}),
        ("Asiento 3: Banco", {"event": "banco_called", "bettor": "seat3", "seat": 3}),
        ("Asiento siete: pida, pida", {"event": "said", "by": "seat7", "words": "advice"}),
        ("Crupier: nueva talla", {"event": "shoe_started"}),
        ("Banquero: hay en banca 1.500", {"event": "bank_declared", "amount": 1500}),
        (
            "Inspector: La carta vuelve al primer paño",
            {"event": "ruling", "by": "inspector", "text": "la carta vuelve al primer pano"},
        ),
    ],
)
def test_the_words_of_the_trade(line: str, expected: dict[str, object]) -> None:
    found = heard(f"WEBVTT\n\n00:10.000 --> 00:11.000\n{line}\n")
    assert found == [{"t": 10.0} | expected]


@pytest.mark.parametrize(
    "line",
    ["carta", "Crupier: carta para el señor", "Crupier: la banca gana", "Paño 1: no va a venir nadie"],
)
def test_words_without_a_known_speaker_or_fixed_meaning_give_nothing(line: str) -> None:
    assert heard(f"WEBVTT\n\n00:10.000 --> 00:11.000\n{line}\n") == []


def test_hagan_juego_opens_the_coup_that_no_words_opened() -> None:
    call = "WEBVTT\n\n" + "".join(f"00:{at}.000 --> 00:{at + 1}.000\nhagan juego\n\n" for at in (10, 40))
    assert [(event["event"], event.get("coup")) for event in heard(call)] == [
        ("coup_opened", 1), ("betting_opened", None), ("coup_opened", 2), ("betting_opened", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("mil", 1000),
        ("dos mil quinientos", 2500),
        ("ciento veintitrés mil cuatrocientos cincuenta y seis", 123_456),
        ("un millón doscientas mil", 1_200_000),
        ("12 500 euros", 12_500),
        ("1.000", 1000),
        ("nada", None),
    ],
)
def test_amounts_in_words_and_figures(phrase: str, value: int | None) -> None:
    assert number_in(plain(phrase)) == value


@pytest.mark.parametrize(
    "words",
    ["banca de -5", "banca de - 5", "banca de \u22122.500", "banca de-5", "banca de (-5)",
     "hay en banca -€500", "banca de menos cinco", "banca de -cinco", "jugada -4"],
)  # fmt: skip
def test_a_minus_before_an_amount_is_no_amount(words: str) -> None:
    assert heard(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{words}\n") == []


def test_a_dash_before_what_is_said_is_no_minus() -> None:
    assert number_in(plain("- cinco mil")) == 5000
    assert number_in(plain("-5")) == 5
    assert plain("Asiento - 4") == "asiento 4" and plain("Paño-1") == "pano 1"


def test_amounts_are_decimal() -> None:
    [event] = events_of(parse_transcript("WEBVTT\n\n00:01.000 --> 00:02.000\nbanca de mil\n", "x")).events
    assert getattr(event, "amount", None) == Decimal(1000)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.vtt", b"WEBVTT\n\n00:01 --> 00:02\nhola\n", "line 3: cue timing not understood"),
        ("a.vtt", b"WEBVTT\n\n00:05.000 --> 00:02.000\nhola\n", "line 3: cue ends before it starts"),
        ("a.srt", b"just text\n", "no cue found"),
        ("a.srt", b"1\n\xff\xfe\n", "not UTF-8"),
        ("a.jsonl", b"", "empty file"),
        ("a.jsonl", b"\x00\x00\x00 ftypisom\n", "neither a journal"),
        ("a.jsonl", b'{"t": 1}\n', "no event found; line 1"),
    ],
)
def test_a_bad_events_file_is_refused_with_its_name_and_place(
    tmp_path: Path, name: str, content: bytes, fault: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageFault, match=fault) as raised:
        read_announcements(path)
    assert str(raised.value).startswith(str(path))


def test_a_folder_given_as_events_is_called_one(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="a folder; expected a journal or a transcript"):
        read_announcements(tmp_path)


def test_a_journal_with_a_torn_line_is_used_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "announcements.jsonl"
    path.write_text('{"id": 1, "t": 3.0, "event": "betting_closed", "source": "voice"}\n{"id": 2, "t"')
    found = read_announcements(path)
    assert len(found.events) == 1
    assert found.notes == ("announcements.jsonl: line 2: last line is cut short, left out",)
