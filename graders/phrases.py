"""Phrases and the texts they stand in: words by stem, without case and LaTeX dress, sentence by sentence.

A phrase is a row of words: `a|b` is either word, `...` up to six words between, `recur*` every word that starts so.
A phrase stands within one sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import snowballstemmer


def set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


MAX_GAP = 6
_GAPS = ("...", "…")
MAX_SLOTS = 12
MAX_QUOTE = 160
Span = tuple[int, int]
"""The first and the last word of a match."""
Choice = tuple[str, ...]
"""The stems of one alternative (`feed-forward` has two), the last perhaps `recur*` or `*ing`."""

_NEGATIONS = "not|no|never|without|neither|nor|none|unlike|lack|unable|impossible|rather-than|instead-of|opposed-to"
_NO_NEGATIONS = "not-only|not-just|not-necessarily|no-matter|no-doubt"
_REACH = 4
"""How many words before a phrase a negation still means it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in a phrase: what may stand there, and how many words may come before it."""

    written: tuple[Choice, ...]
    gap: int

    @property
    def choices(self) -> tuple[Choice, ...]:
        return _stemmed(self.written)


@lru_cache(maxsize=20_000)
def _stemmed(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    # Only when a phrase is looked for: a set has thousands of words, and loading it must not wait for them.
    return tuple(tuple(word if "*" in word else _stem(word) for word in choice) for choice in choices)


@lru_cache(maxsize=20_000)
def parse_phrase(phrase: str) -> tuple[Slot, ...]:
    """The slots of a phrase; a ValueError says what is wrong with it."""
    slots: list[Slot] = []
    gap = 0
    for part in phrase.split():
        if part in _GAPS:
            gap += MAX_GAP
        else:
            slots.append(Slot(tuple(_choice(each, phrase) for each in part.split("|")), gap))
            gap = 0
    if not slots:
        raise ValueError(f"the phrase `{phrase}` has no word to look for")
    if gap or slots[0].gap:
        raise ValueError(f"the phrase `{phrase}` starts or ends with a gap: leave that `...` out")
    if len(slots) > MAX_SLOTS:
        raise ValueError(f"the phrase `{phrase}` is longer than {MAX_SLOTS} words: keep those that matter")
    return tuple(slots)


def _choice(written: str, phrase: str) -> Choice:
    words = words_of(written.strip("*"))
    stars = written.startswith("*") + written.endswith("*")
    if not words or words[-1].sentence or written.count("*") > 1 or stars != written.count("*"):
        raise ValueError(f"`{written}` in the phrase `{phrase}` is not a word that an answer can have")
    if not stars:
        return tuple(word.folded for word in words)
    if len(words[-1].folded) < 3:
        raise ValueError(f"`{written}` in the phrase `{phrase}` fits too many words: write three letters or more")
    starred = f"*{words[-1].folded}" if written.startswith("*") else f"{words[-1].folded}*"
    return (*(word.folded for word in words[:-1]), starred)


def samples(phrase: str) -> Iterator[str]:
    """The shortest texts that the phrase is meant for, one for each alternative."""
    slots = [part.replace("*", "").split("|") for part in phrase.split() if part not in _GAPS]
    for number, choices in enumerate(slots):
        for choice in choices:
            yield " ".join(choice if at == number else other[0] for at, other in enumerate(slots))


def stands_in(text: str, phrase: str) -> bool:
    """Whether the phrase occurs, be it in the negative."""
    return bool(Answer(text).find(phrase))


def is_stated(text: str, phrase: str) -> bool:
    """Whether the phrase occurs, and not in the negative."""
    return bool(Answer(text).stated([phrase]))


class Answer:
    """A text as words, and where in it each phrase stands."""

    def __init__(self, text: str, subjects: Iterable[str] = ()) -> None:
        self._text = text
        self.words = words_of(self._text)
        by_sentence = groupby(range(len(self.words)), key=lambda at: self.words[at].sentence)
        self.sentences = [tuple(places) for _, places in by_sentence]
        self._stems = _places(word.stem for word in self.words)
        self._spellings = _places(word.folded for word in self.words)
        self._openings = {word.clause: word.folded for word in reversed(self.words)}
        self._found: dict[str, list[Span]] = {}
        self.subjects: frozenset[int] = frozenset()
        self.subjects = frozenset(at for each in subjects for span in self.find(each) for at in span)
        plain = {first for first, _ in self.find(_NO_NEGATIONS)}
        self._negations = {first for first, _ in self.find(_NEGATIONS)} - plain

    def find(self, phrase: str) -> list[Span]:
        if phrase not in self._found:
            self._found[phrase] = self._matches(parse_phrase(phrase))
        return self._found[phrase]

    def _matches(self, slots: Sequence[Slot]) -> list[Span]:
        """Every place of the phrase, by one pass over the places of each slot's words."""
        reached: dict[int, int] = {}  # a match so far: its last word -> its first
        for number, slot in enumerate(slots):
            longer: dict[int, int] = {}
            for first, last in self._standing(slot):
                start = self._linked(first, slot.gap, reached) if number else first
                if start is not None:
                    longer[last] = max(start, longer.get(last, start))
            reached = longer
        return sorted((first, last) for last, first in reached.items())

    def stated(self, phrases: Iterable[str]) -> list[Span]:
        """Every place of these phrases that no negation turns round."""
        return [span for phrase in phrases for span in self.find(phrase) if not self._turned(phrase, span)]

    def denied(self, phrases: Iterable[str]) -> list[Span]:
        return [span for phrase in phrases for span in self.find(phrase) if self._turned(phrase, span)]

    def sentence(self, span: Span) -> int:
        return self.words[span[0]].sentence

    def by_sentence(self, spans: Iterable[Span]) -> dict[int, list[Span]]:
        places: dict[int, list[Span]] = {}
        for span in sorted(spans):
            places.setdefault(self.sentence(span), []).append(span)
        return places

    def opening(self, span: Span) -> str:
        """The first word of the clause that the match begins in."""
        return self._openings[self.words[span[0]].clause]

    def clause(self, span: Span) -> str:
        """The clauses around a match, which alone is too short to be understood."""
        clauses = range(self.words[span[0]].clause, self.words[span[1]].clause + 1)
        sentence = self.sentences[self.sentence(span)]
        around = [at for at in sentence if self.words[at].clause in clauses]
        told = around if len(around) > 3 else sentence
        return self.quote(told[0], told[-1])

    def whole(self, place: int) -> str:
        return self.quote(self.sentences[place][0], self.sentences[place][-1])

    def quote(self, first: int, last: int) -> str:
        """The student's own words, on one line."""
        end = _TAIL.match(self._text, self.words[last].end)
        words = self._text[self.words[first].start : end.end() if end else None]
        line = " ".join(words.replace("**", "").split())
        return line if len(line) <= MAX_QUOTE else line[: MAX_QUOTE - 1] + "…"

    def _turned(self, phrase: str, span: Span) -> bool:
        """Whether a negation means this match, which does not say no itself."""
        near = range(max(0, span[0] - _REACH), span[1])
        return not _says_no(phrase) and any(self._means(at, span) for at in near if at in self._negations)

    def _means(self, negation: int, span: Span) -> bool:
        # `no recurrence and works in parallel`: what follows the `and` is not denied.
        end = span[0] if negation < span[0] else span[1]
        joined = any(self.words[at].folded == "and" for at in range(negation, end))
        return self.words[negation].clause == self.words[end].clause and not joined

    def _standing(self, slot: Slot) -> Iterator[Span]:
        for choice in slot.choices:
            for first in self._places(choice[0]):
                last = first + len(choice) - 1
                if self._together(first, last) and all(
                    _fits(stem, self.words[first + number]) for number, stem in enumerate(choice)
                ):
                    yield first, last

    def _places(self, stem: str) -> list[int]:
        if "*" in stem and stem not in self._stems:
            fitting = (each for word, each in self._spellings.items() if _spelled(stem, word))
            self._stems[stem] = sorted(at for places in fitting for at in places)
        return self._stems.get(stem, [])

    def _linked(self, first: int, gap: int, reached: Mapping[int, int]) -> int | None:
        """Where the match starts that this word goes on from, across a gap that holds no subject."""
        for before in range(first - 1, max(first - 2 - gap, -1), -1):
            if not self._together(before, first):
                return None
            if before in reached:
                return reached[before]
            if before in self.subjects:
                return None
        return None

    def _together(self, first: int, last: int) -> bool:
        return last < len(self.words) and self.words[first].sentence == self.words[last].sentence


def _places(keys: Iterable[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        places.setdefault(key, []).append(at)
    return places


def _fits(stem: str, word: Word) -> bool:
    return _spelled(stem, word.folded) if "*" in stem else word.stem == stem


def _spelled(starred: str, word: str) -> bool:
    return word.startswith(starred[:-1]) if starred.endswith("*") else word.endswith(starred[1:])


@lru_cache(maxsize=20_000)
def _says_no(phrase: str) -> bool:
    negations = {choice for slot in parse_phrase(_NEGATIONS) for choice in slot.choices}
    choices = [choice for slot in parse_phrase(phrase) for choice in slot.choices]
    return any(choice in negations or choice[:1] in negations for choice in choices)


_PIECE = re.compile(
    r"""(?P<word> (?:e\.g|i\.e|vs|etc|cf)\.(?!\w) | \\[a-z]+ | \d+(?:\.\d+)? | [^\W_]+(?:['’_]\{?[^\W_]+)* | √ )
    | (?P<bullet> (?:^|\n)[ \t]*(?:[-*•+]|\(?\d{1,2}[.)])(?=[ \t]) | \n[ \t\r]*(?=\n) )
    | (?P<stop> [.!?;]+(?!\w) )
    | (?P<pause> [,:()—–] )""",
    re.VERBOSE | re.IGNORECASE,
)
_TAIL = re.compile(r"[^\s\w.,;:!?]*")
"""What closes after a last word: `}$` or a bracket."""
_LATEX_DRESS = set_of(
    "text textbf textit emph mathbf mathrm mathit mathcal bm boldsymbol operatorname left right big cdot"
)
_LATEX_NAMES = {"\\top": "t", "\\intercal": "t"}
_CLAUSE_STARTS = set_of("but while whereas although though however because since so which when if yet thus therefore")


@dataclass(frozen=True, slots=True)
class Word:
    folded: str
    start: int
    end: int
    paragraph: int
    sentence: int
    clause: int

    @property
    def stem(self) -> str:
        return _stem(self.folded)


def words_of(text: str) -> list[Word]:
    words: list[Word] = []
    paragraph = sentence = clause = 0
    breaks: set[str | None] = set()
    for piece in _PIECE.finditer(text):
        folded = _folded(piece[0]) if piece.lastgroup == "word" else ""
        if not folded:
            breaks.add(piece.lastgroup)
            continue
        if words:
            paragraph += "bullet" in breaks
            sentence += bool(breaks & {"bullet", "stop"})
            clause += bool(breaks - {"word"}) or folded in _CLAUSE_STARTS
        words.append(Word(folded, *piece.span(), paragraph, sentence, clause))
        breaks.clear()
    return words


@lru_cache(maxsize=50_000)
def _folded(written: str) -> str:
    """A word without case, dress and variants of spelling; LaTeX's mere dress is no word."""
    folded = unicodedata.normalize("NFKC", written).casefold().replace("’", "'")
    if folded.startswith("\\"):
        folded = "" if folded[1:] in _LATEX_DRESS else _LATEX_NAMES.get(folded, folded[1:])
    if folded.endswith("n't") or folded == "cannot":
        return "not"
    folded = re.sub(r"'s$|[_{']|\.(?!\d)", "", folded).replace("√", "sqrt")
    return re.sub(r"is(e|es|ed|er|ing|ation|ations)$", r"iz\1", folded)


@lru_cache(maxsize=50_000)
def _stem(folded: str) -> str:
    return str(snowballstemmer.stemmer("english").stemWord(folded))
