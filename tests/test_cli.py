from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import grader

FOLLOW_THROUGH = "submissions/examples/csci5922-ps4/follow-through"


@pytest.fixture(autouse=True)
def _at_the_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = grader.main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_without_arguments_the_example_is_graded_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert code == 0
    assert "There is no ./submission here: grading the example seed-student." in err
    assert out.startswith("csci5922-ps4: seed-student\n")


def test_a_check_says_what_is_wrong_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "3a", "--submission", FOLLOW_THROUGH)
    assert code == 0
    assert out.splitlines() == [
        "csci5922-ps4: follow-through",
        "",
        "pass  3a-0-basic     0.5/0.5  every step is there, in the right shape, and the rows of the map sum to 1",
        "part  3a-1-hidden   0.75/1.5  the queries and the keys",
        "      Q: row 3, column 2 does not follow from the numbers given; this is the first step that goes wrong",
        "pass  3a-2-hidden    1.5/1.5  the scores of every query with every key",
        "      scores: right, judged from your own Q",
        "pass  3a-3-hidden    1.5/1.5  the attention map",
        "      map: right, judged from your own Q",
        "",
        "basic:        0.5 of 0.5",
        "hidden:       3.75 of 4.5",
        "earned:       4.25 of 5",
    ]


@pytest.mark.parametrize(
    ("named", "ids"),
    [
        (["3a-0-basic"], ["3a-0-basic"]),
        (["3c"], ["3c-0-basic", "3c-1-hidden", "3c-2-hidden"]),
        (["3c-0", "3b-0"], ["3b-0-basic", "3c-0-basic"]),
        (["csci5922-ps4/3b-0-basic"], ["3b-0-basic"]),
        (["2a.i"], ["2a.i-0-basic", "2a.i-1-hidden"]),
        (["3C-0-BASIC"], ["3c-0-basic"]),
    ],
)
def test_checks_are_chosen_by_id_question_or_beginning(
    capsys: pytest.CaptureFixture[str], named: list[str], ids: list[str]
) -> None:
    _, out, _ = run(capsys, *named, "--submission", FOLLOW_THROUGH, "--format", "json")
    assert [check["id"] for check in json.loads(out)["checks"]] == ids


def test_2a_means_all_of_2a(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "2a", "--list")
    assert [line.split()[0] for line in out.splitlines()] == [
        "2a.i-0-basic",
        "2a.i-1-hidden",
        "2a.ii-0-basic",
        "2a.ii-1-hidden",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["3a-0-basc"], "error: no check is called `3a-0-basc`; the nearest are 3a-0-basic"),
        (["9z"], "error: no check is called `9z`"),
        (["--set", "csci5922-ps5"], "there is no problem set `csci5922-ps5`; did you mean `csci5922-ps4`?"),
        (["--submission", "nowhere"], "nowhere"),
        (["--format", "xml"], "'xml' is not one of"),
        (["a/1", "b/2"], "one problem set at a time: a and b are named"),
        (["--output", "no/such/folder/x.json", "3a"], "cannot write no/such/folder/x.json"),
        (["--sumbission", "x"], "No such option"),
        (["new", "csci5922-ps4/9a", "--kind", "numrec"], "there is no kind `numrec`; did you mean `numeric`?"),
        (["new", "csci5922-ps4/3a", "--kind", "numeric"], "is already there"),
    ],
)
def test_bad_usage_ends_with_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_the_list_shows_id_points_visibility_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "3c", "4a-0", "--list")
    assert code == 0
    assert out.splitlines() == [
        "3c-0-basic     0.5  basic   every output token has its lines",
        "3c-1-hidden   0.75  hidden  the solid lines go to the strongest input tokens",
        "3c-2-hidden   0.75  hidden  the dashed lines go to the second, where there is one",
        "4a-0-basic     0.1  basic   every step is there, in the right shape, and the rows of the map sum to 1"
        "  (extra credit)",
    ]


def test_the_sum_of_possible_points_is_the_set_s_total_for_every_example(
    capsys: pytest.CaptureFixture[str], root: Path
) -> None:
    for case in sorted((root / "submissions/examples/csci5922-ps4").iterdir()):
        code, out, _ = run(capsys, "--submission", str(case), "--format", "json")
        report = json.loads(out)
        assert (code, report["possible"], report["extra_possible"]) == (0, 25, 2.5), case.name


def test_perfect_earns_everything(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--submission", "submissions/examples/csci5922-ps4/perfect", "--format", "json")
    report = json.loads(out)
    assert (report["earned"], report["extra_earned"], report["pending"]) == (25, 2.5, 0)


def test_the_real_hand_in_earns_full_marks_on_its_computation(capsys: pytest.CaptureFixture[str]) -> None:
    case = "submissions/examples/csci5922-ps4/seed-student"
    _, out, _ = run(capsys, "3a", "3b", "3c", "--submission", case, "--format", "json")
    assert (json.loads(out)["earned"], json.loads(out)["possible"]) == (9, 9)


def test_json_has_the_keys_of_the_contract_and_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--submission", FOLLOW_THROUGH, "--format", "json")
    report = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert list(report) == [
        "format",
        "problem_set",
        "submission",
        "earned",
        "possible",
        "extra_earned",
        "extra_possible",
        "pending",
        "checks",
    ]
    assert set(report["submission"]) == {"id", "sha256"}
    for check in report["checks"]:
        assert list(check) == [
            "id",
            "question",
            "visibility",
            "title",
            "outcome",
            "earned",
            "suggested",
            "possible",
            "extra_credit",
            "message",
            "detail",
        ]


def test_csv_has_a_row_for_each_check(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "3a", "--submission", FOLLOW_THROUGH, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["3a-0-basic", "3a-1-hidden", "3a-2-hidden", "3a-3-hidden"]
    assert (rows[1]["submission"], rows[1]["earned"], rows[1]["possible"]) == ("follow-through", "0.75", "1.5")


def test_the_output_file_is_replaced_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("older")
    code, out, _ = run(capsys, "3a", "--submission", FOLLOW_THROUGH, "--format", "json", "--output", str(path))
    assert (code, out) == (0, "")
    assert json.loads(path.read_text())["earned"] == 4.25
    assert [each.name for each in tmp_path.iterdir()] == ["report.json"]


def test_a_zip_of_the_hand_in_is_graded_like_the_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, root: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "follow-through.zip", "w") as archive:
        archive.write(root / FOLLOW_THROUGH / "submission/answers.yaml", "answers.yaml")
    _, folder, _ = run(capsys, "--submission", FOLLOW_THROUGH, "--format", "json")
    _, zipped, _ = run(capsys, "--submission", str(tmp_path / "follow-through.zip"), "--format", "json")
    assert json.loads(zipped) == json.loads(folder)


def test_a_key_that_is_no_question_is_told_and_costs_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "answers.yaml").write_text("3e: [1]\n3b: {V: [[1]]}\n")
    code, out, err = run(capsys, "3b", "--submission", str(tmp_path), "--format", "json")
    assert code == 0 and json.loads(out)["possible"] == 2
    assert "`3e` is not a question of this set" in err


def test_a_broken_answers_file_is_told_with_its_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text("3a: [1, 2\n3b: 7\n")
    code, out, err = run(capsys, "--submission", str(tmp_path))
    assert (code, out) == (2, "")
    assert "answers.yaml" in err and "line" in err


def test_reviews_are_never_taken_from_a_hand_in(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "submission").mkdir()
    answer = "Both process a sequence of tokens, because each has weights that are shared over the positions of it."
    (tmp_path / "submission/answers.yaml").write_text(f"1a: |\n  {answer}\n")
    reviews = "format: 1\nreviews:\n  1a-1-hidden: {by: me, earned: 1.5}\n"
    for place in ("", "submission/"):
        (tmp_path / f"{place}reviews.yaml").write_text(reviews)
    _, out, _ = run(capsys, "1a", "--submission", str(tmp_path), "--format", "json")
    assert [check["outcome"] for check in json.loads(out)["checks"]] == ["passed", "review"]
    _, out, _ = run(
        capsys,
        *("1a", "--submission", str(tmp_path), "--format", "json"),
        *("--reviews", str(tmp_path / "reviews.yaml")),
    )
    assert json.loads(out)["earned"] == 1.5


def test_marks_in_review_count_as_pending_and_not_as_earned(capsys: pytest.CaptureFixture[str]) -> None:
    case = "submissions/examples/csci5922-ps4/seed-student"
    _, out, _ = run(capsys, "1a", "--submission", case, "--format", "json")
    report = json.loads(out)
    waiting = report["checks"][1]
    assert (waiting["outcome"], waiting["earned"], report["earned"], report["pending"]) == ("review", None, 0, 1.5)
    assert waiting["suggested"] is not None


def test_a_fault_of_ours_is_not_run_and_never_a_zero(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / "problems/csci5922-ps4/3a.yaml"
    path.write_text(path.read_text().replace("attention.self_attention", "attention.self_atention"))
    monkeypatch.chdir(project)
    code, out, err = run(capsys, "--submission", "submissions/examples/csci5922-ps4/scaled", "--format", "json")
    report = json.loads(out)
    assert code == 3
    assert report["possible"] == 25
    spoiled = [check for check in report["checks"] if check["question"] in ("3a", "3b", "3c")]
    assert {(check["outcome"], check["earned"]) for check in spoiled} == {("not_run", None)}
    assert "3a.yaml:26: reference/attention.py has no function `self_atention`; did you mean `self_attention`?" in err


def test_an_unexpected_exception_in_a_grader_is_not_run_and_the_rest_is_graded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import graders.attention_plot

    def broken(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(graders.attention_plot, "read_plot", broken)
    code, out, err = run(capsys, "3b", "3c", "--submission", FOLLOW_THROUGH, "--format", "json")
    report = json.loads(out)
    assert (code, report["possible"], report["earned"]) == (3, 4, 2)
    assert {check["outcome"] for check in report["checks"] if check["question"] == "3c"} == {"not_run"}
    assert "a bug of ours" in err


def test_a_broken_set_cannot_be_graded_and_all_its_faults_are_told(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("3a", "1b"):
        path = project / f"problems/csci5922-ps4/{name}.yaml"
        path.write_text(path.read_text().replace("title:", "titel:", 1))
    monkeypatch.chdir(project)
    code, _, err = run(capsys)
    assert code == 3
    assert err.count("unknown key `titel`; did you mean `title`?") == 2


def test_an_id_of_another_set_is_found_where_only_that_one_has_it(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    for set_id in ("one", "two"):
        assert run(capsys, "new", f"{set_id}/7a", "--kind", "numeric")[0] == 0
    assert run(capsys, "new", "two/8b", "--kind", "numeric")[0] == 0
    code, out, _ = run(capsys, "8b-0-basic", "--list")
    assert (code, out.split()[0]) == (0, "8b-0-basic")
    code, _, err = run(capsys, "7a")
    assert (code, err) == (2, "error: 7a is in more than one set: write one/7a or two/7a\n")
    assert run(capsys, "two/7a", "--list")[0] == 0


def test_cheap_questions_are_marked_without_heavy_imports(root: Path) -> None:
    program = (
        "import sys, grader; code = grader.main(sys.argv[1:]); "
        "heavy = {'torch', 'sympy', 'matplotlib', 'rich', 'scipy', 'pandas'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "3a-0-basic", "--submission", FOLLOW_THROUGH],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_s_control_characters_do_not_reach_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "answers.md").write_text("## 3b\n\nV = \x1b[31m1 \x1b]0;owned\x07\noutput = 1\n")
    code, out, _ = run(capsys, "3b", "--submission", str(tmp_path))
    assert code == 0
    assert "\x1b" not in out and "\x07" not in out


def test_the_grader_works_from_another_folder(root: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(root / "grader.py"), "3a-0-basic", "--submission", str(root / FOLLOW_THROUGH)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "pass  3a-0-basic" in done.stdout


def test_reviews_that_cannot_be_used_are_bad_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run(capsys, "--submission", FOLLOW_THROUGH, "--reviews", str(tmp_path / "none.yaml"))
    assert (code, out) == (2, "")
    assert "the reviews cannot be used" in err and "cannot be read" in err


def test_a_review_of_a_mark_that_does_not_wait_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "reviews.yaml").write_text("format: 1\nreviews:\n  3a-2-hidden: {by: somebody, earned: 0}\n")
    arguments = ("3a", "--submission", FOLLOW_THROUGH, "--reviews", str(tmp_path / "reviews.yaml"))
    _, out, err = run(capsys, *arguments)
    assert "pass  3a-2-hidden" in out
    assert "note: 3a-2-hidden does not wait for a person: the review of it changes nothing" in err


def test_a_file_that_breaks_off_is_told_once_and_nothing_is_said_to_be_missing(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "problems/csci5922-ps4/3a.yaml").write_text("question: 3a\nkind: numeric\ntitle: [\n")
    monkeypatch.chdir(project)
    _, _, err = run(capsys)
    assert err.count("3a.yaml:") == 1
