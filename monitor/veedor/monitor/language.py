"""The language in which the program speaks to its user: Spanish or English."""

from __future__ import annotations

import errno
import os
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
    errno.ENXIO: "no existe ese dispositivo o dirección",
    errno.ENODEV: "no existe ese dispositivo",
    errno.EBUSY: "está ocupado",
    errno.EINVAL: "argumento no válido",
    errno.ENOMEM: "no queda memoria",
    errno.EFBIG: "archivo demasiado grande",
    errno.EHOSTUNREACH: "no se llega a esa máquina",
    errno.ENETUNREACH: "no se llega a esa red",
    errno.ECONNRESET: "la otra parte cortó la conexión",
    errno.ETIMEDOUT: "se agotó el tiempo de espera",
}


def with_system_words(message: str, language: Language | None = None) -> str:
    """A message whose words of the system, if it has any, are in that language, or the user's."""
    if (language or current()) is Language.ES:
        # Some begin as others do: the longer first.
        for number in sorted(_OF_THE_SYSTEM, key=lambda each: -len(os.strerror(each))):
            message = message.replace(os.strerror(number), _OF_THE_SYSTEM[number])
        message = message.replace(NO_FILE, "ya existe y no es un fichero normal")
    return message
