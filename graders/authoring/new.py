"""A question that already passes audit, ready to edit: the file, its answer in `perfect`, its place in `starter`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from graders.authoring.public import as_yaml
from graders.kinds import KINDS, kind_named
from harness.errors import UsageError
from harness.home import Home
from harness.spec import SET_FILE, QuestionSpec
from harness.validation import did_you_mean, validate
from harness.writing import replace_file
from harness.yamlfile import parse_yaml

TEMPLATES = Path(__file__).parent / "templates"
OWN_FILES = ("question.yaml", "answer.yaml", "reviews.yaml")


def add_question(home: Home, place: str, kind: str) -> Iterator[str]:
    """Writes all files or, where one of them cannot be continued, none; tells what to do next."""
    set_id, _, question = place.partition("/")
    if kind not in KINDS:
        raise UsageError(f"there is no kind `{kind}`{did_you_mean(kind, KINDS) or '; there are ' + ', '.join(KINDS)}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", set_id) or not question:
        raise UsageError(f"`{place}` must name a set and a question, such as csci5922-ps4/5a")
    folder = home.problems / set_id
    path = folder / f"{question}.yaml"
    if path.exists():
        raise UsageError(f"{path} is already there: choose another number, or edit that file")
    spec, text = _question_text(path, kind, question)
    files = {path: text} | _totals(folder, set_id, spec) | _examples(home.examples(set_id), kind, question, spec)
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, content)
    yield f"{path} is a question of kind {kind} that passes audit. Now:"
    yield f"  1. edit it: the prompt, the numbers or ideas, the points ({SET_FILE} has their sum)"
    yield f"  2. put the right answer into {home.examples(set_id) / 'perfect' / 'submission'}"
    yield f"  3. python grader.py audit {set_id}"


def _question_text(path: Path, kind: str, question: str) -> tuple[QuestionSpec, str]:
    text = _template(kind, "question.yaml", question) or ""
    file, _ = parse_yaml(text, path)
    spec, complaints = validate(kind_named(kind).Spec, file)
    if spec is None:
        raise UsageError(f"`{question}` cannot be a question's number; 5a, 2a.i and 12 can: {complaints[0].message}")
    return spec, text


def _template(kind: str, name: str, question: str) -> str | None:
    path = TEMPLATES / kind / name
    return path.read_text(encoding="utf-8").replace("{{question}}", question) if path.is_file() else None


def _totals(folder: Path, set_id: str, spec: QuestionSpec) -> dict[Path, str]:
    """The set's own file with the new points in its sum; of a new set, its first version."""
    path = folder / SET_FILE
    total = sum((check.points for check in spec.checks.values()), start=Decimal(0))
    if not path.is_file():
        schema = "# yaml-language-server: $schema=../schema.json"
        return {path: f"{schema}\nformat: 1\nid: {set_id}\ntitle: {set_id}\npoints: {total}\n"}
    key = "extra_points" if spec.extra_credit else "points"
    text = path.read_text(encoding="utf-8")
    changed, count = re.subn(
        rf"(?m)^({key}:[ \t]*)([0-9.]+)",
        lambda sum: f"{sum[1]}{(Decimal(sum[2]) + total).normalize():f}",
        text,
        count=1,
    )
    if not count:
        raise UsageError(f"{path} has no line `{key}: ...` to add {total} to: write one")
    return {path: changed}


def _examples(examples: Path, kind: str, question: str, spec: QuestionSpec) -> dict[Path, str]:
    """What `perfect` answers and its reviewer confirms, and the blank in `starter`."""
    answer = _template(kind, "answer.yaml", question)
    blank = kind_named(kind).blank_answer(spec)
    reviews = _template(kind, "reviews.yaml", question)
    perfect, starter = examples / "perfect", examples / "starter"
    files = dict(
        [
            _expect(perfect, "a hand-in that earns everything", "passed"),
            _expect(starter, "the bundle's answers, not filled in", "failed"),
            _continued(perfect / "submission" / "answers.yaml", question, _indented(question, answer)),
            _continued(starter / "submission" / "answers.yaml", question, as_yaml({question: blank}) if blank else ""),
        ]
    )
    if reviews:
        path = perfect / "reviews.yaml"
        before = path.read_text(encoding="utf-8") if path.is_file() else "format: 1\nreviews:\n"
        files[path] = before.rstrip("\n") + "\n" + "".join(f"  {line}\n" for line in reviews.splitlines())
    for extra in sorted((TEMPLATES / kind).iterdir()):
        if extra.name not in OWN_FILES:
            files[perfect / "submission" / extra.name] = extra.read_text(encoding="utf-8")
    return files


def _indented(question: str, answer: str | None) -> str:
    if answer is None:
        return ""
    first = " |" if answer.startswith("|") else ""
    lines = answer.removeprefix("|\n").splitlines()
    return f"{question}:{first}\n" + "".join(f"  {line}\n" for line in lines)


def _expect(case: Path, about: str, outcome: str) -> tuple[Path, str]:
    path = case / "expect.yaml"
    if path.is_file():
        return path, path.read_text(encoding="utf-8")
    return path, f"format: 1\nabout: {about}\notherwise: {outcome}\n"


def _continued(path: Path, question: str, more: str) -> tuple[Path, str]:
    """The file with an answer more at its end, read once to see that it still is what it was and that."""
    if path.with_suffix(".md").is_file():
        raise UsageError(f"{path.with_suffix('.md')} is not in YAML: add the answer to {question} there by hand first")
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    text = f"{before.rstrip()}\n\n{more}".lstrip() if more else before
    file, complaints = parse_yaml(text, path, "plain")
    if complaints or (more and question not in (file.value or {})):
        raise UsageError(f"{path} cannot be continued: {complaints[0] if complaints else 'it is not a mapping'}")
    return path, text
