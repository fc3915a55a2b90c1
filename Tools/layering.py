#!/usr/bin/env python3
"""usage: Tools/layering.py [--root FOLDER]

Fails when an arrow between modules, or between the folders of the module RxSwift, points back up.

Modules point at one another by import; MODULES says who may import whom. Files of one module have no imports between
them, so there the arrows come from names: a file uses another one when it names a type, protocol, typealias or top-level
function that is declared only there (or only in files of that folder). LAYERS is the order; a folder may use those before it and itself. Two folders within a layer never
use each other.

Where an arrow has to stay: // check:allow layering NAME: the reason
"""
import argparse
import collections
import os
import sys

import swift_source

# Each module, and which of the package's modules it may import.
MODULES = {
    "CRxPrimitives": set(),
    "RxPrimitives": {"CRxPrimitives"},
    "RxSwift": {"RxPrimitives"},
    "RxRelay": {"RxPrimitives", "RxSwift"},
    "RxCocoa": {"RxPrimitives", "RxSwift", "RxRelay"},
    "RxTest": {"RxPrimitives", "RxSwift"},
    "RxBlocking": {"RxPrimitives", "RxSwift"},
    "CRxIOUring": set(),
    "RxIOUring": {"RxPrimitives", "RxSwift", "CRxIOUring"},
}

# The module that has layers within, lowest layer first.
LAYERED = "RxSwift"
LAYERS = [
    "Core", "Serialization", "Scheduling", "Subscribing", "Sinks", "Disposables", "Schedulers", "Subjects", "Operators", "Traits",
]
# Beside Core: everyone may use it, it may use only Core.
BESIDE = "Diagnostics"


def may_use(user, used):
    if user == used or used == BESIDE:
        return True
    if user == BESIDE:
        return used == LAYERS[0]
    return LAYERS.index(used) < LAYERS.index(user)


def check_modules(root, codes, allowances):
    sources = os.path.join(root, "Sources")
    for module in sorted(os.listdir(sources)):
        if os.path.isdir(os.path.join(sources, module)) and module not in MODULES and not module.startswith("."):
            yield f"Sources/{module}: an unknown module; say in MODULES of Tools/layering.py what it may import"
    for path, code in codes.items():
        module = path.split(os.sep)[1]
        for line, _, imported in swift_source.imports(code):
            if imported not in MODULES or imported == module or module not in MODULES:
                continue
            if imported not in MODULES[module] and not allowances[path].allow("layering", imported):
                yield f"{path}:{line}: {module} imports {imported}; it may import {sorted(MODULES[module]) or 'no module of this package'}"


def check_folders(codes, allowances):
    prefix = os.path.join("Sources", LAYERED) + os.sep
    folders, declared = {}, {}
    owners = collections.defaultdict(set)
    for path, code in codes.items():
        if not path.startswith(prefix):
            continue
        folder = path[len(prefix):].split(os.sep)[0]
        if folder not in LAYERS and folder != BESIDE:
            yield f"{path}: stands in no layer; the folders of {LAYERED} are {', '.join(LAYERS)} and {BESIDE}"
            continue
        folders[path] = folder
        visible, declared[path] = swift_source.declarations(code)
        for name in visible:
            owners[name].add(path)
    rooms = {path: os.path.dirname(path) for path in folders}
    arrows = {}
    for path, folder in folders.items():
        for name, line in swift_source.used_names(codes[path], MODULES).items():
            files = owners.get(name, ())
            # Overloads of one name may stand in several files; in several folders the name tells nothing. A file's own
            # declaration, a nested one perhaps, hides the others.
            if len({folders[file] for file in files}) != 1 or name in declared[path]:
                continue
            owner = min(files)
            if folder == folders[owner] and rooms[owner] != rooms[path] and len({rooms[file] for file in files}) == 1:
                arrows.setdefault((rooms[path], rooms[owner]), f"{path}:{line}: uses {name} of {owner}")
            if may_use(folder, folders[owner]) or allowances[path].allow("layering", name):
                continue
            yield f"{path}:{line}: {folder} uses {name} of {folders[owner]} ({owner}): an arrow that points back up"
    for (room, other), first in sorted(arrows.items()):
        if room < other and (other, room) in arrows:
            yield f"{first}, and {arrows[other, room]}: {room} and {other} use each other"


def check(root):
    paths = swift_source.swift_files(root, ["Sources"])
    texts = {path: swift_source.read(root, path) for path in paths}
    codes = {path: swift_source.code_of(text) for path, text in texts.items()}
    allowances = {path: swift_source.Allowances(text) for path, text in texts.items()}
    codes = {path: code for path, code in codes.items() if len(path.split(os.sep)) > 2}
    faults = list(check_modules(root, codes, allowances)) + list(check_folders(codes, allowances))
    for path in paths:
        faults += allowances[path].faults(path, {"layering"})
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    root = parser.parse_args().root
    if not os.path.isdir(os.path.join(root, "Sources")):
        sys.exit(f"Tools/layering.py: there is no folder Sources in {root}")
    faults = check(root)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
