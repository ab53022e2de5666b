"""A quick look at a model while it trains, on scenes of the "watch" split; the test gallery is not
touched."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from drawn_world.batches import to_input
from drawn_world.captions import Description, caption
from drawn_world.categories import CATEGORIES
from drawn_world.claims import FALSE, SceneTable, truth
from drawn_world.edits import EDITS, edited
from drawn_world.net import SmallClip
from drawn_world.phrases import a_or_an
from drawn_world.training_set import TrainingSet
from drawn_world.words import Vocabulary

__all__ = ["average_precision", "watch"]


def average_precision(scores: NDArray[np.float32], relevant: NDArray[np.bool_]) -> float:
    """Mean of the precision at the rank of each relevant item; both of shape (n,), at least one
    relevant."""
    hits = relevant[np.argsort(-scores, kind="stable")]
    ranks = np.nonzero(hits)[0] + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


@torch.no_grad()  # type: ignore[untyped-decorator]
def watch(
    model: SmallClip, vocabulary: Vocabulary, data: TrainingSet, scenes: int = 500
) -> dict[str, float]:
    """R@1 and R@10 of one caption a scene, mean average precision of "a <category>", and false
    twins told apart."""
    model.eval()

    def embed(texts: list[str]) -> torch.Tensor:
        ids, ends = vocabulary.encode(texts)
        return model.texts(torch.from_numpy(ids), torch.from_numpy(ends))

    with torch.autocast("cpu", torch.bfloat16):
        images = torch.cat(
            [
                model.images(
                    to_input(np.stack([data.picture(i) for i in range(s, min(s + 100, scenes))]))
                )
                for s in range(0, scenes, 100)
            ]
        )
        about = [Description.of(scene) for scene in data.scenes[:scenes]]
        captions = [caption(a, np.random.default_rng([5, i])) for i, a in enumerate(about)]
        similarity = embed([c.text for c in captions]).numpy() @ images.numpy().T
        ranks = (similarity > similarity.diagonal()[:, None]).sum(axis=1)
        result = {"r1": float((ranks < 1).mean()), "r10": float((ranks < 10).mean())}
        table = SceneTable.of(data.scenes[:scenes])
        by_name = embed([a_or_an(c.name) for c in CATEGORIES]).numpy() @ images.numpy().T
        result["map"] = float(
            np.mean(
                [
                    average_precision(by_name[k], table.count[:, k] > 0)
                    for k in range(len(CATEGORIES))
                    if table.count[:, k].any()
                ]
            )
        )
        rng = np.random.default_rng(6)
        for kind in EDITS:
            others = [edited(a, kind, rng) for a in about]
            twins = [
                caption(o, np.random.default_rng([5, i])) if o else captions[i]
                for i, o in enumerate(others)
            ]
            false = truth([t.claim for t in twins], table).diagonal() == FALSE
            sims = (embed([t.text for t in twins]) * images).sum(dim=1).numpy()
            result[kind.replace(" ", "_")] = float((similarity.diagonal() > sims)[false].mean())
    model.train()
    return {key: round(value, 4) for key, value in result.items()}
