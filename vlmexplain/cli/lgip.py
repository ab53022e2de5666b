"""LGIP: how steady a model is under paraphrases, and how it tells false captions apart."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from vlmexplain.cli.engine_arguments import add_engine_arguments, chosen_surroundings
from vlmexplain.cli.model_arguments import add_model_arguments, chosen_model
from vlmexplain.cli.output import out_file, print_json, terminal_progress
from vlmexplain.storage import write_file

NAME = "lgip"
HELP = "invariance error, sensitivity gap and positive rate of a model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--gallery", required=True, metavar="G", help="a gallery's name or id")
    add_model_arguments(parser, "an image-text model")
    parser.add_argument(
        "--perturbations",
        type=Path,
        metavar="F",
        help="the benchmark's JSON lines or SugarCrepe's JSON (default: made by --mode)",
    )
    parser.add_argument("--mode", choices=["paper", "careful"], default="paper")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, metavar="F.json", help="write the benchmark's metrics JSON here too"
    )
    parser.add_argument("--json", action="store_true", help="the metrics JSON on stdout")
    add_engine_arguments(parser)


def execute(args: argparse.Namespace) -> int:
    """Compute, or read what was computed before, and print the figures."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.lgip.bulk import run_lgip
    from vlmexplain.lgip.engine import LocalLgipEngine
    from vlmexplain.lgip.figures import metrics_document
    from vlmexplain.lgip.result import honest_document
    from vlmexplain.report import lgip_text

    out = out_file(args.out) if args.out else None
    surroundings, gallery = chosen_surroundings(args), open_gallery(args.gallery)
    asked = {"mode": args.mode, "seed": args.seed, "device": args.device}
    asked["progress"], model = terminal_progress(), chosen_model(args)
    if surroundings is None:
        engine = LocalLgipEngine(args.workers)
        result = run_lgip(gallery, model, args.perturbations, **asked, engine=engine)
    else:
        from vlmexplain.ray_engine.run import lgip_on_ray

        result = lgip_on_ray(gallery, model, args.perturbations, **asked, surroundings=surroundings)
    document = metrics_document(result.manifest.figures, result.manifest.model.name)
    if out:
        write_file(out, json.dumps(document, indent=2, allow_nan=False).encode())
    if args.json:
        print_json(document | honest_document(result.manifest))
    else:
        print(lgip_text(result.manifest))
    return 0
