"""Files are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from harness.errors import UsageError


def replace_file(path: Path, text: str) -> None:
    """Writes beside the file and renames: whoever reads it sees the old text or the new, never half."""
    if path.exists() and not path.is_file():
        _write_into(path, text)
        return
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _write_into(path: Path, text: str) -> None:
    """A device or a pipe is written into: root that renames a file over /dev/null spoils the machine."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
