#!/usr/bin/env python3
"""Keeps results of benchmarks per kind of machine, and makes tables and pictures of them; `Tools/bench` calls it."""
import argparse
import json
import pathlib
import sys
import tempfile

import kept as results
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Benchmarks" / "Results"
DOCUMENTS = ("PERFORMANCE.md", "README.md")


def fail(message, code=1):
    sys.exit(print(f"Tools/bench: {message}", file=sys.stderr) or code)


def keep(arguments):
    processes = [json.loads(pathlib.Path(name).read_text()) for name in arguments.runs]
    kind = arguments.machine or results.kind_of(processes[0]["machine"])
    path = FOLDER / f"{kind}.json"
    merged = results.merge(results.load(path), processes, arguments.commit, kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(results.text_of(merged))
    print(f"kept in {path.relative_to(ROOT)}; an uncontended atomic read-modify-write: {merged['machine']['atomicNanoseconds']:g} ns")


def selected(kind):
    """The kept results of a kind; without one, those of the kind with the most rows."""
    files = sorted(FOLDER.glob("*.json"))
    if kind:
        files = [path for path in files if path.stem == kind]
    if not files:
        fail(f"no results of {kind or 'any machine'} are kept; run Tools/bench --keep", 2)
    return max((results.load(path) for path in files), key=lambda kept: sum(len(kept[section]) for section in results.SECTIONS))


def verify(_):
    for path in FOLDER.glob("*.json"): results.load(path)


def report(arguments):
    kept = selected(arguments.machine)
    differing = []
    for name in DOCUMENTS:
        path = ROOT / name
        old = path.read_text()
        new = tables.rebuild(old, kept)
        if new != old:
            differing.append(name)
            if not arguments.check:
                path.write_text(new)
    if not arguments.text_only:
        import pictures
        if arguments.check:
            with tempfile.TemporaryDirectory() as folder:
                drawn = pathlib.Path(folder)
                pictures.draw(kept, drawn)
                for picture in sorted(drawn.iterdir()):
                    standing = FOLDER / "pictures" / picture.name
                    if not standing.exists() or standing.read_bytes() != picture.read_bytes():
                        differing.append(str(standing.relative_to(ROOT)))
        else:
            pictures.draw(kept, FOLDER / "pictures")
    if arguments.check and differing:
        fail(f"differ from the kept results: {', '.join(differing)}; run Tools/bench --report")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    keeping = commands.add_parser("keep")
    keeping.add_argument("--commit", required=True)
    keeping.add_argument("--machine")
    keeping.add_argument("runs", nargs="+")
    keeping.set_defaults(run=keep)
    reporting = commands.add_parser("report")
    reporting.add_argument("--machine")
    reporting.add_argument("--check", action="store_true")
    reporting.add_argument("--text-only", action="store_true")
    reporting.set_defaults(run=report)
    commands.add_parser("verify").set_defaults(run=verify)
    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except results.BrokenFile as error:
        fail(f"{error}; restore it with git checkout, or remove it", 2)
    except tables.MissingRow as error:
        fail(error, 2)


if __name__ == "__main__":
    main()
