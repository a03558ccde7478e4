"""A folder or a zip -> Submission: found, judged safe to read, and read."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from harness.answers import FILES, read_answers
from harness.archives import (
    CHUNK,
    check_count,
    check_kind,
    check_names,
    check_size,
    check_total,
    is_junk,
    shown,
    unpack,
)
from harness.errors import SubmissionError
from harness.model import HandedIn, Submission

PLACES = ("submission", "src/submission")
"""Where a hand-in may lie in what surrounds it: a starter's folder, an example with its `expect.yaml`."""
MAX_WRAPPINGS = 5
"""Folders around a hand-in that hold nothing else: zipping and unzipping adds one each time."""


@contextmanager
def open_submission(path: Path, question_ids: Collection[str]) -> Iterator[Submission]:
    """What the student handed in, for as long as the context lasts, or a SubmissionError on why not."""
    with _folder(path) as folder:
        try:
            submission = _read(folder, _id(path), question_ids)
        except OSError as error:
            name = shown(Path(str(error.filename or path)).name)
            raise SubmissionError(
                f"`{name}` cannot be read ({error.strerror}): check that you may open it, and hand in again."
            ) from error
        yield submission


def _read(folder: Path, id: str, question_ids: Collection[str]) -> Submission:
    root = _root(folder)
    files = _files(root)
    answers, notes = read_answers(root, [file.name for file in files], question_ids)
    return Submission(id, _digest(files), root, answers, files, notes)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    kind = _kind(path)
    if kind == "folder":
        yield path.resolve()
    elif kind == "zip":
        with tempfile.TemporaryDirectory(prefix="gradecheck-") as unpacked:
            unpack(path, Path(unpacked))
            yield Path(unpacked)
    elif kind == "missing":
        raise SubmissionError(f"`{shown(str(path))}` is not there: give the folder or the zip to hand in.")
    else:
        raise SubmissionError(f"`{shown(path.name)}` is neither a folder nor a zip: hand in one of these.")


def _kind(path: Path) -> Literal["folder", "zip", "other", "missing"]:
    try:
        if path.is_dir():
            return "folder"
        if path.is_file():
            return "zip" if _starts_like_a_zip(path) or path.suffix.lower() == ".zip" else "other"
        return "other" if path.exists() else "missing"
    except OSError as error:
        raise SubmissionError(f"`{shown(path.name)}` cannot be opened: {error.strerror}.") from error


def _starts_like_a_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _id(path: Path) -> str:
    if path.name in ("", ".."):
        path = path.resolve()
    return path.name if path.is_dir() else path.stem


def _root(folder: Path) -> Path:
    """The folder that the student would call the hand-in."""
    wrapped = list(_wrappings(folder))
    for around in wrapped:
        for place in (around, *_places(around)):
            if any(_is_there(place / name) for name in FILES):
                return place
    for around in wrapped[:2]:
        if places := _places(around):
            return places[0]
    return wrapped[:2][-1]


def _wrappings(folder: Path) -> Iterator[Path]:
    for _ in range(MAX_WRAPPINGS):
        yield folder
        inside = _sole_folder(folder)
        if inside is None:
            return
        folder = inside


def _sole_folder(folder: Path) -> Path | None:
    only: os.DirEntry[str] | None = None
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_junk(entry.name):
                continue
            if only is not None:
                return None
            only = entry
    return folder / only.name if only is not None and only.is_dir(follow_symlinks=False) else None


def _places(folder: Path) -> list[Path]:
    return [folder / place for place in PLACES if _is_folder_below(folder, place)]


def _is_folder_below(folder: Path, place: str) -> bool:
    for part in place.split("/"):
        folder = folder / part
        if folder.is_symlink():
            raise SubmissionError(f"`{place}` is a symbolic link: put the folder itself in its place.")
    return folder.is_dir()


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def _files(root: Path) -> tuple[HandedIn, ...]:
    names, folders = _walk(root)
    check_names(names, folders)
    files: list[HandedIn] = []
    total = 0
    for name in sorted(names):
        files.append(_handed_in(root, name))
        total += files[-1].size
        check_total(total)
    return tuple(files)


def _walk(root: Path) -> tuple[list[str], list[str]]:
    names: list[str] = []
    folders: list[str] = []
    waiting = [""]
    while waiting:
        for name, is_folder in _inside(root, waiting.pop()):
            if is_folder:
                folders.append(name)
                waiting.append(f"{name}/")
            else:
                names.append(name)
            check_count(len(names), len(folders))
    return names, folders


def _inside(root: Path, folder: str) -> Iterator[tuple[str, bool]]:
    with os.scandir(root / folder) as entries:
        for entry in entries:
            name = folder + entry.name
            if is_junk(entry.name):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder:
                check_kind(name, entry.stat(follow_symlinks=False).st_mode)
            yield name, is_folder


def _handed_in(root: Path, name: str) -> HandedIn:
    # Without O_NONBLOCK, a FIFO that has taken the file's place since would hold us here for ever.
    descriptor = os.open(root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    digest, size = hashlib.sha256(), 0
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        check_kind(name, status.st_mode)
        check_size(name, status.st_size)
        while chunk := file.read(CHUNK):
            size += len(chunk)
            check_size(name, size)
            digest.update(chunk)
    return HandedIn(name, size, digest.hexdigest())


def _digest(files: Sequence[HandedIn]) -> str:
    lines = (f"{file.sha256} {file.size} {file.name}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
