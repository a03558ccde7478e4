"""An answer as it stands in a file, and the many ways in which students write a question's id."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from harness.archives import shown
from harness.model import RawAnswer

MAX_SAID = 20
"""Complaints or notes of one file; who has more of them knows by then."""


@dataclass(frozen=True, slots=True)
class Written:
    """One answer, and the line that it begins on."""

    question: str
    line: int
    answer: RawAnswer


Found = tuple[list[Written], list[str]]


@dataclass(frozen=True, slots=True)
class Questions:
    """The ids of a set, found again under the many ways students write them."""

    ids: frozenset[str]
    by_name: Mapping[str, str]

    @classmethod
    def of(cls, ids: Collection[str]) -> Questions:
        names = [_canonical(id) for id in ids]
        clear = {name: id for name, id in zip(names, ids, strict=True) if name and names.count(name) == 1}
        return cls(frozenset(ids), clear)

    def find(self, name: str) -> str | None:
        name = name.strip()
        return name if name in self.ids else self.by_name.get(_canonical(name))

    def unknown(self, name: str) -> str:
        near = difflib.get_close_matches(_canonical(name)[:20], self.by_name, n=1, cutoff=0.5)
        told = f"`{shown(name)}` is not a question of this set"
        return f"{told}; did you mean {self.by_name[near[0]]}?" if near else f"{told} and was passed over."

    def has_parts(self, name: str) -> bool:
        """Whether `3` is no question here, but 3a is."""
        return any(re.match(re.escape(_canonical(name)) + "[^0-9]", known) for known in self.by_name)


_DECORATION = re.compile(r"(?<![a-z0-9])(?:question|problem|exercise|part|answer|q)(?![a-z])")


def _canonical(name: str) -> str:
    """`Question 3 (a)` is `3a`, but `1.2` is not `12`."""
    text = _DECORATION.sub(" ", unicodedata.normalize("NFKC", name).lower())
    text = re.sub(r"(?<=[0-9])[\W_]+(?=[0-9])", ".", text)
    return re.sub(r"[^\w.]|_|(?<![0-9])\.|\.(?![0-9])", "", text)
