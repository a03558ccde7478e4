"""A number as people write it -> its value: `1/7`, `2 1/2`, `-3.5`, `sqrt(2)/2`, `e^-3`, `\\frac{1}{7}`.

A small grammar, never `eval`: a stranger's text can only ever become a finite float or a sentence.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed | atom)*        juxtaposition multiplies: 2 sqrt(3)
    signed   = ("+" | "-") signed | power
    power    = atom ("^" signed)?                         to the right, as on paper
    atom     = mixed | decimal | "e" | "pi" | function group | "frac" group group | group
    mixed    = whole fraction                             2 1/2 is two and a half
"""

from __future__ import annotations

import math
import re
import unicodedata
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
    text = "".join(_plain_character(character) for character in text)
    for latex, plain in _LATEX:
        text = text.replace(latex, plain)
    text = re.sub(r"\\[dt]?frac\s*([0-9])\s*([0-9])", r" frac{\1}{\2}", text)
    return re.sub(r"\\([dt]?frac|sqrt|exp|ln|pi)(?![a-zA-Z])", _command, text)


_LATEX = [
    *((spacing, " ") for spacing in ("\\left", "\\right", "\\,", "\\;", "\\!", "\\:", "\\quad", "\\ ")),
    *((math_mode, " ") for math_mode in ("\\(", "\\)", "\\[", "\\]", "$")),
    ("**", "^"),
    *((times, "*") for times in ("\\cdot", "\\times", "×", "·", "∙", "⋅")),
    *((divide, "/") for divide in ("\\div", "÷", "⁄")),
]


def _command(match: re.Match[str]) -> str:
    return " frac" if match[1].endswith("frac") else f" {match[1]}"


def _plain_character(character: str) -> str:
    if character in "−–—‒﹣－":
        return "-"
    how = unicodedata.decomposition(character).partition(" ")[0]
    plain = unicodedata.normalize("NFKC", character)
    if how == "<fraction>":  # 2½ is 2 1/2, not 21/2
        return " " + plain.replace("⁄", "/")
    if how == "<super>":  # 3² is 3^2, not 32
        return "^" + plain
    return plain


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
    if sign == "," and re.fullmatch(r"[-+]?[0-9]+,[0-9]+", shown):
        return f"`{shown}`: write a decimal point, not a comma"
    hint = "write numbers such as 0.62, 1/7, 2 1/2, sqrt(2)/2 or e^-3"
    return f"`{shown[:60]}` cannot be read at `{sign}`: {hint}"


def _decimals(tidy: str) -> int | None:
    match = re.fullmatch(r"\s*[-+]?[0-9]*\.?([0-9]*)\s*", tidy)
    return len(match[1]) if match and "." in tidy else 0 if match else None


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
        return value

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
        return left * right if sign == "*" else left / right

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
        whole = float(text)
        fraction = self.tokens[self.at : self.at + 3]
        if text.isdigit() and is_proper_fraction(fraction) and fraction[0].spaced:
            self.at += 3
            return whole + float(fraction[0].text) / float(fraction[2].text)
        return whole

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


def is_proper_fraction(tokens: list[Token]) -> bool:
    """Whether these three tokens are a fraction below one, as after the whole part of a mixed number."""
    if len(tokens) < 3 or tokens[1].text != "/":
        return False
    above, below = tokens[0].text, tokens[2].text
    return above.isdigit() and below.isdigit() and 0 < int(above) < int(below)
