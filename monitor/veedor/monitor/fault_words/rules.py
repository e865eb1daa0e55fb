"""Of journals, coup files and rule profiles."""

from veedor.rules.event_codec import SPANISH_EXPECTED

SENTENCES = (
    ("empty: expected id, title, profile and events", "vacío: se esperaba id, title, profile y events"),
    ("expected keys and values, found {a}", "se esperaban claves y valores, y hay {a}"),
    ("expected {a} rows, found {b}", "se esperaban {a} filas, y hay {b}"),
    (
        "expected {a} letters of T, P, O (the last for no third card), found {b}",
        "se esperaban {a} letras de T, P, O (la última, sin tercera carta), y hay {b}",
    ),
    ("not a key of a coup file", "no es una clave de un archivo de jugada"),
    ("not a key of a rule profile", "no es una clave de un perfil de reglas"),
    ("not a key of {a}", "no es una clave de {a}"),
    ("expected one of {a} or a TOML file, missing", "se esperaba uno de {a} o un archivo TOML, y falta"),
)

PHRASES = (
    *SPANISH_EXPECTED.items(),
    ("id, title, profile and events", "id, title, profile y events"),
    ("one of {a} or a TOML file", "uno de {a} o un archivo TOML"),
    ("a list", "una lista"),
    ("an event", "un suceso"),
    ("a value and its cite", "un valor y su cite"),
    ("a number from {a} to {b}", "un número de {a} a {b}"),
    ("a whole number from {a} to {b}", "un número entero de {a} a {b}"),
    ("C-01 to C-26 or G-01 to G-18", "C-01 a C-26 o G-01 a G-18"),
    ("a rank of {a} and a suit of {b}", "un valor de {a} y un palo de {b}"),
)
