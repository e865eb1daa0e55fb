"""Of model files, training, and the sets that models are scored on."""

SENTENCES = (
    # Checkpoints
    ("no checkpoint of the {a} to start from: {B}", "no hay punto de control de {a} del que partir: {B}"),
    (
        "is the origin of {a}…, but the installed {b} is {c}…; train from another checkpoint",
        "es el origen de {a}…, pero el {b} instalado es {c}…; entrene desde otro punto de control",
    ),
    ("no such checkpoint", "no existe ese punto de control"),
    ("not a checkpoint: {a}", "no es un punto de control: {a}"),
    ("not a checkpoint: a {a}", "no es un punto de control: es un {a}"),
    ("not a checkpoint: holds no weights", "no es un punto de control: no contiene pesos"),
    ("not a checkpoint of this reader: {a}", "no es un punto de control de este lector: {a}"),
    ("weights of another network", "pesos de otra red"),
    ("no checkpoint to export", "no hay punto de control que exportar"),
    # Training
    (
        "training needs the `train` extra: pip install 'veedor[train]'",
        "entrenar necesita el extra «train»: pip install 'veedor[train]'",
    ),
    (
        "training needs the extra `train`: pip install 'veedor[train]'",
        "entrenar necesita el extra «train»: pip install 'veedor[train]'",
    ),
    (
        "quantising needs the `train` extra: pip install 'veedor[train]'",
        "cuantizar necesita el extra «train»: pip install 'veedor[train]'",
    ),
    (
        "printed felts need the fonts of matplotlib: install the `train` extra",
        "los paños impresos necesitan las letras de matplotlib: instale el extra «train»",
    ),
    (
        "rendering card art needs resvg-py: pip install resvg-py",
        "dibujar las cartas necesita resvg-py: pip install resvg-py",
    ),
    ("no tiles to quantise by", "no hay recortes con los que cuantizar"),
    (
        "no training tiles (images/*.jpg with labels/*.txt) in {a}",
        "no hay recortes de entrenamiento (images/*.jpg con labels/*.txt) en {a}",
    ),
    ("preparing training tiles: {A}", "al preparar los recortes de entrenamiento: {A}"),
    ("not a readable picture", "no es una imagen legible"),
    ("no fonts to print with", "no hay letras con las que imprimir"),
    (
        "expected lines of a class and eight numbers: {a}",
        "se esperaban líneas de una clase y ocho números: {a}",
    ),
    (
        "nothing is labelled in its training pictures",
        "no hay nada etiquetado en sus imágenes de entrenamiento",
    ),
    ("none of its pictures is for training", "ninguna de sus imágenes es de entrenamiento"),
    ("rehearsal {a}: a share from 0 up to, but not, 1", "repaso {a}: una fracción desde 0 y menor de 1"),
    ("blend {a}: a share above 0, up to 1", "mezcla {a}: una fracción de más de 0, hasta 1"),
    ("{a} steps: at least one", "{a} pasos: al menos uno"),
    # Labelled sets
    ("no such labelled set; known are {a}", "no existe ese conjunto etiquetado; se conocen {a}"),
    ("no such folder of labelled sets", "no existe esa carpeta de conjuntos etiquetados"),
    (
        "holds no set {a} (looked for {b} and {c})",
        "no contiene el conjunto {a} (se buscó {b} y {c})",
    ),
    (
        "holds no set {a} (looked for {b} and real/{c})",
        "no contiene el conjunto {a} (se buscó {b} y real/{c})",
    ),
    (
        "not a manifest of labelled pictures of schema {a}",
        "no es un manifiesto de imágenes etiquetadas del esquema {a}",
    ),
    ("lists no {a}", "no tiene en su lista {a}"),
    ("lists no labels.jsonl", "no tiene en su lista labels.jsonl"),
    ("{a} is missing or not what it must be", "{a} falta o no es lo que debe ser"),
    ("{a} leads out of the version", "{a} lleva fuera de la versión"),
    (
        "missing, though the version's manifest lists it",
        "falta, aunque está en el manifiesto de la versión",
    ),
    ("changed since the version was frozen", "cambió desde que se cerró la versión"),
    ("not readable as JSON: {A}", "no se puede leer como JSON: {A}"),
    ("not readable as TOML: {A}", "no se puede leer como TOML: {A}"),
    (
        "not readable as TOML: {A} (at line {b}, column {c})",
        "no se puede leer como TOML: {A} (línea {b}, columna {c})",
    ),
    (
        "not readable as TOML: {A} (at end of document)",
        "no se puede leer como TOML: {A} (al final del documento)",
    ),
    ("not the truth of a photoreal picture: {a}", "no es la verdad de una imagen fotorrealista: {a}"),
    ("not a record of scores of schema {a}", "no es un registro de puntuaciones del esquema {a}"),
    # Model files
    ("no such model; known are {a}", "no existe ese modelo; se conocen {a}"),
    ("no such model file", "no existe ese archivo de modelo"),
    ("its manifest describes none of {a}", "su manifiesto no describe ninguno de {a}"),
    ("not promoted: {A}", "no se promueve: {A}"),
    ("no manifest.toml in that folder", "no hay manifest.toml en esa carpeta"),
    (
        "no manifest.toml in {a}: the model files are not installed",
        "no hay manifest.toml en {a}: los archivos de los modelos no están instalados",
    ),
    ("describes no model {a}", "no describe el modelo {a}"),
    ("missing, though manifest.toml lists it", "falta, aunque está en manifest.toml"),
    (
        "sha256 {a}… is not the {b}… of manifest.toml; install the model file again or record it anew",
        "el sha256 {a}… no es el {b}… de manifest.toml; instale de nuevo el modelo o anótelo otra vez",
    ),
    ("[{a}] needs a text {b}, found {c}", "[{a}] necesita un texto {b}, y hay {c}"),
    (
        "[{a}] needs a list `data` and tables `scores` and `saw`",
        "[{a}] necesita una lista «data» y las tablas «scores» y «saw»",
    ),
)

PHRASES = (
    ("a table [{a}]", "una tabla [{a}]"),
    ("a JSON object", "un objeto JSON"),
)
