"""The list of models: complete, correct against open_clip, and free of torch."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from vlmexplain.errors import MissingPackage, ModelError, UnknownName
from vlmexplain.models import catalogue, hub
from vlmexplain.models.catalogue import catalogue_kinds, list_models
from vlmexplain.models.load import ModelShelf, identify, load_model
from vlmexplain.models.spec import parse_spec

LGIP = [
    "ViT-B-16/openai",
    "ViT-L-14/openai",
    "ViT-L-14/laion2b_s32b_b82k",
    "ViT-H-14/laion2b_s32b_b79k",
    "EVA02-L-14/merged2b_s4b_b131k",
    "ViT-B-16-SigLIP/webli",
    "ViT-B-16-SigLIP-384/webli",
    "ViT-L-16-SigLIP-384/webli",
    "ViT-B-16-SigLIP2/webli",
]


def by_spec() -> dict[str, catalogue.ModelEntry]:
    return {entry.spec: entry for entry in list_models()}


def test_the_nine_models_of_the_paper_are_listed() -> None:
    listed = [entry.spec for entry in list_models() if entry.lgip]
    assert listed == LGIP
    for spec in listed:
        said = by_spec()[spec].note
        assert ("padding" in said) == ("SigLIP" in spec)


def test_every_tag_is_open_clips_own_and_its_repository_too() -> None:
    from open_clip.pretrained import get_pretrained_cfg

    from vlmexplain.models.open_clip_tags import weight_files

    checked = 0
    for entry in list_models():
        if entry.kind == "open_clip" and entry.source.startswith("hub "):
            architecture, tag = entry.spec.split("/")
            stated = get_pretrained_cfg(architecture, tag)
            assert stated, entry.spec
            assert f"hub {weight_files(stated['hf_hub'])[0]}" == entry.source
            assert ("QuickGELU" in entry.note) == bool(stated.get("quick_gelu"))
            checked += 1
    assert checked >= 13


def test_every_name_is_understood_and_listed_once() -> None:
    specs = [entry.spec for entry in list_models()]
    assert len(set(specs)) == len(specs)
    for entry in list_models():
        assert parse_spec(entry.spec).kind == entry.kind
        assert parse_spec(f"{entry.kind}:{entry.spec}").kind == entry.kind
        assert entry.mode == ("image-text" if entry.kind == "open_clip" else "text-text")


def test_status_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATA", str(tmp_path))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert by_spec()["drawn-clip"].status == "missing"
    assert "data/models/drawn-clip" in by_spec()["drawn-clip"].because
    assert by_spec()["all-MiniLM-L6-v2"].status == "available"
    assert by_spec()["ViT-B-16/openai"].status == "downloadable"
    assert "599 MB" in by_spec()["ViT-B-16/openai"].because

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert by_spec()["ViT-B-16/openai"].status == "missing"
    assert "HF_HUB_OFFLINE" in by_spec()["ViT-B-16/openai"].because

    snapshot = tmp_path / "hub/models--timm--vit_base_patch16_clip_224.openai/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "open_clip_model.safetensors").touch()
    assert by_spec()["ViT-B-16/openai"].status == "available"

    shipped = tmp_path / "models/drawn-clip"
    shipped.mkdir(parents=True)
    (shipped / "model.safetensors").touch()
    assert by_spec()["drawn-clip"].status == "available"


def test_an_unreachable_hub_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(catalogue, "hub_answers", lambda: False)
    entry = {e.spec: e for e in list_models(ask_hub=True)}["ViT-L-14/openai"]
    assert (entry.status, "cannot be reached" in entry.because) == ("missing", True)


def test_a_connection_is_not_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(*_: object, **__: object) -> None:
        tried.append(1)
        raise OSError("refused")

    monkeypatch.setattr(hub.socket, "create_connection", refuse)
    monkeypatch.setattr(hub.time, "monotonic", lambda: 6000.0)
    hub._answers.cache_clear()
    assert not hub.hub_answers() and not hub.hub_answers()
    assert len(tried) == 1
    hub._answers.cache_clear()


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "open_clip" else real(name, *rest),
    )
    assert "pip install open_clip_torch" in by_spec()["ViT-B-16/openai"].because
    with pytest.raises(MissingPackage, match="pip install open_clip_torch"):
        load_model("ViT-B-16/openai")
    with pytest.raises(MissingPackage, match="pip install open_clip_torch"):
        load_model("ViT-B-16/any_other_tag")


def test_unknown_names_come_with_near_matches() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'all-MiniLM-L6-v2'"):
        load_model("all-MiniLM-L6-v3")
    with pytest.raises(UnknownName, match="Did you mean 'drawn-clip"):
        identify("drawnclip")
    for spec in ("", "fake:x", "ORG/NAME"):
        with pytest.raises(UnknownName):
            load_model(spec)
    with pytest.raises(ModelError, match="no such model folder"):
        load_model("/no/such/folder")


def test_a_shipped_model_that_is_not_there_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLMEXPLAIN_DATA", str(tmp_path))
    with pytest.raises(ModelError, match="drawn-clip"):
        load_model("drawn-clip")


def test_listing_and_identifying_import_no_torch() -> None:
    program = (
        "import sys\n"
        "from vlmexplain.models.catalogue import list_models\n"
        "from vlmexplain.models.load import identify, load_model\n"
        "list_models(); load_model('fake').encode_texts(['a']); identify('all-MiniLM-L6-v2')\n"
        "heavy = {'torch', 'open_clip', 'transformers', 'sentence_transformers', 'torchvision'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "load_model('all-MiniLM-L6-v2')\n"
        "print('torch' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
    assert done.stderr == "", "a loader talks on standard error"


def test_the_shelf_loads_once_and_lets_the_oldest_go() -> None:
    import threading

    shelf, loaded, start = ModelShelf(kept=2), [], threading.Barrier(16)
    got: list[object] = []

    def load() -> object:
        loaded.append(1)
        return object()

    def work() -> None:
        start.wait()
        got.append(shelf.get("a", load))  # type: ignore[arg-type]

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 1 and len({id(model) for model in got}) == 1
    shelf.get("b", load)  # type: ignore[arg-type]
    shelf.get("a", load)  # type: ignore[arg-type]
    shelf.get("c", load)  # type: ignore[arg-type]
    assert len(loaded) == 3
    assert shelf.get("a", load) is got[0] and len(loaded) == 3  # type: ignore[arg-type]
    shelf.get("b", load)  # type: ignore[arg-type]
    assert len(loaded) == 4


def test_catalogue_kinds_are_known() -> None:
    assert set(catalogue_kinds().values()) == {"open_clip", "sentence"}
