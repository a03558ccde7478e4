"""The content of a set, proved by running it: every fault at once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

from graders.authoring.examples import EXPECT_FILE, Grade, cases_of, prove_case, report_on
from graders.authoring.public import found_in, secrets_of
from graders.authoring.release import write_bundle
from graders.computation import CANNOT_COMPUTE, ComputedSpec
from graders.kinds import kind_named, spec_models
from graders.proofs import misprints
from harness.errors import Complaint, SpecError, SubmissionError
from harness.home import Home
from harness.model import Mark, ProblemSet
from harness.spec import load_problem_set


def audit(home: Home, folder: Path, grade: Grade) -> list[Complaint]:
    """Everything that is wrong with the set in this folder; nothing means that it is proved."""
    try:
        problem_set = load_problem_set(folder, spec_models())
    except SpecError as error:
        return list(error.complaints)
    found = [
        *_totals(problem_set),
        *_questions(problem_set),
        *_perfect_and_starter(home, problem_set, grade),
        *(each for case in cases_of(home, problem_set) for each in prove_case(home, problem_set, case, grade)),
        *_release(home, problem_set),
    ]
    return sorted(set(found), key=lambda each: (str(each.path), each.line, each.message))


def errata(folder: Path) -> Iterator[Complaint]:
    """Where the published key is known to be wrong: no faults, but what everyone should know."""
    try:
        problem_set = load_problem_set(folder, spec_models())
    except SpecError:
        return  # told by the audit
    for question in problem_set.questions:
        reason = getattr(question.spec.key, "erratum", None)
        if reason:
            yield question.source.complaint(("key", "erratum"), f"erratum: {' '.join(reason.split())}")
        if reason and isinstance(question.spec, ComputedSpec):
            with suppress(SpecError, *CANNOT_COMPUTE):  # told by the audit
                yield from misprints(question, problem_set)


def _totals(problem_set: ProblemSet) -> Iterator[Complaint]:
    for key, declared, extra in (
        ("points", problem_set.points, False),
        ("extra_points", problem_set.extra_points, True),
    ):
        total = sum((check.points for check in problem_set.checks if check.extra_credit == extra), start=Decimal(0))
        if total != declared:
            told = f"the checks add up to {total.normalize():f}, `{key}` says {declared.normalize():f}"
            yield problem_set.source.complaint((key,), told)


def _questions(problem_set: ProblemSet) -> Iterator[Complaint]:
    for question in problem_set.questions:
        try:
            yield from kind_named(question.kind).prove(question, problem_set)
        except SpecError as error:
            yield from error.complaints


def _perfect_and_starter(home: Home, problem_set: ProblemSet, grade: Grade) -> Iterator[Complaint]:
    for name, wanted in (("perfect", "everything"), ("starter", "nothing")):
        case = home.examples(problem_set.id) / name
        if not case.is_dir():
            told = f"the example {name}, which earns {wanted}, is missing: make {case}"
            yield problem_set.source.complaint((), told)
            continue
        try:
            report = report_on(problem_set, case, grade)
        except (SubmissionError, SpecError) as error:
            yield Complaint(case, 1, str(error))
            continue
        for mark in report.marks:
            share = mark.check.points if name == "perfect" else Decimal(0)
            if mark.earned != share:
                told = (
                    f"{name} earns {mark.earned} on {mark.check.id}, and must earn {share}: {mark.message}{_key(mark)}"
                )
                yield Complaint(case / EXPECT_FILE, 1, told)


def _key(mark: Mark) -> str:
    """What would be right, where it is computed: for the author to copy into the example."""
    keys = {name: each["key"]["exact"] for name, each in mark.detail.get("answers", {}).items()}
    return "".join(f"\n    {name}: {json.dumps(value)}" for name, value in keys.items())


def _release(home: Home, problem_set: ProblemSet) -> Iterator[Complaint]:
    secrets = secrets_of(problem_set)
    with tempfile.TemporaryDirectory() as aside:
        bundle = Path(aside) / "bundle"
        write_bundle(home, problem_set, bundle)
        for path, secret in found_in(bundle, secrets):
            told = f"this stands in the release, in {path}: `{secret.value[:60]}`"
            yield secret.question.source.complaint(secret.place, told)
