"""Opening what a student hands in: where it is found, what is refused, and that it reads the same either way."""

from __future__ import annotations

import os
import resource
import socket
import struct
import tempfile
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import archives
from harness.archives import MB
from harness.errors import GradingFault, SubmissionError
from harness.model import Submission
from harness.submissions import open_submission

IDS = ("1a", "2a", "3a")
ANSWERS = {"answers.yaml": b"1a: B\n"}


def folder(root: Path, files: Mapping[str, bytes]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def zipped(path: Path, files: Mapping[str, bytes], mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            zip.writestr(entry, content)
    return path


def opened(path: Path) -> Submission:
    with open_submission(path, IDS) as submission:
        return submission


def refusal(path: Path) -> str:
    with pytest.raises(SubmissionError) as caught, open_submission(path, IDS):
        pass
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message
    return message


def names(submission: Submission) -> list[str]:
    return [file.name for file in submission.files]


CENTRAL, LOCAL = b"PK\x01\x02", b"PK\x03\x04"
FLAGS, METHOD, CRC, PACKED, SIZE, OFFSET = 8, 10, 16, 20, 24, 42


def patched(path: Path, at: int, layout: str, value: int, entry: int = 0) -> Path:
    """The zip with one field of its directory, and of no other place, changed."""
    raw = bytearray(path.read_bytes())
    start = -1
    for _ in range(entry + 1):
        start = raw.index(CENTRAL, start + 1)
    struct.pack_into(layout, raw, start + at, value)
    path.write_bytes(raw)
    return path


# Where the hand-in is


def test_a_folder_is_read_in_place(tmp_path: Path) -> None:
    root = folder(tmp_path / "ann", {**ANSWERS, "code/model.py": b"x = 1\n"})
    with open_submission(root, IDS) as submission:
        assert submission.id == "ann"
        assert submission.root == root
        assert submission.answers == {"1a": "B"}
        assert names(submission) == ["answers.yaml", "code/model.py"]
        assert [file.size for file in submission.files] == [6, 6]
        assert submission.notes == ()


def test_a_zip_is_unpacked_for_as_long_as_it_is_open_and_no_longer(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ann.zip", {**ANSWERS, "code/model.py": b"x = 1\n"})
    with open_submission(path, IDS) as submission:
        assert submission.id == "ann"
        assert (submission.root / "code/model.py").read_bytes() == b"x = 1\n"
        root = submission.root
    assert not root.exists()


def test_unpacked_files_are_gone_after_a_failure_too(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ann.zip", ANSWERS)
    root = tmp_path
    with pytest.raises(KeyError), open_submission(path, IDS) as submission:
        root = submission.root
        raise KeyError
    assert not root.exists()


def test_the_id_is_the_folder_that_a_dot_stands_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = folder(tmp_path / "ann", {**ANSWERS, "code/x.py": b""})
    monkeypatch.chdir(root)
    assert opened(Path()).id == "ann"
    monkeypatch.chdir(root / "code")
    assert opened(Path("..")).id == "ann"
    assert opened(Path(f"{root}/")).id == "ann"
    (tmp_path / "link").symlink_to(root)
    assert opened(tmp_path / "link").id == "link"


@pytest.mark.parametrize("place", ["submission", "src/submission", "hw4", "hw4/submission", "hw4/hw4"])
@pytest.mark.parametrize("as_zip", [True, False])
def test_the_hand_in_is_found_inside_what_surrounds_it(tmp_path: Path, place: str, as_zip: bool) -> None:
    files = {f"{place}/answers.yaml": b"1a: B\n", f"{place}/model.py": b""}
    path = zipped(tmp_path / "a.zip", files) if as_zip else folder(tmp_path / "a", files)
    submission = opened(path)
    assert submission.answers == {"1a": "B"}
    assert names(submission) == ["answers.yaml", "model.py"]


def test_what_lies_beside_the_submission_folder_is_not_handed_in(tmp_path: Path) -> None:
    files = {"submission/model.py": b"", "expect.yaml": b"", "reviews.yaml": b""}
    assert names(opened(folder(tmp_path / "case", files))) == ["model.py"]


def test_answers_are_looked_for_in_every_place(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {"submission/x.py": b"", "src/submission/answers.yaml": b"1a: B"})
    assert opened(root).answers == {"1a": "B"}
    wrapped = folder(tmp_path / "b", {"hw/submission/answers.yaml": b"1a: B", "hw/submission/x": b"", "hw/y": b""})
    assert opened(wrapped).answers == {"1a": "B"}


def test_the_root_does_not_depend_on_where_we_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path / "ann", ANSWERS)
    monkeypatch.chdir(tmp_path)
    assert opened(Path("ann")).root == tmp_path / "ann"


def test_links_and_crowds_beside_the_submission_folder_do_not_matter(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {"src/submission/answers.yaml": b"1a: B", "grader.py": b""})
    (root / ".venv").symlink_to("/usr")
    assert names(opened(root)) == ["answers.yaml"]


def test_answers_at_the_top_come_before_those_further_in(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {**ANSWERS, "submission/answers.yaml": b"1a: C"})
    assert opened(root).answers == {"1a": "B"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["hw4/model.py"], ["model.py"]),
        (["hw4/model.py", "__MACOSX/._model.py", ".DS_Store"], ["model.py"]),
        (["hw4/src/submission/model.py", "hw4/notes.txt"], ["model.py"]),
        (["hw4/model.py", "notes.txt"], ["hw4/model.py", "notes.txt"]),
        (["model.py"], ["model.py"]),
    ],
)
def test_without_answers_the_likeliest_folder_is_the_hand_in(
    tmp_path: Path, files: list[str], expected: list[str]
) -> None:
    content = dict.fromkeys(files, b"x")
    for path in (zipped(tmp_path / "a.zip", content), folder(tmp_path / "a", content)):
        submission = opened(path)
        assert names(submission) == expected
        assert submission.notes == ("There is neither an answers.yaml nor an answers.md at the top of the hand-in.",)


def test_answers_under_a_near_name_are_pointed_out(tmp_path: Path) -> None:
    assert "is `Answers.yml` meant to be one?" in opened(folder(tmp_path / "a", {"Answers.yml": b""})).notes[0]
    deep = opened(folder(tmp_path / "b", {"x.py": b"", "q/answers.md": b""}))
    assert "is `q/answers.md` meant to be one?" in deep.notes[0]


def test_an_empty_folder_and_an_empty_zip_are_empty_hand_ins(tmp_path: Path) -> None:
    submission = opened(folder(tmp_path / "a", {}))
    assert (submission.files, submission.answers) == ((), {})
    assert opened(zipped(tmp_path / "b.zip", {})).sha256 == submission.sha256


def test_clutter_is_left_out(tmp_path: Path) -> None:
    clutter = [
        *("__MACOSX/._answers.yaml", "__MACOSX/Icon\r", ".DS_Store", "code/.DS_Store", "Thumbs.db"),
        *("code/__pycache__/model.pyc", ".git/HEAD", "code/.ipynb_checkpoints/a.ipynb"),
    ]
    files = {**ANSWERS, **dict.fromkeys(clutter, b"x")}
    assert names(opened(zipped(tmp_path / "a.zip", files))) == ["answers.yaml"]
    assert names(opened(folder(tmp_path / "a", files))) == ["answers.yaml"]


def test_a_zip_inside_a_zip_stays_a_file(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"../x": b""}).read_bytes()
    assert names(opened(zipped(tmp_path / "a.zip", {"inner.zip": inner}))) == ["inner.zip"]


# One digest for one content

NAMES = st.lists(st.text("abc.é_", min_size=1, max_size=4).filter(lambda part: set(part) != {"."}), max_size=3)
TREES = st.dictionaries(NAMES.filter(bool).map("/".join), st.binary(max_size=40), max_size=6)


@given(TREES)
@settings(max_examples=60, deadline=None)
def test_a_folder_and_a_zip_of_it_have_one_digest(files: dict[str, bytes]) -> None:
    parents = {name[:cut] for name in files for cut in range(len(name)) if name[cut] == "/"}
    files = {name: content for name, content in files.items() if name not in parents}
    with tempfile.TemporaryDirectory() as temporary:
        one = folder(Path(temporary, "one"), files)
        two = zipped(Path(temporary, "two.zip"), files)
        three = zipped(Path(temporary, "three.zip"), {f"{name}/": b"" for name in parents} | files)
        first = opened(one)
        for other in (opened(two), opened(three)):
            assert other.sha256 == first.sha256
            assert replace(other, id=first.id, root=first.root) == first


@pytest.mark.parametrize("other", [{"a": b"xy", "b": b""}, {"a": b"x", "c": b"y"}, {"a": b"x"}, {"a": b"x", "b": b"z"}])
def test_other_names_or_contents_have_another_digest(tmp_path: Path, other: dict[str, bytes]) -> None:
    one = opened(folder(tmp_path / "one", {"a": b"x", "b": b"y"}))
    assert opened(folder(tmp_path / "two", other)).sha256 != one.sha256


# What cannot be opened


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "hw5.zip` is not there: give the folder or the zip" in refusal(tmp_path / "hw5.zip")
    assert "is not there" in refusal(Path("a\0b"))


def test_a_path_too_long_to_be_one_is_refused(tmp_path: Path) -> None:
    assert "cannot be opened" in refusal(tmp_path / ("x" * 300))


def test_what_is_neither_folder_nor_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "essay.pdf").write_bytes(b"%PDF-1.7")
    assert refusal(tmp_path / "essay.pdf").startswith("`essay.pdf` is neither a folder nor a zip")
    os.mkfifo(tmp_path / "pipe")
    assert "neither a folder nor a zip" in refusal(tmp_path / "pipe")


def test_a_zip_under_another_name_is_a_zip(tmp_path: Path) -> None:
    assert opened(zipped(tmp_path / "ann.upload", ANSWERS)).answers == {"1a": "B"}


@pytest.mark.parametrize("keep", [0, 30, 100, -1])
def test_a_damaged_zip_is_refused(tmp_path: Path, keep: int) -> None:
    path = zipped(tmp_path / "hw.zip", ANSWERS)
    path.write_bytes(path.read_bytes()[:keep])
    assert refusal(path) == "hw.zip is damaged, or not a zip at all: zip your folder again."


def test_a_zip_with_damaged_content_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "hw.zip", ANSWERS)
    patched(path, CRC, "<I", 1)
    assert "hw.zip is damaged" in refusal(path)


def test_both_answers_files_are_one_too_many(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {**ANSWERS, "answers.md": b"# 1a\nB"})
    assert "both an answers.yaml and an answers.md" in refusal(root)


def test_a_full_disk_is_our_fault_and_not_the_students(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x": os.urandom(10_000)})
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, usual[1]))
    try:
        with pytest.raises(GradingFault, match="could not be unpacked here"), open_submission(path, IDS):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_what_the_system_will_not_open_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    monkeypatch.chdir(root)
    for _ in range(25):
        Path("x" * 200).mkdir()
        monkeypatch.chdir("x" * 200)
    assert "xxx...` cannot be read (File name too long): check" in refusal(root)


# Names that lead elsewhere

BAD_NAMES = {
    "../evil.py": "`../evil.py` leads out of the hand-in",
    "a/../../evil.py": "leads out of the hand-in",
    "__MACOSX/../../evil.py": "leads out of the hand-in",
    "/etc/passwd": "`/etc/passwd` has an absolute name",
    "C:evil.py": "`C:evil.py` begins with a drive letter",
    "code\\model.py": "has a backslash in its name",
    "..\\evil.py": "has a backslash in its name",
    "a\nb.py": "`a\\nb.py` has a control character",
    "a\x1b[31m.py": "`a\\x1b[31m.py` has a control character",
    "a\u2028b.py": "has a control character",
    "/".join(["a"] * 31): "folders deep",
    "x" * 256: "has too long a name",
    "é" * 200: "has too long a name",
    "/".join(["x" * 200] * 6): "has too long a name",
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_zip_with_a_name_that_leads_elsewhere_is_refused_by_name(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = folder(tmp_path / "a/b/c", {})
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    path = zipped(tmp_path / "hw.zip", {**ANSWERS, name: b"evil"})
    begun = time.process_time()
    assert BAD_NAMES[name] in refusal(path)
    assert time.process_time() - begun < 2
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]
    assert list(private.iterdir()) == []


@pytest.mark.parametrize("name", ["code\\model.py", "a\nb.py", "C:evil.py", "/".join(["a"] * 31)])
def test_a_folder_with_such_a_name_is_refused_as_well(tmp_path: Path, name: str) -> None:
    assert BAD_NAMES[name] in refusal(folder(tmp_path / "a", {**ANSWERS, name: b""}))


def test_an_empty_folder_with_such_a_name_is_refused_as_well(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    (root / "a\tb").mkdir()
    assert "`a\\tb` has a control character" in refusal(root)
    assert "leads out" in refusal(zipped(tmp_path / "a.zip", {**ANSWERS, "../x/": b""}))


def test_a_name_with_a_nul_is_refused_whole(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"model.pyQ.txt": b"x"})
    path.write_bytes(path.read_bytes().replace(b"pyQ", b"py\0"))
    assert "`model.py\\x00.txt` has a control character" in refusal(path)


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    Path(os.fsdecode(os.fsencode(root) + b"/r\xe9sum\xe9")).write_bytes(b"")
    assert "`r\\udce9sum\\udce9` has a control character" in refusal(root)


def test_a_name_of_a_mac_zip_is_read_as_utf8(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"resume.txt": b"x"})
    path.write_bytes(path.read_bytes().replace(b"resume", "sumé_".encode()))
    assert names(opened(path)) == ["sumé_.txt"]


def test_redundant_dots_and_slashes_are_tidied(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"./": b"", "./answers.yaml": b"1a: B", "code//a.py": b""})
    assert names(opened(path)) == ["answers.yaml", "code/a.py"]


# Names that overwrite one another


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["x", "x.py", "a/x.py"])
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip:
        zip.writestr(name, b"good")
        zip.writestr(f"./{name}" if name == "a/x.py" else name, b"evil")
    assert f"`{name}` is in the zip twice" in refusal(tmp_path / "a.zip")


@pytest.mark.parametrize(("one", "other"), [("A.py", "a.py"), ("caf\u00e9", "cafe\u0301"), ("D/x", "d/X")])
def test_names_that_are_one_on_a_mac_are_refused(tmp_path: Path, one: str, other: str) -> None:
    for path in (
        zipped(tmp_path / "a.zip", {one: b"", other: b""}),
        folder(tmp_path / "a", {one: b"", other: b""}),
    ):
        message = refusal(path)
        assert "are one name on some computers" in message
        assert f"`{one}`" in message and f"`{other}`" in message


@pytest.mark.parametrize("files", [["a", "a/b"], ["a/b", "a"], ["a", "A/b/c"], ["a/b", "a/B/"]])
def test_a_name_that_is_both_file_and_folder_is_refused(tmp_path: Path, files: list[str]) -> None:
    assert "is both a file and a folder" in refusal(zipped(tmp_path / "a.zip", dict.fromkeys(files, b"")))


# What is no plain file


@pytest.mark.parametrize("target", ["/etc/passwd", "answers.yaml", "nowhere"])
def test_a_symbolic_link_is_refused(tmp_path: Path, target: str) -> None:
    path = zipped(tmp_path / "a.zip", {"link": target.encode()}, mode=0o120777)
    assert "`link` is a symbolic link" in refusal(path)
    root = folder(tmp_path / "a", ANSWERS)
    (root / "link").symlink_to(target)
    assert "`link` is a symbolic link" in refusal(root)


def test_a_linked_folder_is_refused_and_not_entered(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    (root / "code").symlink_to("/etc", target_is_directory=True)
    assert "`code` is a symbolic link" in refusal(root)
    other = folder(tmp_path / "b", {"x": b""})
    (other / "submission").symlink_to("/etc", target_is_directory=True)
    assert "`submission` is a symbolic link" in refusal(other)


@pytest.mark.parametrize("target", ["/etc/passwd", "nowhere"])
def test_linked_answers_are_refused_and_not_read(tmp_path: Path, target: str) -> None:
    root = folder(tmp_path / "a", {"submission/answers.yaml": b"1a: B"})
    (root / "answers.yaml").symlink_to(target)
    assert "`answers.yaml` is a symbolic link" in refusal(root)


@pytest.mark.parametrize("mode", [0o010644, 0o020644, 0o060644, 0o140644])
def test_a_zipped_device_is_refused(tmp_path: Path, mode: int) -> None:
    assert "`dev` is neither a file nor a folder" in refusal(zipped(tmp_path / "a.zip", {"dev": b""}, mode))


def test_a_fifo_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    os.mkfifo(root / "pipe")
    assert "`pipe` is neither a file nor a folder" in refusal(root)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder(tmp_path / "a", ANSWERS))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("talk")
        assert "`talk` is neither a file nor a folder" in refusal(tmp_path / "a")


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    path = patched(zipped(tmp_path / "a.zip", ANSWERS), FLAGS, "<H", 1)
    assert refusal(path).startswith("`answers.yaml` is encrypted: zip the folder again without a password")


@pytest.mark.parametrize("method", [9, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 99])
def test_an_unusual_compression_is_refused(tmp_path: Path, method: int) -> None:
    path = patched(zipped(tmp_path / "a.zip", ANSWERS), METHOD, "<H", method)
    assert "`answers.yaml` is compressed in an unusual way" in refusal(path)


def test_a_zip_made_on_windows_has_no_file_types_and_is_fine(tmp_path: Path) -> None:
    assert opened(zipped(tmp_path / "a.zip", ANSWERS, mode=0)).answers == {"1a": "B"}


# Too much of it

ZEROS = 10_000 * MB


def deflated_zeros(megabytes: int) -> bytes:
    """A deflate stream of so many MB, in the time of one: after a full flush it repeats as it is."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    chunk = packer.compress(bytes(MB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return chunk * megabytes + zlib.compressobj(9, zlib.DEFLATED, -15).flush()


def bomb(path: Path, packed: bytes, declared: int, crc: int = 0) -> Path:
    """A zip of one stored entry that is relabelled as deflated."""
    with zipfile.ZipFile(path, "w") as zip:
        zip.writestr("bomb", packed)
    patched(path, METHOD, "<H", zipfile.ZIP_DEFLATED)
    patched(path, CRC, "<I", crc)
    return patched(path, SIZE, "<I", declared)


def test_the_bomb_of_these_tests_really_goes_off() -> None:
    packed = deflated_zeros(3)
    assert zlib.decompress(packed, -15) == bytes(3 * MB)
    assert len(packed) < 3 * MB / 500


@pytest.fixture(scope="module")
def ten_gigabytes() -> bytes:
    return deflated_zeros(ZEROS // MB)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (4_000 * MB, "`bomb` is larger than 256 MB"),
        (50 * MB, "damaged"),
        (1_000, "damaged"),
        (0, "damaged"),
    ],
)
def test_a_bomb_of_ten_gigabytes_is_refused_at_once_whatever_it_declares(
    tmp_path: Path, ten_gigabytes: bytes, declared: int, expected: str
) -> None:
    path = bomb(tmp_path / "a.zip", ten_gigabytes, declared, crc=1)
    begun = time.process_time()
    assert expected in refusal(path)
    assert time.process_time() - begun < 2


def test_a_bomb_whose_checksum_fits_what_it_declares_is_no_larger_than_that(
    tmp_path: Path, ten_gigabytes: bytes
) -> None:
    submission = opened(bomb(tmp_path / "a.zip", ten_gigabytes, 1_000, crc=zlib.crc32(bytes(1_000))))
    assert [file.size for file in submission.files] == [1_000]


def test_a_declared_ten_gigabytes_is_refused_without_the_bytes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip:
        zip.writestr("big", b"x")
        zip.infolist()[0].file_size = ZEROS  # goes into the directory as a zip64 field
    assert "`big` is larger than 256 MB" in refusal(tmp_path / "a.zip")


def test_an_entry_that_holds_less_than_it_declares_is_refused(tmp_path: Path) -> None:
    path = patched(zipped(tmp_path / "a.zip", ANSWERS), SIZE, "<I", 10)
    assert "damaged" in refusal(path)


def test_a_file_that_unpacks_to_a_hundred_times_its_size_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"zeros.npy": bytes(2 * MB)})
    assert refusal(path).startswith("`zeros.npy` unpacks to more than 100 times its size")
    assert opened(zipped(tmp_path / "b.zip", {"zeros.npy": bytes(MB)})).files[0].size == MB


def test_many_files_that_each_unpack_to_a_little_are_refused_together(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {f"{i}": bytes(MB) for i in range(3)})
    assert refusal(path).startswith("`a.zip` unpacks to more than 100 times its size")


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    noise = os.urandom(10_000)
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as zip:
        zip.writestr("b", noise)
    inner = (tmp_path / "inner.zip").read_bytes()[: 31 + len(noise)]  # the header of b, and b
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip:
        zip.writestr("a", inner)
        zip.writestr("b", b"")
    path = patched(tmp_path / "a.zip", OFFSET, "<I", 31, entry=1)
    for field, value in ((PACKED, len(noise)), (SIZE, len(noise)), (CRC, zlib.crc32(noise))):
        patched(path, field, "<I", value, entry=1)
    assert zipfile.ZipFile(path).read("b") == noise
    assert "a.zip is damaged" in refusal(path)


def test_a_thousand_files_are_enough(tmp_path: Path) -> None:
    files = {f"{i}": b"" for i in range(1_000)}
    assert len(opened(zipped(tmp_path / "a.zip", files)).files) == 1_000
    assert len(opened(folder(tmp_path / "a", files)).files) == 1_000
    for path in (zipped(tmp_path / "b.zip", {**files, "x": b""}), folder(tmp_path / "a", {"x": b""})):
        assert refusal(path) == "The hand-in has more than 1,000 files: hand in your own work only."


def test_a_large_history_does_not_count(tmp_path: Path) -> None:
    files = {**ANSWERS, **{f".git/objects/{i:040x}": b"" for i in range(5_000)}}
    assert names(opened(zipped(tmp_path / "a.zip", files))) == ["answers.yaml"]


def test_a_directory_of_a_million_entries_is_refused_unread(tmp_path: Path) -> None:
    entry = CENTRAL + bytes(42)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry) * 1_000_000, 0, 0)
    (tmp_path / "a.zip").write_bytes(entry * 1_000_000 + end)
    begun = time.process_time()
    assert refusal(tmp_path / "a.zip") == "a.zip has too many entries: hand in your own work only."
    assert time.process_time() - begun < 1


def test_as_many_entries_as_are_read_are_read_in_no_time(tmp_path: Path) -> None:
    count = archives.MAX_DIRECTORY_BYTES // 47
    entry = CENTRAL + bytes(24) + b"\1" + bytes(17) + b"x"
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entry) * count, 0, 0)
    (tmp_path / "a.zip").write_bytes(entry * count + end)
    begun = time.process_time()
    assert "more than 1,000 files" in refusal(tmp_path / "a.zip")
    assert time.process_time() - begun < 2


def test_folders_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FOLDERS", 10)
    root = folder(tmp_path / "a", ANSWERS)
    for i in range(11):
        (root / str(i)).mkdir()
    assert refusal(root) == "The hand-in has more than 10 folders: hand in your own work only."


def test_a_large_file_in_a_folder_is_refused_unread(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", ANSWERS)
    with (root / "data.bin").open("wb") as file:
        file.truncate(ZEROS)
    begun = time.process_time()
    assert refusal(root).startswith("`data.bin` is larger than 256 MB")
    assert time.process_time() - begun < 1


def test_large_files_are_refused_together_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 2 * MB)
    noise = os.urandom(MB)
    files = {"a": noise, "b": noise, "c": noise[:1]}
    damaged = patched(zipped(tmp_path / "a.zip", files), CRC, "<I", 1)  # which nobody gets to see
    for path in (folder(tmp_path / "a", files), damaged):
        assert refusal(path) == "The hand-in is larger than 2 MB in all: leave out what was not asked for."


def test_a_zip_too_large_to_open_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ANSWERS)
    os.truncate(path, 513 * MB)
    assert refusal(path) == "a.zip is larger than 512 MB: hand in less."


# Whatever it is, a sentence and not a crash


def settle(path: Path) -> None:
    try:
        opened(path)
    except SubmissionError as error:
        assert str(error)
        assert tempfile.gettempdir() not in str(error)


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"PK\x05\x06" + bytes(18)]))
@settings(max_examples=150, deadline=None)
def test_any_bytes_as_a_zip_end_in_a_submission_or_a_sentence(raw: bytes, magic: bytes) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, "a.zip")
        for content in (magic + raw, raw + magic):
            path.write_bytes(content)
            settle(path)


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=5))
@settings(max_examples=300, deadline=None)
def test_a_zip_with_any_bytes_changed_ends_in_a_submission_or_a_sentence(
    changes: list[tuple[int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        path = zipped(Path(temporary, "a.zip"), {**ANSWERS, "code/é.py": b"x = 1\n"})
        raw = bytearray(path.read_bytes())
        for at, value in changes:
            raw[at % len(raw)] = value
        path.write_bytes(raw)
        settle(path)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=150, deadline=None)
def test_any_bytes_as_answers_end_in_a_submission_or_a_sentence(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        for name in ("answers.yaml", "answers.md"):
            settle(folder(Path(temporary, name), {name: raw}))
