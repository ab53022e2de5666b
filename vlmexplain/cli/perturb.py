"""Make perturbations of one caption, of a captions file, or of every caption of a gallery.

A text gives what each rule makes of it; a file or a gallery gives one JSON line an image, in
the form of the LGIP benchmark.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vlmexplain.cli.output import out_file, print_json, terminal_progress
from vlmexplain.errors import DataError

if TYPE_CHECKING:
    from vlmexplain.lgip.samples import Sample

NAME = "perturb"
HELP = "paraphrases, flips and other edits of captions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", help="one caption")
    source.add_argument(
        "--captions", type=Path, metavar="FILE", help="a COCO captions file or JSON lines"
    )
    source.add_argument("--gallery", metavar="G", help="a gallery's name or id")
    parser.add_argument(
        "--mode",
        choices=["paper", "careful"],
        default="careful",
        help="the benchmark's rules, or ours that keep grammar and check (default %(default)s)",
    )
    parser.add_argument("--rule", help="with --text: only this rule, such as object or antonym")
    parser.add_argument("--seed", type=int, default=0, help="of the draws (default %(default)s)")
    parser.add_argument("--out", type=Path, metavar="F.jsonl", help="default: standard output")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def execute(args: argparse.Namespace) -> int:
    """Perturb what was named."""
    if args.rule and args.text is None:
        raise DataError("--rule goes with --text.", remedy="Files and galleries take --mode.")
    if args.out and args.text is not None:
        raise DataError("--out goes with --captions or --gallery.", remedy="Leave it out.")
    if args.out:
        args.out = out_file(args.out)
    if args.text is not None:
        perturb_one(args)
    elif args.gallery:
        perturb_whole_gallery(args)
    else:
        perturb_file(args)
    return 0


def perturb_one(args: argparse.Namespace) -> None:
    """One caption: a JSON document, or a line a perturbation."""
    from vlmexplain.lgip.generate import perturb_text

    document = perturb_text(args.text, args.mode, args.rule, args.seed)
    if args.json:
        print_json(document)
        return
    for rule in document["rules"]:
        for made in rule["perturbations"]:
            print(f"{rule['rule']:<20} {rule['expects']:<8} {made['text']}")
        if because := rule.get("not_applicable_because"):
            print(f"{rule['rule']:<20} does not apply: {because}")


def perturb_whole_gallery(args: argparse.Namespace) -> None:
    """Every caption of a gallery, checked against its annotations."""
    from vlmexplain.datasets.gallery import open_gallery
    from vlmexplain.lgip.generate import gallery_samples, perturb_gallery
    from vlmexplain.lgip.sample_files import sample_line

    gallery = open_gallery(args.gallery)
    if args.out is None:
        for sample in gallery_samples(gallery, args.mode, args.seed, terminal_progress()):
            print(sample_line(sample))
        return
    counts = perturb_gallery(
        gallery, args.mode, args.out, seed=args.seed, progress=terminal_progress()
    )
    say_counts(args, counts.to_json())


def perturb_file(args: argparse.Namespace) -> None:
    """Every caption of a file, as it is there."""
    from vlmexplain.lgip.generate import perturb_captions_file
    from vlmexplain.lgip.sample_files import sample_line, write_samples
    from vlmexplain.lgip.samples import SampleCounts

    samples = perturb_captions_file(
        args.captions, args.mode, seed=args.seed, progress=terminal_progress()
    )
    if args.out is None:
        for sample in samples:
            print(sample_line(sample))
        return
    counts = SampleCounts()

    def counted() -> Iterator[Sample]:
        for sample in samples:
            counts.add(sample)
            yield sample

    write_samples(counted(), args.out)
    say_counts(args, counts.to_json())


def say_counts(args: argparse.Namespace, counts: dict[str, object]) -> None:
    """How many perturbations were written, where."""
    if args.json:
        print_json(counts)
    else:
        made = f"{counts['paraphrases']} paraphrases, {counts['flips']} flips"
        print(f"{args.out}: {made} of {counts['captions']} captions")
