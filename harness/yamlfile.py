"""YAML with line numbers, read so that nothing turns into something else.

PyYAML's own loaders make `no` False, `12:30:00` 45000 and `010` 8, and keep the last of two equal keys. Here
scalars follow the YAML 1.2 core schema (`typed`), or all stay text as students wrote them (`plain`); equal
keys, anchors, aliases, tags and deep nesting are complaints, each with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from harness.errors import Complaint

Location = tuple[str | int, ...]
Scalars = Literal["typed", "plain"]

MAX_DEPTH = 20
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A parsed file and the line of everything in it."""

    path: Path
    value: Any
    lines: Mapping[Location, int] = field(default_factory=dict)
    whole: bool = True
    """Whether it was read to its end: of a file that breaks off, nothing is missing for sure."""

    def line(self, location: Location) -> int:
        """The line of this place, or of the nearest one around it that was written."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, 1)

    def complaint(self, location: Location, message: str) -> Complaint:
        return Complaint(self.path, self.line(location), message)


def read_yaml(path: Path, scalars: Scalars = "typed") -> tuple[YamlFile, list[Complaint]]:
    """The file's value, and everything that is wrong with how it was written."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        return YamlFile(path, None), [Complaint(path, 1, f"cannot be read: {error.strerror}")]
    if len(raw) > MAX_BYTES:
        return YamlFile(path, None), [Complaint(path, 1, f"is larger than {MAX_BYTES // 1_000_000} MB")]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return YamlFile(path, None), [Complaint(path, line, "is not UTF-8 text: save the file as UTF-8")]
    return parse_yaml(text, path, scalars)


def parse_yaml(text: str, path: Path, scalars: Scalars = "typed") -> tuple[YamlFile, list[Complaint]]:
    builder = _Builder(path, scalars)
    whole = False
    try:
        for event in _events(text):
            builder.take(event)
        whole = True
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        builder.complain(line, f"has a character that YAML does not allow: {error.reason}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        builder.complain(mark.line + 1 if mark else 1, _plainly(error, _at(text, mark)))
    except _TooDeep as error:
        builder.complain(error.line, f"is nested more than {MAX_DEPTH} deep")
    return YamlFile(path, builder.value, builder.lines, whole), builder.complaints


def _events(text: str) -> Iterator[Any]:
    # The C parser is seven times faster; it is missing where PyYAML was built without libyaml.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(text, Loader=loader)


def _at(text: str, mark: yaml.Mark | None) -> str:
    """What stands at the mark, to the end of its line."""
    lines = text.split("\n")
    return lines[mark.line][mark.column :] if mark and mark.line < len(lines) else ""


def _plainly(error: yaml.MarkedYAMLError, at: str) -> str:
    problem = error.problem or error.context or "cannot be read"
    if "escape character" in problem or "escape" in (error.context or ""):
        return (
            "a backslash inside double quotes starts an escape: put the text in single quotes, "
            "or under a | on the lines below"
        )
    if "mapping values are not allowed" in problem:
        return "a second ': ' on one line: put quotes around the text, or check the indentation"
    if at.startswith("\t") or "'\\t'" in problem:
        return "a tab where YAML wants spaces: indent with spaces"
    return f"is not YAML here: {problem}"


class _TooDeep(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


class _Builder:
    """Makes values from parser events, one stack entry for each open list or mapping."""

    def __init__(self, path: Path, scalars: Scalars) -> None:
        self.path = path
        self.scalars = scalars
        self.value: Any = None
        self.lines: dict[Location, int] = {}
        self.complaints: list[Complaint] = []
        self._documents = 0
        self._open: list[_Collection] = []

    def complain(self, line: int, message: str) -> None:
        self.complaints.append(Complaint(self.path, line, message))

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents == 2:
                self.complain(line, "starts a second document with ---: keep one")
        elif isinstance(event, yaml.AliasEvent):
            self.complain(line, f"has an alias *{event.anchor}: write the value out")
            self._place(None, line)
        elif isinstance(event, yaml.NodeEvent):
            if event.anchor:
                self.complain(line, f"has an anchor &{event.anchor}: write the value out where it is used")
            tag = getattr(event, "tag", None)
            if tag not in (None, "!"):
                self.complain(line, f"has a tag {tag}: leave it out")
            self._take_node(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()

    def _take_node(self, event: Any, line: int) -> None:
        if isinstance(event, yaml.ScalarEvent):
            typed = self.scalars == "typed" and event.implicit[0]  # (plain, quoted)
            self._place(core_scalar(event.value) if typed and not self._at_key() else event.value, line)
            return
        if len(self._open) >= MAX_DEPTH:
            raise _TooDeep(line)
        if self._at_key():
            self.complain(line, "has a list or a mapping as a key: a key is a word")
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        location = self._place(value, line)
        self._open.append(_Collection(value, location))

    def _at_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].key is None

    def _place(self, value: Any, line: int) -> Location:
        if not self._open:
            if self._documents == 1:
                self.value = value
                self.lines[()] = line
            return ()
        return self._open[-1].place(value, line, self)


@dataclass(slots=True)
class _Collection:
    value: Any
    location: Location
    key: str | None = None
    repeated: bool = False

    def place(self, value: Any, line: int, builder: _Builder) -> Location:
        if isinstance(self.value, list):
            location = (*self.location, len(self.value))
            self.value.append(value)
            builder.lines[location] = line
            return location
        if self.key is None:
            self.key = value if isinstance(value, str) else "?"
            location = (*self.location, self.key)
            self.repeated = self.key in self.value
            if self.repeated:
                first = builder.lines[location]
                builder.complain(line, f"has the key `{self.key}` a second time; the first is on line {first}")
            else:
                builder.lines[location] = line
            return location
        location = (*self.location, self.key)
        if not self.repeated:
            self.value[self.key] = value
        self.key = None
        return location


_NULL = re.compile(r"(?:null|Null|NULL|~|)")
_BOOL = re.compile(r"(?:true|True|TRUE|false|False|FALSE)")
_INT = re.compile(r"[-+]?[0-9]{1,4000}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def core_scalar(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core schema, decimal numbers only."""
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
