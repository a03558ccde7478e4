"""What the files of a hand-in may be called and how much they may hold, and zips unpacked within that.

A zip is judged by its directory before a byte of it is unpacked, and while unpacking nothing that the
directory says is believed: bytes are counted.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.errors import GradingFault, SubmissionError

MB = 1_000_000
MAX_FILES = 1_000
MAX_FOLDERS = 10_000
MAX_FILE_BYTES = 256 * MB
MAX_TOTAL_BYTES = 512 * MB
MAX_ZIP_BYTES = 512 * MB
MAX_DIRECTORY_BYTES = 2 * MB
"""Of a zip's list of entries: room for a thousand files and for the `.git` that came along."""
MAX_RATIO = 100
RATIO_COUNTS_FROM = 1 * MB
MAX_NAME_BYTES = 1_000
MAX_PART_BYTES = 255
MAX_DEPTH = 30
CHUNK = 1 << 20

JUNK = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "__pycache__", ".git", ".ipynb_checkpoints"})


def unpack(archive: Path, into: Path) -> None:
    """Puts the zip's files below `into`, an empty folder of ours, or says which entry is in the way."""
    with _opened(archive) as zip:
        entries = [_Entry(each, _tidy(_name(each))) for each in zip.infolist()]
        wanted = [entry for entry in entries if entry.name and not is_junk(entry.name)]
        files = [entry for entry in wanted if not entry.is_folder]
        for entry in wanted:
            _check_entry(entry)
        check_names([entry.name for entry in files], [entry.name for entry in wanted if entry.is_folder])
        _check_sizes(archive, files)
        _check_overlap(archive, entries)
        try:
            for entry in files:
                _write(zip, archive, entry, into / entry.name)
        except OSError as error:
            raise GradingFault(f"{shown(archive.name)} could not be unpacked here: {error.strerror}.") from error


def is_junk(name: str) -> bool:
    """Whether a computer put it there unasked, so that nobody wants to hear of it."""
    parts = name.split("/")
    return ".." not in parts and not JUNK.isdisjoint(parts)


def check_names(files: Collection[str], folders: Collection[str] = ()) -> None:
    """Refuses names that lead elsewhere, and names that would overwrite one another on some computer."""
    check_count(len(files), len(folders))
    for name in (*files, *folders):
        if problem := _name_problem(name):
            raise SubmissionError(f"`{shown(name)}` {problem}.")
    seen: dict[str, str] = {}
    for name in files:
        if first := seen.get(_folded(name)):
            raise SubmissionError(_twice(shown(name), shown(first)))
        seen[_folded(name)] = name
    for folder in {*folders, *(parent for name in files for parent in _parents(name))}:
        if _folded(folder) in seen:
            raise SubmissionError(f"`{shown(folder)}` is both a file and a folder: rename one of them.")


def check_count(files: int, folders: int) -> None:
    if files > MAX_FILES or folders > MAX_FOLDERS:
        what = f"{MAX_FILES:,} files" if files > MAX_FILES else f"{MAX_FOLDERS:,} folders"
        raise SubmissionError(f"The hand-in has more than {what}: hand in your own work only.")


def check_kind(name: str, mode: int) -> None:
    """Refuses whatever is no plain file: links lead elsewhere, and a FIFO is never read to its end."""
    if stat.S_ISLNK(mode):
        raise SubmissionError(f"`{shown(name)}` is a symbolic link: put the file itself in its place.")
    if not stat.S_ISREG(mode):
        raise SubmissionError(f"`{shown(name)}` is neither a file nor a folder: leave it out.")


def check_size(name: str, size: int) -> None:
    if size > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // MB
        raise SubmissionError(f"`{shown(name)}` is larger than {limit} MB: hand in a smaller file.")


def check_total(size: int) -> None:
    if size > MAX_TOTAL_BYTES:
        limit = MAX_TOTAL_BYTES // MB
        raise SubmissionError(f"The hand-in is larger than {limit} MB in all: leave out what was not asked for.")


def shown(name: str) -> str:
    """A name that a student chose, fit for a sentence: short, and nothing in it but what prints."""
    short = name if len(name) <= 100 else name[:97] + "..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)


def _twice(name: str, first: str) -> str:
    if name == first:
        return f"`{name}` is in the zip twice: zip the folder again with it in once."
    return f"`{name}` and `{first}` are one name on some computers: rename one of them."


_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})  # Unicode categories; Cs is a byte that was not UTF-8


def _name_problem(name: str) -> str | None:
    parts = name.split("/")
    problems = (
        (
            "\\" in name,
            "has a backslash in its name; some Windows programs write folders so: zip with Send to > Compressed folder",
        ),
        (any(map(_is_control, name)), "has a control character in its name: rename it"),
        (name.startswith("/"), "has an absolute name: zip the folder itself, not its full path"),
        (_DRIVE.match(name), "begins with a drive letter: zip the folder itself, not its full path"),
        (".." in parts, "leads out of the hand-in with `..`: zip the folder again without it"),
        (len(parts) > MAX_DEPTH, f"is more than {MAX_DEPTH} folders deep: move it up"),
        (_is_long(name), "has too long a name: give it a shorter one"),
    )
    return next((problem for found, problem in problems if found), None)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in _CONTROL


def _is_long(name: str) -> bool:
    raw = name.encode("utf-8", "surrogatepass")
    return len(raw) > MAX_NAME_BYTES or max(map(len, raw.split(b"/"))) > MAX_PART_BYTES


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _parents(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


@dataclass(frozen=True, slots=True)
class _Entry:
    info: zipfile.ZipInfo
    name: str

    @property
    def is_folder(self) -> bool:
        return self.info.orig_filename.endswith("/")


class _Bounded(io.FileIO):
    """A zip that is not read in big gulps: zipfile takes in the whole directory with one `read`."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            size = MAX_DIRECTORY_BYTES
        if size > MAX_DIRECTORY_BYTES:
            archive = Path(str(self.name)).name
            raise SubmissionError(f"{shown(archive)} has too many entries: hand in your own work only.")
        return super().read(size) or b""


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile]:
    with _Bounded(archive) as file:
        if os.fstat(file.fileno()).st_size > MAX_ZIP_BYTES:
            raise SubmissionError(f"{shown(archive.name)} is larger than {MAX_ZIP_BYTES // MB} MB: hand in less.")
        try:
            zip = zipfile.ZipFile(file)
        except _DAMAGE as error:
            raise _damaged(archive) from error
        with zip:
            yield zip


# What zipfile is known to raise on bytes that were not made by a zip program.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)


def _damaged(archive: Path) -> SubmissionError:
    return SubmissionError(f"{shown(archive.name)} is damaged, or not a zip at all: zip your folder again.")


def _name(info: zipfile.ZipInfo) -> str:
    # `filename` was cut at a NUL, `orig_filename` not. Without the UTF-8 flag zipfile reads cp437, yet Macs
    # write UTF-8 and leave the flag out.
    name = info.orig_filename
    if info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _tidy(name: str) -> str:
    """`./a//b` is `a/b`; what makes a name unsafe stays in it."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/" * name.startswith("/") + "/".join(parts)


_ENCRYPTED = 0x1 | 0x40
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def _check_entry(entry: _Entry) -> None:
    info, name = entry.info, shown(entry.name)
    mode = info.external_attr >> 16  # 0 in its type where the zip was made on Windows
    if stat.S_IFMT(mode) not in (0, stat.S_IFDIR):
        check_kind(entry.name, mode)
    if info.flag_bits & _ENCRYPTED:
        raise SubmissionError(f"`{name}` is encrypted: zip the folder again without a password.")
    if info.compress_type not in _METHODS:
        raise SubmissionError(f"`{name}` is compressed in an unusual way: zip the folder with usual settings.")


def _check_sizes(archive: Path, files: Collection[_Entry]) -> None:
    for entry in files:
        check_size(entry.name, entry.info.file_size)
        _check_ratio(entry.name, entry.info.file_size, entry.info.compress_size)
    total = sum(entry.info.file_size for entry in files)
    check_total(total)
    _check_ratio(archive.name, total, sum(entry.info.compress_size for entry in files))


def _check_ratio(name: str, size: int, packed: int) -> None:
    if size > max(RATIO_COUNTS_FROM, MAX_RATIO * packed):
        raise SubmissionError(
            f"`{shown(name)}` unpacks to more than {MAX_RATIO} times its size: hand in files with less repetition."
        )


def _check_overlap(archive: Path, entries: Collection[_Entry]) -> None:
    # Entries that share their bytes unpack to far more than the zip could hold.
    if sum(entry.info.compress_size for entry in entries) > archive.stat().st_size:
        raise _damaged(archive)


def _write(zip: zipfile.ZipFile, archive: Path, entry: _Entry, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for chunk in _chunks(zip, archive, entry):
            written += len(chunk)
            if written > entry.info.file_size:
                raise _damaged(archive)
            file.write(chunk)
    if written != entry.info.file_size:
        raise _damaged(archive)


def _chunks(zip: zipfile.ZipFile, archive: Path, entry: _Entry) -> Iterator[bytes]:
    try:
        with zip.open(entry.info) as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except _DAMAGE as error:
        raise _damaged(archive) from error
