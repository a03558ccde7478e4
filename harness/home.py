"""Where things lie: the folder with `[tool.gradecheck]` in its pyproject.toml, and what is default there."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.spec import SET_FILE
from harness.validation import did_you_mean


@dataclass(frozen=True, slots=True)
class Home:
    """A project, or the bundle that students got."""

    root: Path
    default_set: str | None
    example: str | None
    """The case of submissions/examples/<set>/ that is graded where nothing else is named."""

    @property
    def problems(self) -> Path:
        return self.root / "problems"

    @property
    def set_ids(self) -> list[str]:
        return sorted(path.parent.name for path in self.problems.glob(f"*/{SET_FILE}"))

    def examples(self, set_id: str) -> Path:
        return self.root / "submissions" / "examples" / set_id

    def set_folder(self, named: str | None) -> Path:
        """The folder of the set that was named by its id or path; of the default set where none was."""
        if named is None:
            named = self.default_set
        if named is None:
            raise UsageError("no problem set is named: give --set, or `set` under [tool.gradecheck] in pyproject.toml")
        path = Path(named)
        for folder in (self.problems / named, path.parent if path.name == SET_FILE else path):
            if (folder / SET_FILE).is_file():
                return folder
        known = self.set_ids
        hint = did_you_mean(named, known) or (f"; there are {', '.join(known)}" if known else "")
        raise UsageError(f"there is no problem set `{named}`{hint}")


def find_home() -> Home:
    """From the working directory upwards; else where grader.py lies."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        settings = _settings(folder / "pyproject.toml")
        if settings is not None:
            return _home(folder, settings)
    beside_us = Path(__file__).resolve().parents[1]
    return _home(beside_us, _settings(beside_us / "pyproject.toml") or {})


def _home(folder: Path, settings: dict[str, Any]) -> Home:
    return Home(folder, settings.get("set"), settings.get("example"))


def _settings(pyproject: Path) -> dict[str, Any] | None:
    if not pyproject.is_file():
        return None
    try:
        settings = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("tool", {}).get("gradecheck")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{pyproject} cannot be read: {error}") from None
    return settings if isinstance(settings, dict) else None
