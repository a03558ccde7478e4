"""A number as people write it is read, or refused with a sentence; nothing else can happen."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graders.numbers import LARGEST, LONGEST, UnreadableError, read_number, tidied


def value(text: str) -> float:
    return read_number(text).value


def refusal(text: str) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_number(text)
    return str(caught.value)


# What is read


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.62", 0.62),
        (".62", 0.62),
        ("3.", 3),
        ("  7 ", 7),
        ("-3.5", -3.5),
        ("- 3.5", -3.5),
        ("+3.5", 3.5),
        ("--3", 3),
        ("= 0.5", 0.5),
        ("≈ 0.5", 0.5),
        ("~0.5", 0.5),
        ("\\approx 0.5", 0.5),
        ("1/7", 1 / 7),
        ("-1/7", -1 / 7),
        ("1 / 7", 1 / 7),
        ("1/2/2", 0.25),
        ("2 1/2", 2.5),
        ("-2 1/2", -2.5),
        ("2 1/2 * 2", 5),
        ("1 + 1/2", 1.5),
        ("1 - 1/2", 0.5),
        ("2*3/4", 1.5),
        ("1e-3", 0.001),
        ("3.2E+2", 320),
        ("2e", 2 * math.e),
        ("sqrt(2)/2", math.sqrt(2) / 2),
        ("2 sqrt(3)", 2 * math.sqrt(3)),
        ("2sqrt(3)", 2 * math.sqrt(3)),
        ("√2", math.sqrt(2)),
        ("√(2)/2", math.sqrt(2) / 2),
        ("√½", math.sqrt(0.5)),
        ("e^-3", math.exp(-3)),
        ("2e^-3", 2 * math.exp(-3)),
        ("e^(-3)", math.exp(-3)),
        ("e^{-3}", math.exp(-3)),
        ("e**-3", math.exp(-3)),
        ("e⁻³", math.exp(-3)),
        ("exp(-3)", math.exp(-3)),
        ("exp(1)/(exp(1) + exp(2))", 1 / (1 + math.e)),
        ("ln(2)", math.log(2)),
        ("2π", 2 * math.pi),
        ("2 pi", 2 * math.pi),
        ("3²", 9),
        ("2¹²", 4096),
        ("2^-2", 0.25),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^3^2", 512),
        ("(1 + 2)(3)", 9),
        ("(1 + 2)*3^2", 27),
        ("½", 0.5),
        ("2½", 2.5),
        ("2 ½", 2.5),
        ("-½", -0.5),
        ("2^½", math.sqrt(2)),
        ("3/½", 6),
        ("2⅟3", 2 + 1 / 3),
        ("1⁄7", 1 / 7),
        ("6÷4", 1.5),
        ("2×3", 6),
        ("2·3", 6),
        ("−3", -3),
        ("–3", -3),
        ("３．５", 3.5),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: float) -> None:
    assert value(text) == pytest.approx(number, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (r"\frac{1}{7}", 1 / 7),
        (r"\dfrac{1}{7}", 1 / 7),
        (r"\tfrac{1}{7}", 1 / 7),
        (r"\frac12", 0.5),
        (r"\frac 1 2", 0.5),
        (r"-\frac{1}{2}", -0.5),
        (r"2\frac{1}{2}", 2.5),
        (r"2 \frac{1}{2}", 2.5),
        (r"-2\frac12", -2.5),
        (r"2\frac{3}{2}", 3),
        (r"\frac{\sqrt{2}}{2}", math.sqrt(2) / 2),
        (r"\frac{1}{1 + e^{-2}}", 1 / (1 + math.exp(-2))),
        (r"\frac{e^{2}}{e^{2} + e^{1}}", 1 / (1 + math.exp(-1))),
        (r"\sqrt{2}", math.sqrt(2)),
        (r"\sqrt 2", math.sqrt(2)),
        (r"2\sqrt{2}", 2 * math.sqrt(2)),
        (r"\pi\sqrt{2}", math.pi * math.sqrt(2)),
        (r"e^{-3}", math.exp(-3)),
        (r"\exp(-3)", math.exp(-3)),
        (r"\exp\left(-3\right)", math.exp(-3)),
        (r"\ln(2)", math.log(2)),
        (r"2 \cdot 3", 6),
        (r"2 \times 3", 6),
        (r"6 \div 4", 1.5),
        (r"$0.5$", 0.5),
        (r"$$0.5$$", 0.5),
        (r"\(0.5\)", 0.5),
        (r"-\,0.5", -0.5),
        (r"{0.5}", 0.5),
    ],
)
def test_latex_is_read(text: str, number: float) -> None:
    assert value(text) == pytest.approx(number, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("0.62", 2),
        ("0.620", 3),
        (".6", 1),
        ("3.", 0),
        ("3", 0),
        ("-0.62", 2),
        ("- 0.62", 2),
        ("$0.62$", 2),
        ("3.24e-04", 6),
        ("1e-3", 3),
        ("1.5e3", 0),
        ("1.2345e2", 2),
        ("0." + "3" * 60, 15),
        ("1e-300", 15),
        ("1/7", None),
        ("2 1/2", None),
        ("sqrt(2)", None),
        ("0.5 + 0.1", None),
    ],
)
def test_a_decimal_keeps_how_precisely_it_was_written_and_a_formula_is_exact(text: str, decimals: int | None) -> None:
    assert read_number(text).decimals == decimals


# What is refused, and how


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is blank"),
        ("   ", "is blank"),
        ("nan", "`nan` is not a finite number"),
        ("NaN", "`NaN` is not a finite number"),
        ("inf", "`inf` is not a finite number"),
        ("-inf", "`-inf` is not a finite number"),
        ("Infinity", "`Infinity` is not a finite number"),
        ("∞", "`∞` is not a finite number"),
        (r"-\infty", r"`-\infty` is not a finite number"),
        ("1e16", "`1e16` is too large"),
        ("1e400", "`1e400` is too large"),
        ("-1e400", "`-1e400` is too large"),
        ("1/1e400", "`1/1e400` is too large"),
        ("1e400 - 1e400", "`1e400 - 1e400` is too large"),
        ("1/(1e308*10)", "`1/(1e308*10)` is too large"),
        ("1/(1e308+1e308)", "`1/(1e308+1e308)` is too large"),
        ("9**9**9", "`9**9**9` is too large"),
        ("9^9^9^9^9", "`9^9^9^9^9` is too large"),
        ("exp(1000)", "`exp(1000)` is too large"),
        ("1/0", "`1/0` divides by zero"),
        ("1/(2 - 2)", "`1/(2 - 2)` divides by zero"),
        (r"\frac{1}{0}", r"`\frac{1}{0}` divides by zero"),
        ("0^-1", "`0^-1` divides by zero"),
        ("sqrt(-2)", "`sqrt(-2)` takes sqrt of -2"),
        ("ln(0)", "`ln(0)` takes ln of 0"),
        ("(-8)^(1/3)", "`(-8)^(1/3)` is not a real number"),
        ("0,62", "`0,62`: write a decimal point, not a comma"),
        ("0.5 0.3", "`0.5 0.3` is more than one number"),
        ("1 3/2", "`1 3/2` is more than one number"),
        ("1/2 1/2", "`1/2 1/2` is more than one number"),
        ("1 000", "`1 000` is more than one number"),
        ("(1 + 2", "`(1 + 2` has a bracket that is not closed"),
        ("(1}", "`(1}` has a bracket that is not closed"),
        ("2 +", "`2 +` ends too early"),
        ("e^", "`e^` ends too early"),
        ("5" * 201, f"`{'5' * 20}...` is too long for one number"),
        ("(" * 40 + "1" + ")" * 40, f"`{'(' * 20}...` has too many brackets or signs"),
        ("-" * 60 + "1", f"`{'-' * 20}...` has too many brackets or signs"),
        ("2^" * 60 + "1", f"`{'2^' * 10}...` has too many brackets or signs"),
    ],
)
def test_what_is_no_number_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("see below", "see"),
        ("x", "x"),
        ("2x", "x"),
        ("0x10", "x"),
        ("1_000", "_"),
        ("2₃", "₃"),
        ("xᵀ", "ᵀ"),
        ("50%", "%"),
        ("1, 2", ","),
        ("1)", ")"),
        ("()", ")"),
        ("* 3", "*"),
        ("__import__('os')", "_"),
        ("lambda: 1", ":"),
        ("[1]", "["),
        ("1;2", ";"),
        ("٣", "٣"),
        ("1\u202e2", "\u202e"),
    ],
)
def test_where_reading_fails_the_sign_is_named_with_examples_of_what_works(text: str, at: str) -> None:
    told = refusal(text)
    assert f"cannot be read at `{at}`" in told
    assert told.endswith("write numbers such as 0.62, 1/7, 2 1/2, sqrt(2)/2 or e^-3")


def test_a_long_text_is_not_repeated_to_the_student() -> None:
    assert len(refusal("x" * 150)) < 200


# Whatever comes

SIGNS = st.text(st.sampled_from("0123456789.+-*/^(){} episqrtlnfac\\,;=e∞½²⁻√π\u00a0\n"), max_size=80)
PIECES = st.lists(
    st.sampled_from(
        [
            "1",
            "2.5",
            "9",
            "1e308",
            " ",
            "/",
            "^",
            "**",
            "-",
            "(",
            ")",
            "{",
            "}",
            r"\frac",
            r"\sqrt",
            "exp",
            "½",
            "e",
            "0",
        ]
    ),
    max_size=40,
).map("".join)


@given(st.text(max_size=120) | SIGNS | PIECES)
@example("1e308*1e308/1e308")
@example("exp(710)-exp(710)")
@example("(0-1)^(1e308)")
@example("0^0")
@settings(max_examples=3000, deadline=None)
def test_any_text_is_a_finite_number_or_a_sentence(text: str) -> None:
    try:
        number = read_number(text)
    except UnreadableError as error:
        assert str(error)
    else:
        assert isinstance(number.value, float)
        assert abs(number.value) <= LARGEST
        assert number.decimals is None or 0 <= number.decimals <= 15


@pytest.mark.parametrize("piece", [" ", "9", "9^", "(", "-", "\\frac", "½", "⁻", "{", "e^-", "ﷺ", "1 ", ".", "\n", "√"])
def test_a_hundred_thousand_characters_are_refused_at_once(piece: str) -> None:
    began = time.perf_counter()
    told = refusal((piece * 100_000)[:100_000])
    assert "is too long for one number" in told or told == "is blank"
    tidied((piece * 100_000)[:100_000])
    assert time.perf_counter() - began < 2


@given(st.fractions(-1000, 1000, max_denominator=999))
@settings(max_examples=200, deadline=None)
def test_a_fraction_survives_every_way_of_writing_it(number: Fraction) -> None:
    sign, size = ("-", -number) if number < 0 else ("", number)
    above, below = size.numerator, size.denominator
    whole, rest = divmod(above, below)
    written = [f"{sign}{above}/{below}", rf"{sign}\frac{{{above}}}{{{below}}}", f"({sign}{above})/({below})"]
    if rest and whole:
        written += [f"{sign}{whole} {rest}/{below}", rf"{sign}{whole}\frac{{{rest}}}{{{below}}}"]
    for text in written:
        assert value(text) == pytest.approx(float(number), rel=1e-12), text


@given(st.floats(-1e15, 1e15, allow_subnormal=False))
@settings(max_examples=200, deadline=None)
def test_a_float_survives_being_printed(number: float) -> None:
    assert value(repr(number)) == number
    assert value(f"{number:.6e}") == float(f"{number:.6e}")
    assert value(f"{number:.4f}") == float(f"{number:.4f}")


def test_a_number_may_be_as_long_as_a_formula_but_not_longer() -> None:
    assert value("0." + "3" * (LONGEST - 2)) == pytest.approx(1 / 3)
    assert "is too long" in refusal("0." + "3" * (LONGEST - 1))
