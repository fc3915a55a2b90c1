#!/usr/bin/env python3
"""usage: summaries.py GRAPHS

Fails when a public symbol has no documentation comment, or one whose summary takes more than a line.
"""
import json
import pathlib
import sys
import urllib.parse


def summary(symbol):
    lines = [line["text"].strip() for line in symbol["docComment"]["lines"]]
    return lines[: lines.index("")] if "" in lines else lines


def main():
    faults = set()
    for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.symbols.json")):
        for symbol in json.loads(file.read_text())["symbols"]:
            # Without a location it stands in another module, or the compiler made it.
            if "location" not in symbol or "::SYNTHESIZED::" in symbol["identifier"]["precise"]: continue
            place = urllib.parse.unquote(symbol["location"]["uri"]).removeprefix("file://")
            where = f"{place}:{symbol['location']['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])}"
            if "docComment" not in symbol:
                faults.add(f"{where} has no documentation comment")
                continue
            first = []
            for line in summary(symbol):
                if line.startswith(("- ", "```")): break
                first.append(line)
            if len(first) != 1: faults.add(f"{where} has a summary of {len(first)} lines")
    if faults: sys.exit("\n".join(sorted(faults)) + "\nTools/site: each public symbol needs a summary on one line")


main()
