"""An answer that gives several things by name -> each by its name: `Q: 1 3; -1 1` in YAML, or `Q = ...` in text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from graders.numbers import UnreadableError
from harness.model import RawAnswer


def by_name(raw: RawAnswer, asked: Mapping[str, Sequence[str]]) -> tuple[dict[str, RawAnswer], list[str]]:
    """What was given for each name (`asked` has other spellings), and the names that nobody asked for."""
    if isinstance(raw, Mapping):
        return _from_mapping(raw, asked)
    if isinstance(raw, str):
        labelled = _from_text(raw, asked)
        if labelled:
            return labelled, []
    if len(asked) == 1:
        return {next(iter(asked)): raw}, []
    names = ", ".join(asked)
    raise UnreadableError(
        f"several things are asked for ({names}): give each by its name, such as {names.split(',')[0]}: ..."
    )


def _from_mapping(
    raw: Mapping[str, RawAnswer], asked: Mapping[str, Sequence[str]]
) -> tuple[dict[str, RawAnswer], list[str]]:
    spellings = _spellings(asked)
    given: dict[str, RawAnswer] = {}
    unknown = []
    for label, value in raw.items():
        name = label if label in asked else spellings.get(_folded(label))
        if name is None:
            unknown.append(label)
        elif name in given:
            raise UnreadableError(f"{name} is given twice, the second time as `{label}`: keep one")
        else:
            given[name] = value
    return given, unknown


def _from_text(text: str, asked: Mapping[str, Sequence[str]]) -> dict[str, RawAnswer]:
    spellings = _spellings(asked)
    words = "|".join(sorted(map(re.escape, [*asked, *spellings]), key=len, reverse=True))
    label = re.compile(rf"^[ \t]*(?:[-*+][ \t]+)?[*_`$]{{0,3}}({words})[*_`$]{{0,3}}[ \t]*[:=][*_]{{0,2}}", re.M | re.I)
    found = list(label.finditer(text))
    given: dict[str, RawAnswer] = {}
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=False):
        name = match[1] if match[1] in asked else spellings.get(_folded(match[1]))
        if name is not None:  # `DX` where both `dX` and `Dx` are asked for is neither
            given[name] = _first_paragraph(text[match.end() : end])
    return given


def _spellings(asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Folded spelling -> name; `v` and `V` asked side by side are told apart by their case alone."""
    pairs = [(_folded(spelling), name) for name, others in asked.items() for spelling in (name, *others)]
    folded = [spelling for spelling, _ in pairs]
    return {spelling: name for spelling, name in pairs if folded.count(spelling) == 1}


def _folded(label: str) -> str:
    return " ".join(label.casefold().replace("_", " ").split())


def _first_paragraph(text: str) -> str:
    """The value without the prose after it: up to a blank line that stands in no bracket, fence or LaTeX block."""
    fenced = re.match(r"\s*```[^\n]*\n(.*?)```", text, re.S)
    if fenced:
        return fenced[1].strip()
    taken: list[str] = []
    signs: Counter[str] = Counter()
    for line in text.strip().splitlines():
        if not line.strip() and _closed(signs):
            break
        taken.append(line)
        signs.update({sign: line.count(sign) for sign in ("[", "]", "(", ")", "\\begin", "\\end", "$$")})
    return "\n".join(taken).replace("`", "").strip()


def _closed(signs: Counter[str]) -> bool:
    pairs = (("[", "]"), ("(", ")"), ("\\begin", "\\end"))
    return signs["$$"] % 2 == 0 and all(signs[a] <= signs[b] for a, b in pairs)
