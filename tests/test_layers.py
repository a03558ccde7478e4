"""The arrows of the house: grader -> graders -> harness; reference imports numpy, torch and sympy alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

MAY_IMPORT = {
    "harness": {"harness", "click", "rich", "yaml", "pydantic", "pydantic_core"},
    "graders": {"graders", "harness", "reference", "numpy", "yaml", "pydantic", "pydantic_core", "snowballstemmer"},
    "reference": {"reference", "numpy", "torch", "sympy"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_stands_below_it(root: Path, package: str) -> None:
    allowed = MAY_IMPORT[package] | set(sys.stdlib_module_names)
    wrong = {
        f"{path.relative_to(root)} imports {name}"
        for path in (root / package).rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] not in allowed
    }
    assert not wrong


def test_no_modules_import_one_another_in_a_circle(root: Path) -> None:
    modules = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for package in MAY_IMPORT
        for path in (root / package).rglob("*.py")
    }
    arrows = {
        name: {each for each in imports(path) if each in modules and each != name} for name, path in modules.items()
    }

    def reaches(start: str, goal: str, seen: set[str]) -> bool:
        return any(each == goal or (each not in seen and reaches(each, goal, seen | {each})) for each in arrows[start])

    # TYPE_CHECKING imports count too: a circle on paper is a circle in the head.
    assert [name for name in modules if reaches(name, name, set())] == []


def test_nothing_reads_what_lies_beside_the_project(root: Path) -> None:
    ours = [*root.glob("*.py"), *(path for package in MAY_IMPORT for path in (root / package).rglob("*.py"))]
    assert [path for path in ours if "../shared" in path.read_text()] == []
