"""The language in which the program speaks to its user: Spanish or English."""

from __future__ import annotations

import errno
import os
import re
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from veedor.datasets.replacing import NO_FILE


class Language(StrEnum):
    ES = "es"
    EN = "en"


@dataclass(frozen=True)
class Bilingual:
    """One text in both languages."""

    es: str
    en: str

    def in_language(self, language: Language) -> str:
        return self.es if language is Language.ES else self.en


def either(both: tuple[str, str], language: Language) -> str:
    """The Spanish or the English of a pair."""
    return Bilingual(*both).in_language(language)


_current: ContextVar[Language] = ContextVar("language", default=Language.EN)


def from_locale(environment: dict[str, str] | None = None) -> Language:
    """The language of LC_ALL, LC_MESSAGES or LANG, in the order of POSIX; English unless Spanish is set."""
    variables = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = variables.get(name)
        if value:
            return Language.ES if value.lower().startswith("es") else Language.EN
    return Language.EN


def use(language: Language) -> None:
    """Make `language` the one that `text` gives from here on, in this context."""
    _current.set(language)


def current() -> Language:
    return _current.get()


def counted(count: int, *, es: tuple[str, str], en: tuple[str, str]) -> str:
    """So many of something, named in the singular and the plural."""
    one, many = es if current() is Language.ES else en
    return f"{count} {one if count == 1 else many}"


def text(*, es: str, en: str) -> str:
    """The one of two phrasings that the user reads."""
    return es if current() is Language.ES else en


# The system tells its faults in its own locale, and rarely in the language that was asked for.
_OF_THE_SYSTEM = {
    errno.ENOENT: "no existe ese fichero o carpeta",
    errno.EACCES: "permiso denegado",
    errno.EPERM: "operación no permitida",
    errno.EEXIST: "ya existe",
    errno.EISDIR: "es una carpeta",
    errno.ENOTDIR: "no es una carpeta",
    errno.ENOTEMPTY: "la carpeta no está vacía",
    errno.ENOSPC: "no queda espacio en el disco",
    errno.EDQUOT: "cuota de disco agotada",
    errno.EROFS: "el sistema de ficheros es de solo lectura",
    errno.EIO: "error de entrada o salida",
    errno.ELOOP: "demasiados enlaces simbólicos",
    errno.ENAMETOOLONG: "nombre demasiado largo",
    errno.EMFILE: "demasiados ficheros abiertos",
    errno.EADDRINUSE: "la dirección ya está en uso",
    errno.EADDRNOTAVAIL: "esa dirección no es de esta máquina",
    errno.ECONNREFUSED: "conexión rechazada",
    errno.ETIMEDOUT: "se agotó el tiempo de espera",
    errno.ENXIO: "no existe ese dispositivo o dirección",
    errno.ENODEV: "no existe ese dispositivo",
    errno.EBUSY: "dispositivo o recurso ocupado",
    errno.ETXTBSY: "el fichero se está ejecutando",
    errno.EXDEV: "está en otro sistema de ficheros",
    errno.EFBIG: "fichero demasiado grande",
    errno.EINVAL: "valor no válido",
    errno.EAGAIN: "recurso ocupado por ahora",
    errno.ENOMEM: "no queda memoria",
    errno.ENFILE: "demasiados ficheros abiertos en el sistema",
    errno.EMLINK: "demasiados enlaces",
    errno.ESTALE: "el fichero ya no está en el servidor",
    errno.EPIPE: "nadie lee ya lo que se escribe",
    errno.EBADF: "el fichero no está abierto",
    errno.ENOLCK: "no quedan bloqueos de ficheros",
    errno.EDEADLK: "bloqueo mutuo",
    errno.EOPNOTSUPP: "operación no admitida",
    errno.ENOSYS: "función no disponible",
    errno.ENOTSOCK: "no es un socket",
    errno.ECONNRESET: "el otro lado cortó la conexión",
    errno.ECONNABORTED: "conexión interrumpida",
    errno.ENETUNREACH: "red inalcanzable",
    errno.EHOSTUNREACH: "no hay camino hasta esa máquina",
    errno.ENETDOWN: "la red está caída",
    errno.EAFNOSUPPORT: "tipo de dirección no admitido",
}
_WORDS = {os.strerror(number): number for number in _OF_THE_SYSTEM}
# As an OSError that is printed whole has it: with its number, and with the path quoted behind.
_RAW = re.compile(r"""\[Errno \d+\] ([^:'"]+)(?:: ['"].*['"])?""")


def with_system_words(message: str, language: Language | None = None) -> str:
    """A message whose words of the system, if any, are in that language, or the user's, without numbers."""
    message = _RAW.sub(r"\1", message)
    if (language or current()) is Language.ES:
        # The longest first: "No such device" begins another's words.
        for english, number in sorted(_WORDS.items(), key=lambda each: -len(each[0])):
            message = message.replace(english, _OF_THE_SYSTEM[number])
        message = message.replace(NO_FILE, "ya existe y no es un fichero normal")
    return message
