"""Hypothesis strategies for journal events of every kind."""

from dataclasses import fields
from decimal import Decimal

from hypothesis import strategies as st
from veedor.rules.events import EVENT_TYPES, Said, UnknownEvent

_CARDS = st.sampled_from([f"c{n}" for n in range(1, 10)])
_HANDS = st.sampled_from(["P1", "P2", "B", "punto", "banca", "elsewhere"])
_PEOPLE = st.sampled_from(["seat1", "seat2", "seat6", "banker", "croupier", "A", "P1", "punto", "seatx"])
_SHOWS = st.sampled_from(["7H", "KS", "8D", "5C", "AD", "??", "7?", "?S"])
_PANO_ZONES = ["P1", "P2", "caballo", "half:P1", "half:P2", "half:caballo", "forbidden"]
_ZONES = st.sampled_from([*_PANO_ZONES, "punto", "banca", "suite", "tie", "moon"])
_BY_NAME = {
    "card": _CARDS,
    "cards": st.lists(_CARDS, max_size=4).map(tuple),
    "to": _HANDS | st.sampled_from(["dead", "shoe", "off_table", "seat3"]),
    "hand": _HANDS,
    "by": _PEOPLE,
    "bettor": _PEOPLE,
    "banker": _PEOPLE,
    "shows": _SHOWS,
    "zone": _ZONES,
    "face": st.sampled_from(["up", "down"]),
    "where": st.sampled_from(["floor", "basket"]),
    "pose": st.sampled_from(["crossed", "parallel", "tucked", "loose"]),
    "words": st.sampled_from(
        ["carta", "no", "abato", "banco", "cuadro", "advice", "repeat", "point", "hello"]
    ),
    "bet": st.sampled_from([f"b{n}" for n in range(1, 6)]),
    "pano": st.sampled_from(["P1", "P2", "P9"]),
    "order": st.permutations(["P1", "P2"]).map(tuple) | st.just(()),
    "point": st.integers(0, 9),
    "points": st.integers(0, 9),
    "zones": st.lists(st.sampled_from(["P1.hand", "P2.hand", "banker_hand", "shoe"])).map(tuple),
    "profile": st.sampled_from(["dos-panos-limitada", "punto-banco-pr", "unheard-of"]),
    "schema": st.just(1),
    "players": st.lists(_PEOPLE, max_size=4).map(tuple),
}
_BY_TYPE = {
    "str": st.text(min_size=1, max_size=6),
    "int": st.integers(0, 60),
    "Decimal": st.integers(0, 5000).map(Decimal)
    | st.sampled_from([Decimal("2.5"), Decimal("0.25"), Decimal("9" * 15 + ".000000001")]),
    "bool": st.booleans(),
    "TableEvent": st.builds(Said, by=_PEOPLE, words=st.just("no"), t=st.integers(0, 99).map(float)),
    "tuple[str, ...]": st.lists(st.text(min_size=1, max_size=4), max_size=3).map(tuple),
}
_COMMON = {
    "t": st.floats(0, 500, allow_nan=False).map(lambda t: round(t, 2)),
    "confidence": st.floats(0, 1),
    "source": st.sampled_from(["vision", "operator", "voice", "simulator", "import"]),
    "frames": st.none() | st.tuples(st.integers(0, 50), st.integers(50, 90)),
    "id": st.integers(0, 10_000),
}


def _of(kind):
    values = dict(_COMMON)
    for field in fields(kind):
        if field.name not in values:
            value = _BY_NAME.get(field.name, _BY_TYPE[field.type.removesuffix(" | None")])
            values[field.name] = st.none() | value if field.type.endswith("| None") else value
    return st.builds(kind, **values)


_unknown = st.builds(
    UnknownEvent,
    name=st.sampled_from(["lamp_lit", "card_delt", "x"]),
    payload=st.dictionaries(st.sampled_from(["colour", "card", "to"]), st.text(max_size=4), max_size=2),
    **_COMMON,
)
any_event = st.one_of([*[_of(kind) for kind in EVENT_TYPES], _unknown])
