"""Of played and drawn sessions."""

SENTENCES = (
    ("no shipped layout is called '{a}'; there are: {b}", "ningún plano incluido se llama '{a}'; hay: {b}"),
    (
        "no shipped layout is called '{a}'; there are: none",
        "ningún plano incluido se llama '{a}'; no hay ninguno",
    ),
    ("cannot be planted; one of {a}", "no se puede simular; una de {a}"),
    ("cannot be planted in {a}; one of {b}", "no se puede simular en {a}; una de {b}"),
    ("{a} cannot be paid with chips from {b} up", "{a} no se puede pagar con fichas desde {b}"),
    (
        "{a} asked for in {b} coups; one a coup at most",
        "se piden {a} en {b} jugadas; una por jugada como mucho",
    ),
    ("{a} different ones do not go into {b} coups", "{a} distintas no caben en {b} jugadas"),
    ("no coup of {a} is free for it", "ninguna de {a} jugadas está libre para ella"),
    ("no chips of this set make one from {a} to {b}", "ninguna ficha de este juego da una de {a} a {b}"),
    ("needs a profile that sets {a}", "necesita un perfil que fije {a}"),
    ("the cards of coup {a} do not allow it", "las cartas de la jugada {a} no lo permiten"),
    ("needs a limited bank", "necesita una banca limitada"),
    ("needs an open bank", "necesita una banca libre"),
    (
        "played without a felt only, there is nothing to film",
        "solo se juega sin paño, no hay nada que filmar",
    ),
    ("played without a felt only, it cannot be filmed", "solo se juega sin paño, no se puede filmar"),
    ("no zone of kind {a}", "sin zona de la clase {a}"),
    ("no zone of kind {a} for seat {b}", "sin zona de la clase {a} para el puesto {b}"),
    ("no place of kind {a} for seat {b}", "sin sitio de la clase {a} para el puesto {b}"),
    ("no {a} line for seat {b}", "sin línea {a} para el puesto {b}"),
    ("the picture could not be compressed", "no se pudo comprimir la imagen"),
)

PHRASES = (
    ("split train or play", "la parte train o play"),
    ("at least one chip", "al menos una ficha"),
    ("CODE or CODE@COUP with a coup number", "CÓDIGO o CÓDIGO@JUGADA con el número de una jugada"),
    ("a PNG picture with transparency", "una imagen PNG con transparencia"),
)
