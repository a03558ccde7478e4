"""`3a-0-basic`, `3a` or `3` -> the checks that are meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from harness.errors import UsageError
from harness.model import Check


def select(checks: Sequence[Check], named: Iterable[str]) -> tuple[Check, ...]:
    """The checks that these names mean, in the order of the set; all of them where nothing is named."""
    names = list(named)
    if not names:
        return tuple(checks)
    wanted = {check.id for name in names for check in meant_by(name, checks)}
    return tuple(check for check in checks if check.id in wanted)


def meant_by(name: str, checks: Sequence[Check]) -> list[Check]:
    """A whole id, else a question, else everything that begins like this."""
    for means in (_is_check, _is_question, _begins):
        found = [check for check in checks if means(name.lower(), check)]
        if found:
            return found
    raise UsageError(f"no check is called `{name}`{_nearest(name, checks)}")


def _is_check(name: str, check: Check) -> bool:
    return check.id == name


def _is_question(name: str, check: Check) -> bool:
    return check.question == name


def _begins(name: str, check: Check) -> bool:
    """`1` begins 1a and not 10a: a number is not cut in two."""
    rest = check.id.removeprefix(name)
    return bool(name) and rest != check.id and not (name[-1].isdigit() and rest[:1].isdigit())


def _nearest(name: str, checks: Sequence[Check]) -> str:
    known = list(dict.fromkeys([check.id for check in checks] + [check.question for check in checks]))
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return f"; the nearest are {', '.join(near)}" if near else "; --list shows them all"
