"""The key that an installation signs its evidence with: Ed25519, made once, kept in the data folder."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from veedor.monitor.errors import MonitorError
from veedor.monitor.language import text
from veedor.monitor.private_folder import private_folder

KEY_FILE = "evidence-key.pem"
SIGNATURE_BYTES = 64
_LARGEST_KEY_FILE = 16 * 1024
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


class KeyFault(MonitorError):
    """A key is not there, not fit for use, or not to be made."""


@dataclass(frozen=True)
class Signer:
    """A public key as people and bundles name it."""

    raw: bytes

    @property
    def hex(self) -> str:
        return self.raw.hex()

    @property
    def pem(self) -> bytes:
        """The key as other programs read it."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the 32 bytes of the key, in hex."""
        return sha256(self.raw).hexdigest()

    @property
    def shown(self) -> str:
        """The fingerprint in groups that can be read out over a telephone."""
        whole = self.fingerprint
        return " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))

    def vouches(self, signature: bytes, content: bytes) -> bool:
        """Whether the signature is this key's over this content."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, content)
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """The private half; `sign` is deterministic."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.signer = Signer(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, content: bytes) -> bytes:
        return self._key.sign(content)


def key_path(data: Path) -> Path:
    return data / KEY_FILE


def make_key(data: Path) -> SigningKey:
    """Make the installation's key; KeyFault where there is one: bundles already signed name it."""
    path = key_path(data)
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_name(f".{KEY_FILE}.{os.getpid()}.part")
    try:
        private_folder(data)
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.fchmod(fd, 0o600)
            os.write(fd, pem)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.link(part, path)  # whole or not there, and never over another
    except FileExistsError:
        raise KeyFault(f"{path}: " + text(es="ya hay una clave", en="there is a key already")) from None
    except OSError as fault:
        raise KeyFault(f"{path}: {fault.strerror or fault}") from fault
    finally:
        with suppress(OSError):
            part.unlink()
    return SigningKey(key)


def open_key(data: Path) -> SigningKey:
    """The installation's key; KeyFault where there is none or anybody else may read it."""
    path = key_path(data)
    try:
        mode = path.stat().st_mode
        pem = path.read_bytes()[:_LARGEST_KEY_FILE]
    except FileNotFoundError:
        missing = text(
            es="no hay clave; «veedor evidence key make» la hace",
            en="no key; `veedor evidence key make` makes it",
        )
        raise KeyFault(f"{path}: {missing}") from None
    except OSError as fault:
        raise KeyFault(f"{path}: {fault.strerror or fault}") from fault
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        others = text(
            es="otros pueden leerla; hace falta chmod 600", en="others may read it; chmod 600 is needed"
        )
        raise KeyFault(f"{path}: {others}")
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFault(f"{path}: " + text(es="no es una clave Ed25519", en="not an Ed25519 key"))
    return SigningKey(key)


def key_of(data: Path) -> SigningKey:
    """The installation's key, made now where there is none yet."""
    if not key_path(data).exists():
        with suppress(KeyFault):  # another process may have made it just now
            return make_key(data)
    return open_key(data)


def read_pin(given: str) -> str:
    """The fingerprint of the key that is expected: written as such, or a file with the public key in PEM."""
    written = re.sub(r"[\s:]", "", given.lower()).removeprefix("sha256")
    if _FINGERPRINT.fullmatch(written):
        return written
    path = Path(given)
    try:
        with path.open("rb") as file:
            pem = file.read(_LARGEST_KEY_FILE)
        key = load_pem_public_key(pem)
    except OSError:
        expected = text(
            es="ni huella (64 cifras hexadecimales) ni archivo de clave pública",
            en="neither a fingerprint (64 hex digits) nor a public key file",
        )
        raise KeyFault(f"{given[:120]}: {expected}") from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFault(
            f"{path}: " + text(es="no es una clave pública Ed25519", en="not an Ed25519 public key")
        )
    return Signer(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).fingerprint
