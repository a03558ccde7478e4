"""answers.md -> answers: a heading that names a question begins its answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.errors import SubmissionError
from harness.written import MAX_SAID, Found, Questions, Written
from harness.yamlfile import MAX_BYTES


def from_markdown(path: Path, questions: Questions) -> Found:
    kept, prose, notes = _masked(path.name, _text(path))
    sections = list(_sections(prose, questions))
    starts = [section.heading.at for section in sections]
    written = []
    for section, end in zip(sections, [*starts[1:], len(kept)], strict=False):
        heading, reference = section.heading, section.reference
        text = _trimmed(kept, prose, heading.body, end)
        if reference.question:
            written.append(Written(reference.question, heading.at + 1, text))
        elif len(notes) < MAX_SAID and (text or not questions.has_parts(reference.label)):
            notes.append(f"{path.name} line {heading.at + 1}: {questions.unknown(reference.label)}")
    return written, [*notes, *_shared_headings(path.name, sections, questions)]


@dataclass(frozen=True, slots=True)
class _Heading:
    text: str
    level: int
    at: int
    """Its first line, counted from 0."""
    body: int
    """The line after it."""
    underlined: bool = False


@dataclass(frozen=True, slots=True)
class _Reference:
    """What a heading says that it is about."""

    label: str
    question: str | None
    exact: bool = True
    """`3a`, where 3a.ii would be exact=False: a part of 3a of the student's own making."""
    numbered: bool = False
    """By a bare number, as sections of an answer are: `2. Results`."""


@dataclass(frozen=True, slots=True)
class _Section:
    heading: _Heading
    reference: _Reference


def _text(path: Path) -> str:
    with path.open("rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise SubmissionError(f"{path.name} is larger than {MAX_BYTES // 1_000_000} MB: shorten it.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise SubmissionError(f"{path.name} line {line}: is not UTF-8 text; save the file as UTF-8.") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", text)


_OPENING = re.compile(r"^ {0,3}(`{3,}|~{3,})[^`\n]*$|<!--", re.MULTILINE)


def _masked(name: str, text: str) -> tuple[list[str], list[str], list[str]]:
    """The lines without comments; the same without code blocks, where headings may be; and notes."""
    kept, prose, notes = [], [], []
    for span, kind in _spans(text):
        emptied = "\n" * span.count("\n")
        kept.append(emptied if kind == "comment" else span)
        prose.append(span if kind == "prose" else emptied)
        if kind == "unending":
            line = "".join(prose).count("\n") - span.count("\n") + 1
            notes.append(f"{name} line {line}: the code block that starts here never ends; close it.")
    return "".join(kept).split("\n"), "".join(prose).split("\n"), notes


def _spans(text: str) -> Iterator[tuple[str, Literal["prose", "code", "unending", "comment"]]]:
    at, last = 0, text.rfind("-->")
    while opening := _OPENING.search(text, at):
        start, end = opening.span()
        yield text[at:start], "prose"
        if fence := opening[1]:
            closing = re.compile(rf"^ {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(text, end)
            end = closing.end() if closing else len(text)
            yield text[start:end], "code" if closing else "unending"
        elif start + 2 <= last:  # `<!-->` is a whole comment
            end = text.find("-->", start + 2) + 3
            yield text[start:end], "comment"
        else:
            yield text[start:end], "prose"
        at = end
    yield text[at:], "prose"


_BREAK = re.compile(r" {0,3}([-*_=])(?:[ \t]*\1){2,}[ \t]*")


def _trimmed(kept: Sequence[str], prose: Sequence[str], start: int, end: int) -> str:
    """The lines as text, without the blank ones and the ruled lines around it."""

    def is_idle(at: int) -> bool:
        return not kept[at].strip() or bool(_BREAK.fullmatch(prose[at]))

    while start < end and is_idle(start):
        start += 1
    while start < end and is_idle(end - 1):
        end -= 1
    return "\n".join(kept[start:end]).strip()


_ATX = re.compile(r" {0,3}(#{1,6}(?=[ \t]|$)|#{2,6}(?=[0-9qQ(*]))(.*)")  # `##3a` is common, if not CommonMark
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")


def _headings(prose: Sequence[str]) -> Iterator[_Heading]:
    for at, line in enumerate(prose):
        if atx := _ATX.fullmatch(line):
            yield _Heading(atx[2].strip(), len(atx[1]), at, at + 1)
        elif _is_underlined(prose, at):
            yield _Heading(line.strip(), 1 if "=" in prose[at + 1] else 2, at, at + 2, underlined=True)


def _is_underlined(prose: Sequence[str], at: int) -> bool:
    if not prose[at].strip() or prose[at].startswith("    ") or at + 1 == len(prose):
        return False
    begins = at == 0 or not prose[at - 1].strip() or bool(_ATX.fullmatch(prose[at - 1]))
    return begins and bool(_UNDERLINE.fullmatch(prose[at + 1]))


def _sections(prose: Sequence[str], questions: Questions) -> Iterator[_Section]:
    current: _Section | None = None
    for heading in _headings(prose):
        reference = _reference(heading.text, questions)
        if reference and not _is_inside(current, heading, reference):
            current = _Section(heading, reference)
            yield current


def _is_inside(current: _Section | None, heading: _Heading, reference: _Reference) -> bool:
    """Whether the heading is part of the answer around it, although it looks like a question's."""
    if reference.question and reference.exact:
        return False
    # A last line `2` and a ruled line below it are an answer, not a heading.
    if heading.underlined:
        return True
    if current is None:
        return False
    if reference.numbered and heading.level > current.heading.level:
        return True
    return reference.question is not None and reference.question == current.reference.question


_PIECE = r"(?:[0-9]{1,3}(?![0-9])|[ivx]{1,5}(?![a-z])|[a-z](?=[ivx]{1,5}(?![a-z])|[^a-z]|$))"
_PART = rf"(?:[.)\]_\-]{{0,2}}{_PIECE}|\s*[(\[]\s*{_PIECE}\s*[)\]]|,?\s+part\s+{_PIECE})"
_LABEL = rf"([0-9]{{1,3}}(?![0-9]){_PART}{{0,4}})(?![^\W_])"
_WORD = r"(?:question|problem|exercise|part|answer|q)"
_NUMBERING = re.compile(r"^[0-9.]+\s+(?=(?:question|problem|exercise|q)[\W_]*[0-9])", re.IGNORECASE)
_STARTS = re.compile(rf"[\W_]*({_WORD}[\W_]*)*{_LABEL}", re.IGNORECASE)
_TOKEN = re.compile(rf"(?<![^\W_])q(?:uestion)?[\W_]{{0,3}}{_LABEL}", re.IGNORECASE)
_ALSO = re.compile(rf"(?:\b(?:and|q|question)|[&,/+])[\s*]{{0,3}}q?{_LABEL}", re.IGNORECASE)


def _reference(heading: str, questions: Questions) -> _Reference | None:
    text = _NUMBERING.sub("", _plain(heading))
    start = _STARTS.match(text)
    labels = [found[1] for found in _TOKEN.finditer(text)]
    if start:
        labels.insert(0, start[2])
    for name in (re.split(r":|\s[-–—]\s|—", text, maxsplit=1)[0], text, *labels):
        if question := questions.find(name):
            return _Reference(name, question)
    numbered = bool(start and not start[1] and not re.search("[A-Za-z]", start[2]))
    for label in labels:
        if question := next(filter(None, map(questions.find, _shorter(label))), None):
            return _Reference(label, question, exact=False, numbered=numbered)
    if not labels:
        return None
    return _Reference(labels[0], None, numbered=numbered)


def _plain(heading: str) -> str:
    return re.sub(r"[*`\\]", "", unicodedata.normalize("NFKC", heading)).strip()


def _shorter(label: str) -> list[str]:
    """`2a` and `2` for `2a.i`."""
    pieces = list(re.finditer(_PIECE, label, re.IGNORECASE))
    return [label[: piece.end()] for piece in reversed(pieces[:-1])]


def _shared_headings(name: str, sections: Sequence[_Section], questions: Questions) -> Iterator[str]:
    answered = {section.reference.question for section in sections}
    for section in sections:
        for found in _ALSO.finditer(_plain(section.heading.text)):
            question = questions.find(found[1])
            if section.reference.question and question and question not in answered:
                yield (
                    f"{name} line {section.heading.at + 1}: this was read as the answer to "
                    f"{section.reference.question} alone; give {question} a heading of its own."
                )
