"""What people write: something of it is to be seen, and nothing in it is hidden."""

from __future__ import annotations

_EMOJI_STYLE = 0xFE0F  # follows a sign to have it drawn in colour
# Unicode's default-ignorable code points, and signs that are drawn as nothing; `isprintable` lets many through.
_UNSEEN = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3), (0x1D159, 0x1D159), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def shows(text: str) -> bool:
    """Whether something of a text can be seen, and nothing in it is unseen but spaces between what is."""
    seen = before = False
    for sign in text:
        here = sign != " " and sign.isprintable() and not _is_unseen(sign)
        if not here and sign != " " and not (before and ord(sign) == _EMOJI_STYLE):
            return False
        seen, before = seen or here, here
    return seen


def _is_unseen(sign: str) -> bool:
    return any(first <= ord(sign) <= last for first, last in _UNSEEN)
