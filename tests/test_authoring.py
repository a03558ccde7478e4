from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

import grader
from graders.authoring.audit import audit
from graders.authoring.public import found_in, secrets_of
from graders.authoring.release import blank_answers, release
from graders.authoring.schema import schema, schema_text
from graders.kinds import KINDS, spec_models
from harness.errors import UsageError
from harness.home import Home
from harness.model import ProblemSet
from harness.spec import load_problem_set

PS4 = "csci5922-ps4"


@pytest.fixture
def home(project: Path) -> Home:
    return Home(project, PS4, "seed-student")


def load(home: Home, set_id: str = PS4) -> ProblemSet:
    return load_problem_set(home.problems / set_id, spec_models())


def faults(home: Home, set_id: str = PS4) -> list[str]:
    found = audit(home, home.problems / set_id, grader.grade)
    return [f"{each.path.name}:{each.line}: {each.message}" for each in found]


def edit(home: Home, name: str, old: str, new: str) -> None:
    path = home.root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_every_set_of_the_repository_is_proved(root: Path) -> None:
    home = Home(root, None, None)
    assert home.set_ids
    for set_id in home.set_ids:
        assert faults(home, set_id) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        (
            "problem-set.yaml",
            "points: 25",
            "points: 24",
            "problem-set.yaml:6: the checks add up to 25, `points` says 24",
        ),
        ("3a.yaml", "[0.62, 0.38, 0]", "[0.63, 0.37, 0]", "`map` at 3, 1: 0.63 is published, 0.62 to"),
        ("3a.yaml", "    - scaled", "    - scald", "has no function `scald`; did you mean `scaled`?"),
        ("3b.yaml", "V: {shape: [3, 2]", "V: {shape: [2, 3]", "`V` is computed as 3x2, `shape` says 2x3"),
        ("3a.yaml", "attention.self_attention", "atention.self_attention", "there is no reference/atention.py"),
        ("3b.yaml", "[values_forgotten", "[scaled, values_forgotten", "`scaled` fails no hidden check"),
        ("3c.yaml", "shows: map", "shows: weights", "the reference, which has Q, K, scores, map, V, output"),
        ("3c.yaml", "inputs: 3", "inputs: 4", "computed as 3x3"),
        ("3a.yaml", "X: [[1, -1, 0, 2],", "X: [[1, -1, 0, 3],", "perfect earns 0"),
        ("3a.yaml", "W_K: [[1, -0.5],", "W_Z: [[1, -0.5],", "does not fit `given` and `options`"),
        ("3a.yaml", "W_Q: [[0, 1], ", "W_Q: [", "the reference cannot compute with these numbers"),
    ],
)
def test_audit_finds_a_fault_of_the_content(home: Home, name: str, old: str, new: str, says: str) -> None:
    edit(home, f"problems/{PS4}/{name}", old, new)
    found = faults(home)
    assert any(says in each for each in found), found


def test_a_published_value_may_differ_where_an_erratum_says_why(home: Home) -> None:
    edit(home, f"problems/{PS4}/3a.yaml", "[0.62, 0.38, 0]", "[0.63, 0.37, 0]")
    edit(
        home, f"problems/{PS4}/3a.yaml", "  options: {scaled: false}", "  options: {scaled: false}\n  erratum: misprint"
    )
    assert faults(home) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("scaled/expect.yaml", "3a-1-hidden: passed", "3a-1-hidden: failed", "3a-1-hidden is passed, expected failed"),
        ("scaled/expect.yaml", "says not to scale", "says nothing", "3a-3-hidden does not say"),
        ("scaled/expect.yaml", "3a-1-hidden: passed", "3a-9-hidden: passed", "there is no check `3a-9-hidden`"),
        ("scaled/expect.yaml", "earned: 7.5", "earned: 8", "`earned` is 7.5"),
        ("scaled/expect.yaml", "about:", "abut:", "unknown key `abut`; did you mean `about`?"),
        ("scaled/submission/answers.yaml", "3a:", "3a: [", "scaled cannot be opened"),
        ("perfect/submission/answers.yaml", "2.5", "2.4", "perfect earns"),
        ("starter/submission/answers.yaml", "V: ????", "V: 2.5 -1.5; -1 3; -2 -3", "starter earns"),
    ],
)
def test_audit_finds_an_example_that_gets_other_marks(home: Home, name: str, old: str, new: str, says: str) -> None:
    edit(home, f"submissions/examples/{PS4}/{name}", old, new)
    found = faults(home)
    assert any(says in each for each in found), found


def test_audit_tells_all_faults_at_once(home: Home) -> None:
    edit(home, f"problems/{PS4}/problem-set.yaml", "points: 25", "points: 24")
    edit(home, f"problems/{PS4}/3a.yaml", "[0.62, 0.38, 0]", "[0.63, 0.37, 0]")
    edit(home, f"submissions/examples/{PS4}/nan/expect.yaml", "earned: 0", "earned: 1")
    assert {each.split(":")[0] for each in faults(home)} == {"problem-set.yaml", "3a.yaml", "expect.yaml"}


def test_audit_ends_with_1_where_there_are_faults(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(home, f"problems/{PS4}/problem-set.yaml", "points: 25", "points: 24")
    monkeypatch.chdir(home.root)
    assert grader.main(["audit", PS4]) == 1
    assert capsys.readouterr().out.endswith(f"{PS4}: 1 fault\n")


def test_a_secret_that_slips_into_the_open_is_found(home: Home) -> None:
    edit(home, f"problems/{PS4}/3a.yaml", "Round every", "Hint: the third row is 0.62, 0.38, 0. Scores 1.5 -2.5 8 ; "
         "-3.5 -3.5 6 ; 8.5 8 -13.25. Round every")  # fmt: skip
    assert any("3a.yaml" in each and "this stands in the release" in each for each in faults(home))


def test_a_release_holds_no_secret_and_no_hidden_test(home: Home, tmp_path: Path) -> None:
    hidden = home.problems / PS4 / "tests/hidden"
    hidden.mkdir(parents=True)
    (hidden / "test_secret.py").write_text("ANSWER = 42\n")
    problem_set = load(home)
    release(home, problem_set, tmp_path / "bundle")
    assert list(found_in(tmp_path / "bundle", secrets_of(problem_set))) == []
    assert not list((tmp_path / "bundle").rglob("*hidden*"))
    assert not list((tmp_path / "bundle").rglob("authoring")) and not list((tmp_path / "bundle").rglob("attention.py"))
    for path in (tmp_path / "bundle/problems").rglob("*.yaml"):
        assert "key" not in yaml.safe_load(path.read_text()), path


def test_the_secret_search_would_find_the_key_in_the_set_itself(home: Home) -> None:
    secrets = secrets_of(load(home))
    found = {path.name for path, _ in found_in(home.problems / PS4, secrets)}
    assert {"3a.yaml", "1a.yaml"} <= found


def test_the_grader_works_in_a_release(home: Home, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    release(home, load(home), bundle)

    # A student has no editable install of ours, whose finder would lend the bundle what it lacks.
    program = (
        "import runpy, sys; sys.path.insert(0, ''); "
        "sys.meta_path = [each for each in sys.meta_path if 'editable' not in repr(each).lower()]; "
        "sys.argv[0] = 'grader.py'; runpy.run_path('grader.py', run_name='__main__')"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", program, *arguments], cwd=bundle, capture_output=True, text=True)

    blank = run("--format", "json")
    assert blank.returncode == 0, blank.stderr
    report = json.loads(blank.stdout)
    assert (report["possible"], report["earned"]) == (25, 0)
    outcomes = {(check["visibility"], check["outcome"]) for check in report["checks"] if check["id"] != "0-0-basic"}
    assert outcomes == {("basic", "failed"), ("hidden", "not_run")}
    (bundle / "submission/answers.yaml").write_text("3b:\n  V: 1 2; 3 4; 5 6\n  output: [[1, 2, 3], [4, 5, 6]]\n")
    told = run("3b-0-basic").stdout
    assert "output: 2x3 given, 3x2 expected: it looks transposed" in told
    refused = run("audit")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "the students' bundle" in refused.stderr


def test_a_release_never_mixes_with_an_older_one(home: Home, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle/old.txt").write_text("old")
    with pytest.raises(UsageError, match="is already there"):
        release(home, load(home), tmp_path / "bundle")


def test_starter_is_the_hand_in_of_the_bundle(root: Path) -> None:
    problem_set = load_problem_set(root / "problems" / PS4, spec_models())
    starter = root / "submissions/examples" / PS4 / "starter/submission/answers.yaml"
    assert starter.read_text() == blank_answers(problem_set)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("set_id", [PS4, "brand-new"])
def test_a_new_question_passes_audit_at_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, kind: str, set_id: str
) -> None:
    monkeypatch.chdir(home.root)
    assert grader.main(["new", f"{set_id}/9b", "--kind", kind]) == 0
    assert load(home, set_id).question("9b").kind == kind
    assert faults(home, set_id) == []


def test_the_schema_in_the_repository_is_the_one_of_the_models(root: Path) -> None:
    assert (root / "problems/schema.json").read_text() == schema_text()


def test_every_problem_file_follows_the_schema(root: Path) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    for path in sorted((root / "problems").glob("*/*.yaml")):
        assert [error.message for error in validator.iter_errors(yaml.safe_load(path.read_text()))] == [], path


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "numeric", "question": "1a"},
        {"kind": "essay"},
        {"format": 2, "id": "a", "title": "b", "points": 1},
        {"format": 1, "id": "a", "title": "b", "points": 1, "pints": 2},
    ],
)
def test_the_schema_refuses_what_the_models_refuse(wrong: dict[str, object]) -> None:
    assert list(jsonschema.Draft202012Validator(schema()).iter_errors(wrong))


def test_the_schema_explains_every_key_that_has_a_sentence() -> None:
    asked = schema()["$defs"]["Asked"]["properties"]["shape"]
    assert re.match("`\\[3, 2\\]` for a matrix", asked["description"])
