"""What people write: `shows` takes what can be read and refuses what hides something."""

from __future__ import annotations

import pytest
from veedor.monitor.written_text import shows


@pytest.mark.parametrize(
    "words",
    [
        "carta",
        "no va más",
        "¿Cómo? 1.000 €",
        "ana maría",
        " ana ",
        "ñandú",
        "n\u0303",
        "日本",
        "🙂",
        "❤\ufe0f va",
        "a\\n",
    ],
)
def test_what_can_be_read_shows(words: str) -> None:
    assert shows(words)


@pytest.mark.parametrize("words", ["", " ", "   ", "\ufe0f", " \ufe0f", "\u3164\u3164", "\u2800", "\u00a0"])
def test_what_nobody_sees_does_not(words: str) -> None:
    assert not shows(words)


@pytest.mark.parametrize(
    "sign",
    [
        "\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\u00a0", "\u00ad", "\u034f", "\u061c", "\u115f",
        "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180e", "\u200b", "\u200d", "\u200e", "\u2028", "\u202e", "\u2060",
        "\u2066", "\u2800", "\u3000", "\u3164", "\ufe00", "\ufe0e", "\ufeff", "\uffa0", "\ufff0", "\ufff9",
        "\ud800", "\udfff", "\ue000", "\U0001d159", "\U0001d173", "\U000e0001", "\U000e0100", "\U000e01ef",
        "\U0010ffff",
    ],
)  # fmt: skip
def test_nothing_hides_in_what_can_be_read(sign: str) -> None:
    assert not shows(f"carta{sign}no")
    assert not shows(f"{sign}carta")
    assert not shows(f"carta {sign}")


def test_the_style_of_an_emoji_follows_what_is_seen_once() -> None:
    assert shows("❤\ufe0f") and not shows("❤\ufe0f\ufe0f") and not shows("❤ \ufe0f")
