"""What all tests share: the repository, and the rule that CI skips nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"CI may skip nothing, and {item.nodeid} was skipped: install in .ci/run what it needs"


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what an author edits: problems, examples and the project's settings."""
    copy = tmp_path / "project"
    shutil.copytree(ROOT / "problems", copy / "problems")
    shutil.copytree(ROOT / "submissions", copy / "submissions")
    shutil.copyfile(ROOT / "pyproject.toml", copy / "pyproject.toml")
    return copy
