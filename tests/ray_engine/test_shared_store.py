"""A shared store on a disk, in memory and on an S3 server: whole or not there, never mixed."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from vlmexplain.cli import main
from vlmexplain.errors import MissingPackage, StoreError
from vlmexplain.ray_engine import remote_files
from vlmexplain.ray_engine.shared_store import SharedStore, object_name
from vlmexplain.ray_engine.store_sweep import prune_store
from vlmexplain.storage import home

KEY = "ab" * 32
BUCKET = "results"


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    """The address of an S3 server in this process, with one bucket."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        fsspec.filesystem("s3").mkdir(BUCKET)
        yield f"s3://{BUCKET}"
    server.stop()


@pytest.fixture(params=["file", "memory", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return f"{request.getfixturevalue('s3_server')}/{tmp_path.name}"
    if request.param == "memory":
        return f"memory://{tmp_path.name}"
    return (tmp_path / "store").as_uri()


def folder_of(tmp_path: Path, *contents: str) -> Path:
    folder = tmp_path / "-".join(contents)
    folder.mkdir()
    for number, content in enumerate(contents):
        (folder / f"{number}.txt").write_text(content)
    return folder


def held(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("*.txt"))]


def test_what_is_published_is_fetched_whole(url: str, tmp_path: Path, fresh_home: Path) -> None:
    store = SharedStore(url)
    assert store.listing("runs", KEY) is None and not store.fetch("runs", KEY)
    assert store.publish("runs", KEY, folder_of(tmp_path, "one", "two"))
    assert SharedStore(url).published() == [("runs", KEY)]
    assert SharedStore(url).fetch("runs", KEY)
    assert held(home() / "runs" / KEY) == ["one", "two"]


def test_the_first_stays_unless_it_is_to_be_replaced(
    url: str, tmp_path: Path, fresh_home: Path
) -> None:
    store = SharedStore(url)
    first, second = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    assert store.publish("runs", KEY, first) and not store.publish("runs", KEY, second)
    assert store.publish("embeddings", KEY, first)
    assert not store.publish("embeddings", KEY, first, replace=True), "it is the same"
    assert store.publish("embeddings", KEY, second, replace=True)
    for kind, content in (("runs", "one"), ("embeddings", "two")):
        assert store.fetch(kind, KEY) and held(home() / kind / KEY) == [content]


@pytest.mark.parametrize("writes_before_death", [0, 1, 2])
def test_a_writer_that_dies_leaves_nothing_visible(
    url: str, tmp_path: Path, fresh_home: Path, monkeypatch, writes_before_death: int
) -> None:
    store, folder = SharedStore(url), folder_of(tmp_path, "one", "two")
    left = [writes_before_death]

    def dying(method):
        def write(*arguments):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return method(*arguments)

        return write

    monkeypatch.setattr(store, "_send", dying(store._send))
    monkeypatch.setattr(store, "_write", dying(store._write))
    with pytest.raises(KeyboardInterrupt):
        store.publish("runs", KEY, folder)
    after = SharedStore(url)
    assert after.published() == [] and not after.fetch("runs", KEY)
    assert after.publish("runs", KEY, folder) and after.fetch("runs", KEY)


def test_parts_go_on_and_go_away(url: str, tmp_path: Path, fresh_home: Path) -> None:
    store, folder = SharedStore(url), folder_of(tmp_path, "one", "two")
    store.publish_part("embeddings", KEY, "shard-0", [folder / "0.txt"])
    assert store.published() == []
    other = SharedStore(url)
    assert other.fetch_parts("embeddings", KEY, tmp_path / "go-on") == 1
    assert held(tmp_path / "go-on") == ["one"]
    other.publish("embeddings", KEY, folder)
    assert other.fetch_parts("embeddings", KEY, tmp_path / "none") == 0


def test_a_damaged_object_is_not_taken(url: str, tmp_path: Path, fresh_home: Path) -> None:
    store = SharedStore(url)
    store.publish("runs", KEY, folder_of(tmp_path, "one"))
    listing = store.listing("runs", KEY)
    assert listing is not None
    name = object_name(listing["0.txt"].sha256)
    store.files.pipe_file(f"{store.root}/{name}", b"two")
    with pytest.raises(StoreError, match="is missing or is not what was stored"):
        store.fetch("runs", KEY)
    store.remove(name)
    with pytest.raises(StoreError, match="is missing or is not what was stored"):
        store.fetch("runs", KEY)
    assert not (home() / "runs" / KEY).exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"files": {"../x": ["aa", 1]}}'])
def test_a_torn_or_hostile_listing_is_none(
    url: str, fresh_home: Path, tmp_path: Path, content: bytes
) -> None:
    store = SharedStore(url)
    store._write(f"runs/{KEY}.json", content)
    assert store.listing("runs", KEY) is None and store.published() == []
    assert not store.fetch("runs", KEY)


def test_only_what_nothing_lists_is_swept(url: str, tmp_path: Path, fresh_home: Path) -> None:
    store = SharedStore(url)
    folder = folder_of(tmp_path, "one", "two")
    store.publish("runs", KEY, folder)
    store.publish_part("embeddings", KEY, "shard-0", [folder_of(tmp_path, "x") / "0.txt"])
    before = set(store.names_under(""))
    assert prune_store(store) == [], "all of it is younger than a day"
    gone = prune_store(store, older_than_s=-60, dry_run=True)
    assert len(gone) == 2 and set(store.names_under("")) == before
    assert prune_store(store, older_than_s=-60) == gone
    assert set(store.names_under("")) == before - set(gone)
    assert store.fetch("runs", KEY) and held(home() / "runs" / KEY) == ["one", "two"]


def test_readers_beside_a_writer_see_all_or_nothing(tmp_path: Path, fresh_home: Path) -> None:
    url = (tmp_path / "store").as_uri()
    folders = [folder_of(tmp_path, f"{n}a", f"{n}b") for n in range(30)]
    done = threading.Event()

    def write() -> None:
        for folder in folders:
            SharedStore(url).publish("embeddings", KEY, folder, replace=True)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    n_seen = 0
    while not done.is_set() or n_seen == 0:
        store = SharedStore(url)
        listing = store.listing("embeddings", KEY)
        for stored in (listing or {}).values():
            assert store.files.info(store._path(object_name(stored.sha256)))["size"] > 0
        n_seen += listing is not None
    writer.join()


def test_commands(tmp_path: Path, fresh_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = (tmp_path / "store").as_uri()
    SharedStore(url).publish("runs", KEY, folder_of(tmp_path, "one"))
    assert main(["store", "--store", url, "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"kind": "runs", "key": KEY, "size_bytes": 3}]
    assert main(["store", "--store", url, "fetch", KEY[:6]]) == 0
    assert held(home() / "runs" / KEY) == ["one"]
    assert main(["store", "--store", url, "prune"]) == 0
    assert "0 files removed" in capsys.readouterr().out
    assert main(["store", "--store", url, "fetch", "ffff"]) == 1
    assert "unknown key" in capsys.readouterr().err


def test_addresses_that_are_no_store(monkeypatch) -> None:
    with pytest.raises(StoreError, match="cannot be used"):
        SharedStore("nonsense://x")

    def without(*_: object, **__: object) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", without)
    with pytest.raises(MissingPackage, match=r"vlmexplain\[ray\]"):
        SharedStore("s3://bucket")


@pytest.mark.parametrize("url", ["s3://", "file:///", "memory://"])
def test_an_address_without_a_place_is_refused(url: str) -> None:
    """Else the store's own folders would be taken for buckets."""
    with pytest.raises(StoreError, match="names no bucket and no folder"):
        SharedStore(url)


def test_a_server_that_is_not_there_is_said_in_one_line(
    free_port: int, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setitem(remote_files.S3_PATIENCE, "retries", {"max_attempts": 1})
    assert main(["store", "--store", "s3://nowhere/at-all", "list"]) == 1
    told = capsys.readouterr().err
    assert "s3://nowhere/at-all" in told and "Could not connect" in told and told.count("\n") == 1


def test_a_server_that_never_answers_is_given_up(monkeypatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        monkeypatch.setitem(remote_files.S3_PATIENCE, "read_timeout", 0.3)
        monkeypatch.setitem(remote_files.S3_PATIENCE, "retries", {"max_attempts": 2})
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"timeout|Timeout"):
            SharedStore("s3://silent/at-all").listing("runs", KEY)
        assert time.monotonic() - start < 20, "tried again by one layer after another"


def test_a_bucket_that_is_not_there_is_known_before_the_work(s3_server: str) -> None:
    SharedStore(f"{s3_server}/probed").require_writable()
    assert SharedStore(f"{s3_server}/probed").names_under("unfinished") == []
    store = SharedStore("s3://no-such-bucket/results")
    assert store.listing("runs", KEY) is None
    with pytest.raises(StoreError, match="cannot be written"):
        store.require_writable()


def test_a_full_disk_here_is_not_blamed_on_the_store(
    tmp_path: Path, fresh_home: Path, monkeypatch
) -> None:
    store = SharedStore((tmp_path / "store").as_uri())
    one = folder_of(tmp_path, "one") / "0.txt"
    store.publish("runs", KEY, one.parent)
    store.publish_part("embeddings", KEY, "shard", [one])

    class Full(io.BytesIO):
        def write(self, content: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", lambda *_: Full())
    for work in (
        lambda: store.fetch("runs", KEY),
        lambda: store.fetch_parts("embeddings", KEY, fresh_home / "parts"),
    ):
        with pytest.raises(StoreError, match="No space left") as error:
            work()
        assert str(fresh_home) in str(error.value) and store.url not in str(error.value)


def test_a_folder_that_cannot_be_listed_is_not_empty(tmp_path: Path, monkeypatch) -> None:
    """Prune would take every object for one that nothing lists."""
    store = SharedStore((tmp_path / "store").as_uri())
    store.publish("runs", KEY, folder_of(tmp_path, "one"))
    scan = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("/runs"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(StoreError, match="Permission denied"):
        prune_store(store, older_than_s=-60)
    monkeypatch.undo()
    assert len(store.names_under("objects")) == 1


def test_two_that_finish_the_same_leave_no_parts(url: str, tmp_path: Path) -> None:
    first, second = SharedStore(url), SharedStore(url)
    one = folder_of(tmp_path, "one")
    assert first.publish("embeddings", KEY, one)
    second.publish_part("embeddings", KEY, "shard", [one / "0.txt"])
    assert not second.publish("embeddings", KEY, one, replace=True)
    assert second.names_under("unfinished") == []
    second.remove("unfinished/gone.json")
    assert second.modified_s("unfinished/gone.json") == math.inf
