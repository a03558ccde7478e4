"""A number as people write it -> its value: `1/7`, `2 1/2`, `-3.5`, `sqrt(2)/2`, `e^-3`, `\\frac{1}{7}`.

A small grammar, never `eval`: a stranger's text can only ever become a finite float or a sentence.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed | atom)*        juxtaposition multiplies: 2 sqrt(3)
    signed   = ("+" | "-") signed | power
    power    = atom ("^" signed)?                         to the right, as on paper
    atom     = mixed | decimal | "e" | "pi" | function group | "frac" group group | group
    mixed    = whole fraction                             2 1/2 and 2\\frac{1}{2} are two and a half
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST = 1e15
"""Beyond it a float no longer tells neighbouring numbers with a decimal apart."""
LONGEST = 200
"""Characters in one number: a formula of a page is not an answer to 'which number'."""
DEEPEST = 30

FUNCTIONS = {"sqrt": math.sqrt, "exp": math.exp, "ln": math.log}
CONSTANTS = {"e": math.e, "pi": math.pi, "π": math.pi}


class UnreadableError(Exception):
    """What was written is not a number here; the text is a sentence for the student."""


@dataclass(frozen=True, slots=True)
class Number:
    """A value, and to how many decimals it was written; None where it was written exactly, as a fraction."""

    value: float
    decimals: int | None


def read_number(text: str) -> Number:
    """The number that this text writes out."""
    shown = text.strip()
    if len(text) > LONGEST:
        raise UnreadableError(f"`{shown[:20]}...` is too long for one number")
    tidy = re.sub(r"^\s*(?:=|≈|~|\\approx)\s*", "", tidied(text))
    tokens = tokenized(tidy)
    if not tokens:
        raise UnreadableError("is blank")
    value = _Reader(tokens, shown).whole()
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise UnreadableError(f"`{shown}` is too large")
    return Number(value, _decimals(tidy))


def tidied(text: str) -> str:
    """The same text with one sign for each thing: typographic minus, ½, LaTeX spacing and braces."""
    text = re.sub("[⁰¹²³⁴-⁹⁺⁻⁽⁾]+", _raised, text)  # 10²³ is 10^(23)
    text = re.sub(f"([/÷⁄*^√]\\s*)([{FRACTION_SIGNS}])", r"\1(\2)", text)  # 3/½ is 3/(1/2)
    text = re.sub(f"(?<=[0-9])(?=[{FRACTION_SIGNS}])", " ", text)  # 2½ is 2 1/2, not 21/2
    text = "".join(_plain_character(character) for character in text)
    for latex, plain in _LATEX:
        text = text.replace(latex, plain)
    text = re.sub(r"\\[dt]?frac\s*([0-9])\s*([0-9])", r"\\frac{\1}{\2}", text)
    return re.sub(r"\\(?:[dt]?(frac)|(sqrt|exp|ln|pi|infty))(?![a-zA-Z])", _command, text)


FRACTION_SIGNS = "¼½¾⅐-⅟↉"

_LATEX = [
    *((spacing, " ") for spacing in ("\\left", "\\right", "\\,", "\\;", "\\!", "\\:", "\\quad", "\\ ")),
    *((math_mode, " ") for math_mode in ("\\(", "\\)", "\\[", "\\]", "$")),
    ("**", "^"),
    *((times, "*") for times in ("\\cdot", "\\times", "×", "·", "∙", "⋅")),
    *((divide, "/") for divide in ("\\div", "÷", "⁄")),
]


def _raised(match: re.Match[str]) -> str:
    return f"^({unicodedata.normalize('NFKC', match[0])})"


def _command(match: re.Match[str]) -> str:
    glued = match.string[match.start() - 1 : match.start()].isalpha()  # \pi\sqrt{2}
    return (" " if glued else "") + (match[1] or match[2])


def _plain_character(character: str) -> str:
    if character in "−–—‒﹣－":
        return "-"
    if unicodedata.decomposition(character).startswith(("<sub>", "<super>")):  # 2₃ is not 23
        return character
    return unicodedata.normalize("NFKC", character)


@dataclass(frozen=True, slots=True)
class Token:
    """One sign, and whether space stands before it."""

    text: str
    spaced: bool

    @property
    def is_decimal(self) -> bool:
        return self.text[0] in "0123456789."


_TOKEN = re.compile(
    r"(?P<space>\s*)(?P<sign>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[a-zA-Zπ√∞]+|[-+*/^(){}])"
)


def tokenized(tidy: str) -> list[Token]:
    tokens = []
    at = 0
    end = len(tidy.rstrip())
    while at < end:
        match = _TOKEN.match(tidy, at, end)
        if not match:
            raise UnreadableError(_cannot_read(tidy.strip(), tidy[at:].strip()[:1]))
        sign = "sqrt" if match["sign"] == "√" else match["sign"]
        tokens.append(Token(sign, bool(match["space"])))
        at = match.end()
    return tokens


def _cannot_read(shown: str, sign: str) -> str:
    if sign == "," and is_decimal_comma(shown):
        return f"`{shown}`: write a decimal point, not a comma"
    hint = "write numbers such as 0.62, 1/7, 2 1/2, sqrt(2)/2 or e^-3"
    return f"`{shown[:60]}` cannot be read at `{sign[:20]}`: {hint}"


def is_decimal_comma(text: str) -> bool:
    """Whether this is a number of which the decimals stand after a comma, as on the continent."""
    return bool(re.fullmatch(r"[-+]?[0-9]+,[0-9]+", text))


def _decimals(tidy: str) -> int | None:
    match = re.fullmatch(r"\s*[-+]?\s*[0-9]*(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?\s*", tidy)
    if not match:
        return None
    # 3.24e-04 is written to six decimals; a float holds no more than fifteen.
    return min(max(0, len(match[1] or "") - int(match[2] or 0)), 15)


class _Reader:
    """Walks the tokens by the grammar above, with the value so far."""

    def __init__(self, tokens: list[Token], shown: str) -> None:
        self.tokens = tokens
        self.shown = shown
        self.at = 0
        self.depth = 0

    def whole(self) -> float:
        value = self.sum()
        if self.at < len(self.tokens):
            raise UnreadableError(_cannot_read(self.shown, self.tokens[self.at].text))
        return value

    def sum(self) -> float:
        value = self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            value = value + other if sign == "+" else value - other
        return self.finite(value)

    def product(self) -> float:
        value = self.signed()
        while True:
            if sign := self.take("*", "/"):
                value = self.times(value, sign, self.signed())
            elif self.at < len(self.tokens) and self.tokens[self.at].text not in "+-*/^)}":
                value = self.juxtaposed(value)
            else:
                return value

    def juxtaposed(self, value: float) -> float:
        # `0.5 0.3` is two numbers in one place, and certainly not 0.15.
        if self.tokens[self.at].is_decimal:
            raise UnreadableError(f"`{self.shown[:60]}` is more than one number")
        return self.times(value, "*", self.power())

    def times(self, left: float, sign: str, right: float) -> float:
        if sign == "/" and right == 0:
            raise UnreadableError(f"`{self.shown[:60]}` divides by zero")
        return self.finite(left * right if sign == "*" else left / right)

    def finite(self, value: float) -> float:
        """Itself, unless it has outgrown the floats: 1/1e400 is not 0."""
        if not math.isfinite(value):
            raise UnreadableError(f"`{self.shown[:60]}` is too large")
        return value

    def signed(self) -> float:
        self.deeper()
        sign = self.take("+", "-")
        value = (self.signed() if sign == "+" else -self.signed()) if sign else self.power()
        self.depth -= 1
        return value

    def power(self) -> float:
        base = self.atom()
        if not self.take("^"):
            return base
        exponent = self.signed()
        try:
            value = base**exponent
        except OverflowError:
            raise UnreadableError(f"`{self.shown[:60]}` is too large") from None
        except ZeroDivisionError:
            raise UnreadableError(f"`{self.shown[:60]}` divides by zero") from None
        if isinstance(value, complex):
            raise UnreadableError(f"`{self.shown[:60]}` is not a real number")
        return float(value)

    def atom(self) -> float:
        token = self.next()
        if token.is_decimal:
            return self.mixed(token.text)
        if token.text in "({":
            return self.rest_of_group(token.text)
        if token.text in CONSTANTS:
            return CONSTANTS[token.text]
        if token.text == "frac":
            return self.times(self.group(), "/", self.group())
        if token.text in FUNCTIONS:
            return self.function(token.text)
        if token.text.lower() in ("nan", "inf", "infinity", "∞", "infty"):
            raise UnreadableError(f"`{self.shown[:60]}` is not a finite number")
        raise UnreadableError(_cannot_read(self.shown, token.text))

    def mixed(self, text: str) -> float:
        """The decimal, or with a fraction after it the two together: `2 1/2`."""
        whole = self.finite(float(text))
        # `1/2 1/2` is not 1/(2 1/2) but two numbers.
        below = self.at > 1 and self.tokens[self.at - 2].text in "/^"
        fraction = proper_fraction(self.tokens[self.at : self.at + 7]) if text.isdigit() and not below else None
        if not fraction:
            return whole
        self.at += fraction[1]
        return whole + fraction[0]

    def function(self, name: str) -> float:
        value = self.group()
        try:
            return FUNCTIONS[name](value)
        except ValueError:
            raise UnreadableError(f"`{self.shown[:60]}` takes {name} of {value:g}") from None
        except OverflowError:
            raise UnreadableError(f"`{self.shown[:60]}` is too large") from None

    def group(self) -> float:
        token = self.next()
        if token.text in "({":
            return self.rest_of_group(token.text)
        if token.is_decimal:  # √2 and \frac12 need no braces
            return float(token.text)
        raise UnreadableError(_cannot_read(self.shown, token.text))

    def rest_of_group(self, opening: str) -> float:
        self.deeper()
        value = self.sum()
        if not self.take(")" if opening == "(" else "}"):
            raise UnreadableError(f"`{self.shown[:60]}` has a bracket that is not closed")
        self.depth -= 1
        return value

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableError(f"`{self.shown[:20]}...` has too many brackets or signs")

    def take(self, *signs: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at].text in signs:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def next(self) -> Token:
        if self.at == len(self.tokens):
            raise UnreadableError(f"`{self.shown[:60]}` ends too early")
        self.at += 1
        return self.tokens[self.at - 1]


def proper_fraction(tokens: Sequence[Token]) -> tuple[float, int] | None:
    """The fraction below one that these tokens begin with, as after the whole part of a mixed number: its value, and
    how many of them it takes."""
    written = " ".join(token.text for token in tokens)
    match = re.match(r"([0-9]+) / ([0-9]+)(?= |$)|frac { ([0-9]+) } { ([0-9]+) }", written)
    if not match:
        return None
    above, below = (int(digits) for digits in match.groups() if digits)
    return (above / below, len(match[0].split())) if 0 < above < below else None
