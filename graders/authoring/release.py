"""The students' bundle: the set without its key, the programs that grade what is left, and a hand-in to fill."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from graders.authoring.public import as_yaml, public_yaml
from graders.kinds import kind_named
from harness.errors import UsageError
from harness.home import Home
from harness.model import ProblemSet, Question
from harness.spec import SET_FILE

PROGRAMS = ("grader.py", "graders", "harness", "LICENSE", "reference/__init__.py", "reference/steps.py")
NOT_FOR_STUDENTS = ("authoring", "__pycache__", "*.pyc")
OPEN_FOLDERS = ("tests/basic", "starter", "data")
"""Folders of a set that go out as they are; `tests/hidden` and everything else stay."""


def release(home: Home, problem_set: ProblemSet, output: Path) -> None:
    """Written aside and moved into place: there is a whole bundle or none."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is already there: name a new folder, so that nothing of an older bundle stays")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".release-") as aside:
        bundle = Path(aside) / "bundle"
        write_bundle(home, problem_set, bundle)
        if output.exists():
            output.rmdir()
        bundle.rename(output)


def write_bundle(home: Home, problem_set: ProblemSet, bundle: Path) -> None:
    bundle.mkdir(parents=True)
    _copy_programs(bundle)
    _copy_problems(problem_set, bundle / "problems" / problem_set.id)
    (bundle / "PROBLEMS.md").write_text(paper(problem_set), encoding="utf-8")
    (bundle / "README.md").write_text(_readme(problem_set), encoding="utf-8")
    (bundle / "pyproject.toml").write_text(f'[tool.gradecheck]\nset = "{problem_set.id}"\n', encoding="utf-8")
    (bundle / "requirements.txt").write_text("\n".join(_dependencies(home)) + "\n", encoding="utf-8")
    (bundle / "submission").mkdir()
    (bundle / "submission" / "answers.yaml").write_text(blank_answers(problem_set), encoding="utf-8")


def _copy_programs(bundle: Path) -> None:
    ours = Path(__file__).resolve().parents[2]
    for name in PROGRAMS:
        if (ours / name).is_dir():
            shutil.copytree(ours / name, bundle / name, ignore=shutil.ignore_patterns(*NOT_FOR_STUDENTS))
        elif (ours / name).is_file():
            (bundle / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ours / name, bundle / name)


def _copy_problems(problem_set: ProblemSet, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, value in [
        (SET_FILE, problem_set.source.value),
        *((question.source.path.name, question.source.value) for question in problem_set.questions),
    ]:
        (folder / name).write_text(public_yaml(value), encoding="utf-8")
    for name in OPEN_FOLDERS:
        if (problem_set.root / name).is_dir():
            shutil.copytree(
                problem_set.root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
            )


def _dependencies(home: Home) -> list[str]:
    project = tomllib.loads((home.root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    return [str(each) for each in project.get("dependencies", [])]


def paper(problem_set: ProblemSet) -> str:
    """All prompts, to be read."""
    total = f"{problem_set.points.normalize():f} points"
    extra = f" and {problem_set.extra_points.normalize():f} extra" if problem_set.extra_points else ""
    parts = [f"# {problem_set.title}\n\n{total}{extra}. Hand in `submission/`; see README.md.\n"]
    for question in problem_set.questions:
        points = sum((check.points for check in question.checks), start=Decimal(0)).normalize()
        credit = " extra credit" if question.extra_credit else ""
        parts.append(f"## {question.id}. {question.title} ({points:f}{credit})\n\n{question.prompt.strip()}\n")
        given = "\n".join(f"    {name} = {_matrix(value)}" for name, value in _given(question))
        parts += [f"{each}\n" for each in (given, _options(question)) if each]
    return "\n".join(parts)


def _given(question: Question) -> Iterator[tuple[str, Any]]:
    yield from question.source.value.get("given", {}).items()


def _options(question: Question) -> str:
    """What there is to choose from, as a list."""
    written = question.source.value
    lines = ["Choose every option that is right.\n"] if written.get("choose") == "several" else []
    for letter, option in written.get("options", {}).items():
        text = option["text"] if isinstance(option, dict) else option
        lines.append(f"- **{letter}.** " + text.strip().replace("\n", "\n  "))
    return "\n".join(lines)


def _matrix(value: Any) -> str:
    rows = value if isinstance(value, list) and isinstance(value[0], list) else [value]
    return "; ".join(" ".join(f"{each:g}" for each in row) if isinstance(row, list) else f"{row:g}" for row in rows)


def blank_answers(problem_set: ProblemSet) -> str:
    """`answers.yaml` with a place for every answer and none filled in."""
    parts = [f"# {problem_set.title}: your answers. PROBLEMS.md has the questions, README.md how to write numbers.\n"]
    for question in problem_set.questions:
        blank = kind_named(question.kind).blank_answer(question.spec)
        if blank is not None:
            parts.append(f"\n# {question.title}\n{as_yaml({question.id: blank})}")
    return "".join(parts)


def _readme(problem_set: ProblemSet) -> str:
    first = problem_set.checks[0].id
    return f"""# {problem_set.title}

Write your answers into `submission/answers.yaml` (or `submission/answers.md`, with one heading for each question, such
as `## 3a`), then see what the basic checks say:

    python -m venv .venv
    .venv/bin/pip install -r requirements.txt
    .venv/bin/python grader.py                # everything that can be checked here
    .venv/bin/python grader.py {first}   # one check, or a question, or how ids begin
    .venv/bin/python grader.py --list         # all checks and their points

Hidden checks are graded by the course; here they are shown as not run. On Windows, write `.venv\\Scripts\\python`.

Numbers may be written as `0.62`, `5/2`, `2 1/2`, `sqrt(2)/2` or `e^-3`; a matrix as `[[1, 3], [-1, 1]]` or as
`1 3; -1 1`, row after row. An option is chosen by its letter: `B`, and several as `A, C`. Answers in words go under a
`|`, indented. In YAML, put LaTeX under a `|` as well, or in single quotes. Hand in the folder `submission/`, or a zip
of it.
"""
