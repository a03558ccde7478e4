"""Every command that the documentation shows is run, in a copy of the project, and does what is printed below it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import grader

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


def blocks(page: str) -> list[list[str]]:
    text = (ROOT / page).read_text()
    return [block.splitlines() for block in re.findall(r"```console\n(.*?)```", text, re.S)]


def commands(page: str) -> list[tuple[str, str]]:
    """Each command with what is shown below it."""
    found: list[tuple[str, str]] = []
    for block in blocks(page):
        shown = "\n".join(block)
        for command, output in re.findall(r"^\$ (.*)\n?((?:(?!\$ ).*\n?)*)", shown, re.M):
            found.append((command, output.strip()))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_every_command_of_a_page_works_as_shown(
    page: str,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    for command, shown in commands(page):
        words = shlex.split(command.replace("/tmp/", f"{tmp_path}/"))
        if words[0] == "make":
            assert re.search(rf"(?m)^{words[1]}:", (ROOT / "Makefile").read_text()), command
            continue
        assert words[:2] == ["python", "grader.py"], command
        assert grader.main(words[2:]) == 0, f"{command}: {capsys.readouterr()}"
        printed = capsys.readouterr().out
        assert shown in printed, command


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("page", ["docs/student.md", "docs/instructor.md", "docs/staff.md"])
def test_every_yaml_that_is_shown_can_be_read(page: str) -> None:
    from harness.yamlfile import parse_yaml

    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(), re.S):
        _, wrong = parse_yaml(block, ROOT / page)
        assert wrong == [], block


def test_the_student_s_page_writes_answers_that_are_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/student.md").read_text()
    (tmp_path / "answers.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
    grader.main(["3a-1", "3a-2", "--set", "csci5922-ps4", "--submission", str(tmp_path)])
    assert capsys.readouterr().out.count("pass  3a-") == 2
    (tmp_path / "answers.yaml").unlink()
    (tmp_path / "answers.md").write_text(re.search(r"```markdown\n(.*?)```", page, re.S)[1])
    grader.main(["3b", "--set", "csci5922-ps4", "--submission", str(tmp_path)])
    assert capsys.readouterr().out.count("pass  3b-") == 3
