#!/usr/bin/env python3
"""usage: links.py SITE

Fails when a page of the built site refers to a page or a picture that is not there.
"""
import json
import pathlib
import sys


def main():
    site = pathlib.Path(sys.argv[1])
    pages = sorted((site / "data").rglob("*.json"))
    known = {"/" + str(page.relative_to(site / "data").with_suffix("")).lower() for page in pages}
    dead = set()
    for page in pages:
        for reference in json.loads(page.read_text()).get("references", {}).values():
            kind, name = reference.get("type"), page.relative_to(site / "data")
            if kind == "link" and ":" not in reference.get("url", ":") and not reference["url"].startswith("#"):
                dead.add(f"{name}: {reference['url']}")
            if kind == "topic" and "url" in reference and reference["url"].split("#")[0].rstrip("/").lower() not in known:
                dead.add(f"{name}: {reference['url']}")
            for variant in reference.get("variants", []) if kind == "image" else []:
                if not (site / variant["url"].lstrip("/")).exists(): dead.add(f"{name}: {variant['url']}")
    if dead: sys.exit("\n".join(sorted(dead)) + f"\nTools/site: {len(dead)} dead links")
    print(f"Tools/site: {len(pages)} pages, no dead link")


main()
