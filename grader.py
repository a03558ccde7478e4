"""gradecheck: from a hand-in to a report.

python grader.py                      every check of the default set, on ./submission or the example
python grader.py 3a-0-basic 3b 4      those checks: a whole id, a question, or how they begin
python grader.py audit                prove the content of every set
python grader.py --help               everything else
"""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from graders.kinds import kind_named, spec_models
from graders.marking import not_run, settle
from harness.errors import GradecheckError, SpecError, SubmissionError, UsageError
from harness.home import Home, find_home
from harness.model import Check, Mark, ProblemSet, Question, Report, Review, Submission
from harness.reports import FORMATS, rendered
from harness.reviews import REVIEWS_FILE, decide, read_reviews, without_effect
from harness.selection import select
from harness.spec import load_problem_set
from harness.submissions import open_submission
from harness.writing import replace_file

GRADED, FAULTS_FOUND, UNUSABLE, COULD_NOT_GRADE = 0, 1, 2, 3


def grade(
    problem_set: ProblemSet,
    submission: Submission,
    checks: Sequence[Check] | None = None,
    reviews: Mapping[str, Review] | None = None,
) -> Report:
    """The report on these checks of a submission: one mark each, whatever happens on the way."""
    wanted = problem_set.checks if checks is None else checks
    marks: list[Mark] = []
    faults: list[str] = []
    for question in problem_set.questions:
        asked = [check for check in wanted if check.question == question.id]
        found, fault = _grade_question(question, asked, problem_set, submission)
        marks += [found.get(check.id) or not_run(check, _why_not(check, question, fault)) for check in asked]
        faults += [fault] if fault else []
    return Report(
        problem_set=problem_set.id,
        submission=submission.id,
        sha256=submission.sha256,
        marks=tuple(decide(mark, (reviews or {}).get(mark.check.id)) for mark in marks),
        notes=submission.notes,
        faults=tuple(faults),
    )


def _grade_question(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> tuple[dict[str, Mark], str]:
    """The marks of one question by check, and our own fault, where there was one."""
    here = [check for check in checks if _can_be_graded(check, question)]
    if not here:
        return {}, ""
    try:
        kind = kind_named(question.kind)
        if kind.NEEDS_ANSWER and question.id not in submission.answers:
            return {check.id: settle(check, False, f"{question.id} is blank: nothing to mark") for check in here}, ""
        return {mark.check.id: mark for mark in kind.grade(question, here, problem_set, submission)}, ""
    except Exception as error:  # Ours by definition: what a student did wrong is data, and raises nothing.
        return {}, f"{question.id}: {error if isinstance(error, SpecError) else traceback.format_exc()}"


def _can_be_graded(check: Check, question: Question) -> bool:
    return check.visibility == "basic" or question.spec.key is not None


def _why_not(check: Check, question: Question, fault: str) -> str:
    if not _can_be_graded(check, question):
        return "hidden: the course grades it, it is not part of this bundle"
    if fault:
        return "could not be graded: that is our fault and not yours, and it costs nothing until it is graded again"
    return "nothing was reported for this check: tell the course staff"


class _Commands(click.Group):
    """What is not a command is something to grade."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = ["grade", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Commands)
def cli() -> None:
    """Grade a submission, or prove a problem set.

    `grade` is meant where no command is named: python grader.py 3a-0-basic
    """


@cli.command("grade")
@click.argument("checks", nargs=-1, metavar="[CHECK]...")
@click.option("--set", "set_name", metavar="ID_OR_PATH", help="The problem set; else the default one.")
@click.option("--submission", type=click.Path(path_type=Path), help="Folder or zip; else ./submission or the example.")
@click.option("--version", metavar="LETTER", help="The version of an exam that was handed in, such as B.")
@click.option("--reviews", type=click.Path(path_type=Path), help="A person's decisions on marks that wait.")
@click.option("--format", "format_name", type=click.Choice(list(FORMATS)), default="console", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write the report to this file.")
@click.option("--list", "only_list", is_flag=True, help="Show the checks, and grade nothing.")
def grade_command(
    checks: tuple[str, ...],
    set_name: str | None,
    submission: Path | None,
    version: str | None,
    reviews: Path | None,
    format_name: str,
    output: Path | None,
    only_list: bool,
) -> int:
    """Grade checks of one submission: a whole id (3a-0-basic), a question (3a), or how ids begin (3)."""
    home = find_home()
    problem_set, _ = _find_checks(home, set_name, checks)
    problem_set = _in_version(problem_set, version)
    wanted = select(problem_set.checks, _names(checks))
    if only_list:
        return _list(wanted)
    path = submission or _default_submission(home, problem_set)
    with open_submission(path, [question.id for question in problem_set.questions]) as opened:
        decisions = _decisions(home, problem_set, path, reviews, opened)
        report = _naming(version, grade(problem_set, opened, wanted, decisions))
    _deliver(report, format_name, output)
    for id in without_effect(report, decisions):
        click.echo(f"note: {id} does not wait for a person: the review of it changes nothing", err=True)
    for fault in report.faults:
        click.echo(f"fault: {fault}", err=True)
    return COULD_NOT_GRADE if report.faults else GRADED


def _find_checks(home: Home, set_name: str | None, named: Sequence[str]) -> tuple[ProblemSet, tuple[Check, ...]]:
    """The set, and the checks of it that are meant: `SET/3a` names both."""
    sets = {name.partition("/")[0] for name in named if "/" in name} | ({set_name} if set_name else set())
    if len(sets) > 1:
        raise UsageError(f"one problem set at a time: {' and '.join(sorted(map(str, sets)))} are named")
    names = _names(named)
    problem_set = load_problem_set(home.set_folder(next(iter(sets), None)), spec_models())
    try:
        return problem_set, select(problem_set.checks, names)
    except UsageError:
        if sets:
            raise
        return _in_another_set(home, problem_set, names)


def _names(named: Sequence[str]) -> list[str]:
    """Without the set: `csci5922-ps4/3a` is `3a`."""
    return [name.rpartition("/")[2] for name in named]


def _in_another_set(home: Home, default: ProblemSet, names: Sequence[str]) -> tuple[ProblemSet, tuple[Check, ...]]:
    """Where the default set does not know a name, the one other set that knows them all."""
    found = []
    for set_id in home.set_ids:
        if set_id != default.id:
            other = load_problem_set(home.problems / set_id, spec_models())
            try:
                found.append((other, select(other.checks, names)))
            except UsageError:
                continue
    if len(found) == 1:
        return found[0]
    if found:
        choices = " or ".join(f"{other.id}/{names[0]}" for other, _ in found)
        raise UsageError(f"{names[0]} is in more than one set: write {choices}")
    return default, select(default.checks, names)


def _in_version(problem_set: ProblemSet, version: str | None) -> ProblemSet:
    if version is None:
        return problem_set
    versioned: ProblemSet = _authoring("versions").version_of(problem_set, version)
    return versioned


def _naming(version: str | None, report: Report) -> Report:
    """A letter means something else in each version, so the report says which one it was graded as."""
    return replace(report, notes=(*report.notes, f"graded as version {version}")) if version else report


def _default_submission(home: Home, problem_set: ProblemSet) -> Path:
    here = Path("submission")
    if here.exists():
        return here
    example = home.examples(problem_set.id) / (home.example or "perfect")
    if example.is_dir():
        click.echo(f"There is no ./submission here: grading the example {example.name}.", err=True)
        return example
    raise UsageError("there is nothing to grade: make a folder ./submission, or give --submission PATH")


def _decisions(
    home: Home, problem_set: ProblemSet, path: Path, named: Path | None, submission: Submission
) -> dict[str, Review]:
    # Beside an example of ours, or where staff say: never from a hand-in, whose author would like to decide.
    beside = path.resolve() / REVIEWS_FILE
    is_ours = home.examples(problem_set.id).resolve() in beside.parents and beside.is_file()
    if named is None and not is_ours:
        return {}
    try:
        decisions, notes = read_reviews(named or beside, problem_set.checks, submission.sha256)
    except SpecError as error:
        raise UsageError(f"the reviews cannot be used:\n{error}") from None
    for note in notes:
        click.echo(f"note: {note}", err=True)
    return decisions


def _deliver(report: Report, format_name: str, output: Path | None) -> None:
    if output:
        replace_file(output, rendered(report, format_name))
    elif format_name == "console":
        from harness.reports.console import show

        show(report)
    else:
        sys.stdout.write(rendered(report, format_name))
    if format_name != "console":
        for note in report.notes:
            click.echo(f"note: {note}", err=True)


def _list(checks: Sequence[Check]) -> int:
    from harness.reports.console import listing

    for line in listing(checks):
        click.echo(line)
    return GRADED


def _authoring(command: str) -> Any:
    """The module behind an author's command, which a students' bundle does not have."""
    try:
        return import_module(f"graders.authoring.{command}")
    except ModuleNotFoundError as error:
        if error.name not in ("graders.authoring", f"graders.authoring.{command}"):
            raise
        raise UsageError(
            f"this is the students' bundle: `{command}` works in the project that it was made from"
        ) from None


@cli.command("audit")
@click.argument("sets", nargs=-1, metavar="[SET]...")
def audit_command(sets: tuple[str, ...]) -> int:
    """Prove the content of these sets, or of all: every fault at once, each with file and line."""
    authoring = _authoring("audit")
    home = find_home()
    faults = 0
    for set_id in sets or home.set_ids:
        folder = home.set_folder(set_id)
        for erratum in authoring.errata(folder):
            click.echo(f"note: {erratum}")
        complaints = list(authoring.audit(home, folder, grade))
        for complaint in complaints:
            click.echo(str(complaint))
        count = "1 fault" if len(complaints) == 1 else f"{len(complaints)} faults"
        click.echo(f"{set_id}: {count if complaints else 'proved'}")
        faults += len(complaints)
    return FAULTS_FOUND if faults else GRADED


@cli.command("new")
@click.argument("place", metavar="SET/QUESTION")
@click.option("--kind", "kind_name", required=True, help="numeric, mcq, short_answer, attention_plot or files.")
def new_command(place: str, kind_name: str) -> int:
    """Add a question that already passes audit, ready to edit."""
    for line in _authoring("new").add_question(find_home(), place, kind_name):
        click.echo(line)
    return GRADED


@cli.command("release")
@click.argument("set_name", metavar="SET")
@click.option("--output", type=click.Path(path_type=Path), required=True, help="A new folder for the bundle.")
@click.option("--version", metavar="LETTER", help="Version B, C, ... of an exam: choices in another order.")
def release_command(set_name: str, output: Path, version: str | None) -> int:
    """Write the students' bundle: no key, no hidden checks, and grader.py still works in it."""
    home = find_home()
    problem_set = load_problem_set(home.set_folder(set_name), spec_models())
    _authoring("release").release(home, _in_version(problem_set, version), output)
    click.echo(f"{output}: the bundle for students; try it with `python grader.py` there")
    return GRADED


@cli.command("schema")
@click.option("--output", type=click.Path(path_type=Path, allow_dash=True), help="A file, or - to print it.")
def schema_command(output: Path | None) -> int:
    """Write the JSON Schema that lets an editor complete problem files: problems/schema.json."""
    text = _authoring("schema").schema_text()
    if str(output) == "-":
        click.echo(text, nl=False)
        return GRADED
    path = output or find_home().problems / "schema.json"
    replace_file(path, text)
    click.echo(f"{path} is up to date")
    return GRADED


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 graded, whatever the score; 1 audit found faults; 2 bad usage or input; 3 could not grade."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign shows another, and nothing crashes
    try:
        return int(cli.main(arguments, prog_name="grader.py", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except (UsageError, SubmissionError) as error:
        click.echo(f"error: {error}", err=True)
        return UNUSABLE
    except GradecheckError as error:
        click.echo(f"could not grade:\n{error}", err=True)
        return COULD_NOT_GRADE


if __name__ == "__main__":
    sys.exit(main())
