"""answers.yaml or answers.md -> what the student answered, question by question, in the words they wrote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from harness.archives import shown
from harness.errors import SubmissionError
from harness.markdown import from_markdown
from harness.model import RawAnswer
from harness.written import MAX_SAID, Found, Questions, Written
from harness.yamlfile import Location, YamlFile, read_yaml

FILES = ("answers.yaml", "answers.md")
MAX_ANSWER = 100_000
"""Characters in one answer, all its parts together."""


def read_answers(
    root: Path, files: Collection[str], question_ids: Collection[str]
) -> tuple[dict[str, RawAnswer], tuple[str, ...]]:
    """The answers that are not blank, and whole sentences on what was passed over."""
    present = [name for name in FILES if name in files]
    if len(present) == 2:
        raise SubmissionError("There are both an answers.yaml and an answers.md: keep the one that counts.")
    if not present:
        return {}, (_no_answers_file(files),)
    name = present[0]
    read = _from_yaml if name == "answers.yaml" else from_markdown
    written, notes = read(root / name, Questions.of(question_ids))
    _refuse(_repetitions(name, written))
    _refuse(_excesses(name, written))
    answers = {each.question: each.answer for each in written if not is_blank(each.answer)}
    if not answers:
        notes = [f"{name} has no answers in it: {_HOW[name]}.", *notes]
    return answers, tuple(notes[:MAX_SAID])


def is_blank(raw: RawAnswer) -> bool:
    """Whether nothing was answered: a place left as the template had it is no answer."""
    if isinstance(raw, str):
        return bool(_BLANK.fullmatch(raw.strip()))
    return all(map(is_blank, raw.values() if isinstance(raw, Mapping) else raw))


_BLANK = re.compile(r"~|null|(?:todo|tbd)[.:!?]*|[?.…\-–—_\s\u200b\u2060\ufeff]*", re.IGNORECASE)
_HOW = {
    "answers.yaml": "write each on a line of its own, such as `3a: B`",
    "answers.md": "start each with a heading of its own, such as `## 3a`",
}


def _no_answers_file(files: Collection[str]) -> str:
    note = "There is neither an answers.yaml nor an answers.md at the top of the hand-in"
    near = next((name for name in sorted(files) if _NEARLY.fullmatch(name.rpartition("/")[2])), None)
    return f"{note}; is `{shown(near)}` meant to be one?" if near else f"{note}."


_NEARLY = re.compile(r"answers?\.(?:ya?ml|md|markdown|txt)", re.IGNORECASE)


def _refuse(problems: Iterable[str]) -> None:
    if said := list(islice(problems, MAX_SAID)):
        raise SubmissionError("\n".join(said))


def _repetitions(name: str, written: Sequence[Written]) -> Iterator[str]:
    first: dict[str, int] = {}
    for each in written:
        if each.question in first:
            yield (
                f"{name} line {each.line}: {each.question} is answered a second time; "
                f"the first answer is on line {first[each.question]}. Keep one of them."
            )
        first.setdefault(each.question, each.line)


def _excesses(name: str, written: Sequence[Written]) -> Iterator[str]:
    for each in written:
        size = sum(len(text) for _, text in _texts(each.answer))
        if size > MAX_ANSWER:
            yield (
                f"{name} line {each.line}: the answer to {each.question} has {size:,} characters; "
                f"keep it below {MAX_ANSWER:,}."
            )


def _texts(raw: RawAnswer, at: Location = ()) -> Iterator[tuple[Location, str]]:
    """Every text in the answer, keys included, and its place."""
    if isinstance(raw, str):
        yield at, raw
    elif isinstance(raw, Mapping):
        for key, value in raw.items():
            yield (*at, key), key
            yield from _texts(value, (*at, key))
    else:
        for index, value in enumerate(raw):
            yield from _texts(value, (*at, index))


def _from_yaml(path: Path, questions: Questions) -> Found:
    file, complaints = read_yaml(path, scalars="plain")
    _refuse(f"{path.name} line {each.line}: {each.message}." for each in complaints)
    if file.value is None or (isinstance(file.value, str) and is_blank(file.value)):
        return [], []
    if not isinstance(file.value, dict):
        raise SubmissionError(f"{path.name} line 1: this is no list of answers; {_HOW['answers.yaml']}.")
    _refuse(_eaten_commands(file, path.read_text("utf-8-sig")))
    written: list[Written] = []
    notes: list[str] = []
    for key, answer in file.value.items():
        line = file.line((key,))
        if question := questions.find(key):
            written.append(Written(question, line, answer))
        elif len(notes) < MAX_SAID:
            notes.append(f"{path.name} line {line}: {questions.unknown(key)}")
    return written, notes


# In double quotes YAML makes "\frac" a form feed and "rac". What no one types needs no second look; a tab or
# a line break does, so there the rest of a LaTeX command must follow and its backslash stand in the file.
_EATEN = re.compile(
    r"([\x00-\x08\x0b-\x1f\x7f-\x9f])([A-Za-z]*)"
    r"|(\t)(ext[a-z]*|frac|heta|imes|op|anh|an|au|ilde|o|riangle|herefore)(?![A-Za-z])"
    r"|(\n)(abla|eq|eg|u|otin|ewline)(?![A-Za-z])"
    r"|(\u2028)(ambda|eft[a-z]*|ongrightarrow)(?![A-Za-z])"
    r"|(\u2029)(hi|i|si|r)(?![A-Za-z])"
)
_LETTER = dict(zip("\0\a\b\t\n\v\f\r\x1b\x85\u2028\u2029", "0abtnvfreNLP", strict=True))


def _eaten_commands(file: YamlFile, source: str) -> Iterator[str]:
    for place, text in _texts(file.value):
        for found in _EATEN.finditer(text):
            character, rest = (group for group in found.groups() if group is not None)
            letter = _LETTER.get(character)
            command = f"\\{letter}{rest}" if letter else shown(character + rest)
            if found[1] or command in source:
                yield (
                    f"answers.yaml line {file.line(place)}: `{command[:20]}` has turned into a control character, "
                    "as a backslash in double quotes does: put the text in single quotes, "
                    "or under a | on the lines below."
                )
                break
