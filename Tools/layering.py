#!/usr/bin/env python3
"""usage: Tools/layering.py [--root FOLDER]

Fails when an arrow between modules, or between the folders of the module RxSwift, points back up.

Modules point at one another by import; MODULES says who may import whom. Files of one module have no imports between
them, so there the arrows come from names: a file uses another one when it names a type or a top-level function that is declared
only there. LAYERS is the order; a folder may use those before it and itself. Two folders within a layer never use each other.

The names are found by regular expressions: a name that also stands for something else may be taken for a use.
"""
import argparse
import collections
import pathlib
import re
import sys

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
# The folders of RxSwift, lowest layer first; and the one beside Core that every folder may use.
LAYERS = [
    "Core", "Serialization", "Scheduling", "Subscribing", "Sinks", "Disposables", "Schedulers", "Subjects", "Operators", "Traits",
]
BESIDE = "Diagnostics"

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')
IMPORT = re.compile(r"^[^\n/]*\bimport\s+(?:(?:class|struct|enum|protocol|func)\s+)?(\w+)", re.M)
DECLARATION = re.compile(r"^([^\n{=]*?)\b(?:class|struct|enum|protocol|actor|typealias|func)\s+`?([A-Za-z_]\w*)", re.M)
# Not a member of something else, a label, or the name of a declaration.
USE = re.compile(r"(?<![.\w])(?<!func )(?<!var )(?<!let )(?<!case )([A-Za-z_]\w*)\b(?![^\S\n]*:(?!:))|(?<=: )([A-Z]\w*)")


def may_use(user, used):
    if user == used or used == BESIDE:
        return True
    return user != BESIDE and LAYERS.index(used) < LAYERS.index(user) or (user, used) == (BESIDE, LAYERS[0])


def module_faults(codes):
    for path, code in codes.items():
        module = path.parts[1]
        if module not in MODULES:
            yield f"{path}: an unknown module; say in MODULES of Tools/layering.py what it may import"
            continue
        for imported in set(IMPORT.findall(code)) & MODULES.keys() - {module} - MODULES[module]:
            yield f"{path}: {module} imports {imported}; it may import {sorted(MODULES[module]) or 'no module of this package'}"


def folder_faults(codes):
    owners, declared = collections.defaultdict(set), {}
    for path, code in codes.items():
        found = DECLARATION.findall(code)
        declared[path] = {name for _, name in found}
        for modifiers, name in found:
            if not modifiers.startswith((" ", "private", "fileprivate")):
                owners[name].add(path)
    arrows = {}
    for path, code in codes.items():
        folder = path.parts[2]
        if folder not in LAYERS and folder != BESIDE:
            yield f"{path}: stands in no layer; the folders of RxSwift are {', '.join(LAYERS)} and {BESIDE}"
            continue
        for name in {name for pair in USE.findall(code) for name in pair} - declared[path]:
            rooms = {file.parent for file in owners.get(name, ())}
            if len(rooms) != 1 or path.parent in rooms:
                continue
            room = rooms.pop()
            if not may_use(folder, room.parts[2]):
                yield f"{path}: {folder} uses {name} of {room}: an arrow that points back up"
            elif room.parts[2] == folder:
                arrows[path.parent, room] = f"{path} uses {name} of {room}"
    for (room, other), use in sorted(arrows.items()):
        if room < other and (other, room) in arrows:
            yield f"{use}, and {arrows[other, room]}: two folders use each other"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    if not (root / "Sources").is_dir():
        sys.exit(f"Tools/layering.py: there is no folder Sources in {root}")
    files = [file for file in sorted(root.glob("Sources/*/**/*.swift")) if not file.is_symlink()]
    codes = {file.relative_to(root): COMMENT_OR_TEXT.sub(" ", file.read_text()) for file in files}
    layered = {path: code for path, code in codes.items() if path.parts[1] == "RxSwift" and len(path.parts) > 3}
    faults = [*module_faults(codes), *folder_faults(layered)]
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
