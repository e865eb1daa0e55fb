"""Of table files, layouts, calibration, sources and what the eyes read; of `tables.toml`."""

SENTENCES = (
    # Files
    ("no such file", "no existe ese archivo"),
    ("no such file or folder", "no existe ese archivo o carpeta"),
    ("cannot be read: {A}", "no se puede leer: {A}"),
    ("cannot be opened: {A}", "no se puede abrir: {A}"),
    ("cannot be used: {A}", "no se puede usar: {A}"),
    ("empty file", "archivo vacío"),
    ("not a folder", "no es una carpeta"),
    (
        "expected a TOML text file, found other bytes",
        "se esperaba un archivo de texto TOML, y hay otros bytes",
    ),
    ("not valid TOML: {A}", "TOML no válido: {A}"),
    ("not valid TOML: {A} (at line {b}, column {c})", "TOML no válido: {A} (línea {b}, columna {c})"),
    ("not valid TOML: {A} (at end of document)", "TOML no válido: {A} (al final del documento)"),
    ("not TOML: {A}", "no es TOML: {A}"),
    ("not TOML: {A} (at line {b}, column {c})", "no es TOML: {A} (línea {b}, columna {c})"),
    ("not TOML: {A} (at end of document)", "no es TOML: {A} (al final del documento)"),
    ("nested too deep", "anidado a demasiada profundidad"),
    ("a number too long", "un número demasiado largo"),
    # Keys and values
    ("missing", "falta"),
    ("missing, expected {A}", "falta; se esperaba {A}"),
    ("missing in {a}", "falta en {a}"),
    ("unknown key", "clave desconocida"),
    ("expected {A}", "se esperaba {A}"),
    ("expected {A}, found {b}", "se esperaba {A}, y hay {b}"),
    ("expected {a} numbers", "se esperaban {a} números"),
    ("expected {a} numbers, found shape {b}", "se esperaban {a} números, y hay de forma {b}"),
    ("expected at least {a} points, found {b}", "se esperaban al menos {a} puntos, y hay {b}"),
    (
        "expected at least {a} points of the felt, found {b}",
        "se esperaban al menos {a} puntos del paño, y hay {b}",
    ),
    (
        "expected up to 48 letters, digits, . _ -, found {a}",
        "se esperaban hasta 48 letras, cifras, . _ -, y hay {a}",
    ),
    (
        "expected up to {a} letters in one line, found {b}",
        "se esperaban hasta {a} letras en una línea, y hay {b}",
    ),
    ("expected sizes above 0 mm", "se esperaban medidas de más de 0 mm"),
    ("expected focal lengths above 0", "se esperaban distancias focales de más de 0"),
    (
        "expected red, green, blue of 0 to 255, found {a}",
        "se esperaban rojo, verde y azul de 0 a 255, y hay {a}",
    ),
    (
        "expected {a} rows (sides, classes, turn), found {b}",
        "se esperaban {a} filas (lados, clases, giro), y hay {b}",
    ),
    ("expected {A}, found none", "se esperaba {A}, y no hay nada"),
    ("expected {A}, found a number of {b} signs", "se esperaba {A}, y hay un número de {b} cifras"),
    ("holds a value that is not finite", "contiene un valor que no es finito"),
    ("at least {a}", "al menos {a}"),
    ("more than 0", "más de 0"),
    ("the name '{a}' stands twice", "el nombre '{a}' está dos veces"),
    # Table files and layouts
    (
        "the main camera is not calibrated: [calibration] is missing",
        "la cámara principal no está calibrada: falta [calibration]",
    ),
    ("edge {a} crosses edge {b}", "el borde {a} cruza el borde {b}"),
    (
        "cannot be inverted: it maps the picture onto a line or a point",
        "no se puede invertir: lleva la imagen a una recta o a un punto",
    ),
    ("puts the camera under the felt", "pone la cámara debajo del paño"),
    ("layout '{a}' has no point '{b}'", "el plano '{a}' no tiene el punto '{b}'"),
    ("layout '{a}' has no point '{b}'; there are: {c}", "el plano '{a}' no tiene el punto '{b}'; hay: {c}"),
    (
        "layout '{a}' has no point '{b}'; --list-points shows their names",
        "el plano '{a}' no tiene el punto '{b}'; --list-points muestra los nombres",
    ),
    # Calibration
    (
        "the points lie on one line or at one place: they tell no camera",
        "los puntos están en una recta o en un mismo sitio: no determinan ninguna cámara",
    ),
    ("no camera puts the points where they were clicked", "ninguna cámara pone los puntos donde se marcaron"),
    (
        "no camera above the felt puts the points where they were clicked",
        "ninguna cámara por encima del paño pone los puntos donde se marcaron",
    ),
    ("no calibration to check", "no hay calibración que comprobar"),
    (
        "no calibration, so nothing can be placed on its felt",
        "sin calibración no se puede situar nada en su paño",
    ),
    ("no calibration, so nothing can be measured on it", "sin calibración no se puede medir nada en ella"),
    (
        "calibrated for pictures of {a} x {b}, found {c} x {d}",
        "calibrada para imágenes de {a} x {b}, y esta es de {c} x {d}",
    ),
    # Enrolment of chips
    ("outside the picture of {a} x {b}", "fuera de la imagen de {a} x {b}"),
    ("nothing stands out from the felt there", "ahí nada destaca sobre el paño"),
    (
        "a plaque has to lie free, away from chips and print",
        "una placa tiene que estar suelta, lejos de fichas y de lo impreso",
    ),
    ("pointed at as a round chip and as a plaque", "se señaló como ficha redonda y como placa"),
    ("given more than one value", "se le dio más de un valor"),
    # Models' files, as the eyes open them
    ("ONNX Runtime cannot load it: {a}", "ONNX Runtime no lo puede cargar: {a}"),
    ("not a readable model file: {a}", "no es un archivo de modelo legible: {a}"),
    ("not a card reader; its outputs are {a}", "no es un lector de cartas; sus salidas son {a}"),
    ("not a stack counter; its inputs are {a}", "no es un contador de pilas; sus entradas son {a}"),
    ("damaged: its bytes do not match their digest", "dañado: sus bytes no coinciden con su resumen"),
    ("damaged: {a}", "dañado: {a}"),
    # Videos, pictures, cameras
    ("not a picture that can be decoded", "no es una imagen que se pueda descodificar"),
    ("holds no video", "no contiene vídeo"),
    ("holds no video frame", "no contiene ningún cuadro de vídeo"),
    ("no frame of it can be decoded", "no se puede descodificar ninguno de sus cuadros"),
    ("not a video that can be read: {A}", "no es un vídeo que se pueda leer: {A}"),
    ("not a network address", "no es una dirección de red"),
    ("names no machine", "no nombra ninguna máquina"),
    ("the environment has no {a}", "el entorno no tiene {a}"),
    # tables.toml
    ("no table to watch", "no hay ninguna mesa que vigilar"),
    ("two tables are called '{a}'", "hay dos mesas que se llaman '{a}'"),
    ("no table '{a}'", "no hay ninguna mesa '{a}'"),
    ("not enough ports above the one that is given", "por encima del puerto indicado no quedan bastantes"),
    ("port {a} is that of [{b}] too", "el puerto {a} es también el de [{b}]"),
    (
        "this machine only; a proxy can offer it to others",
        "solo esta máquina; un proxy puede ofrecerlo a otras",
    ),
    ("id '{a}': letters, digits, . _ - only", "id '{a}': solo letras, cifras, . _ -"),
    ("not calibrated; see veedor calibrate", "sin calibrar; vea veedor calibrate"),
    ("not calibrated; nothing can be placed on its felt", "sin calibrar; no se puede situar nada en su paño"),
    ("neither here nor in {a}", "ni aquí ni en {a}"),
    ("no source", "sin fuente"),
    ("no source for its camera '{a}'", "sin fuente para su cámara '{a}'"),
)

# What is expected, and other parts of sentences.
PHRASES = (
    ("one of {a}", "uno de {a}"),
    ("a text", "un texto"),
    ("a list of tables", "una lista de tablas"),
    ("a table", "una tabla"),
    (
        "a date and time such as 2026-11-29T22:00:00",
        "fecha y hora como 2026-11-29T22:00:00",
    ),
    ("a number", "un número"),
    ("at most {a}", "{a} como mucho"),
    ("{a} to {b}", "{a} a {b}"),
    ("more than {a}", "más de {a}"),
    ("{a} or more", "{a} o más"),
    ("{a} or {b}", "{a} o {b}"),
    ("an area of at least 1 mm²", "un área de al menos 1 mm²"),
    ("a picture size above 0", "un tamaño de imagen de más de 0"),
    ("format {a}", "formato {a}"),
    ("a camera's number or one of {a}", "el número de una cámara o uno de {a}"),
    ("HOST:PORT", "DIRECCIÓN:PUERTO"),
)
