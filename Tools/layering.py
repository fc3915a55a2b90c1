#!/usr/bin/env python3
"""usage: Tools/layering.py [--root FOLDER]

Fails when an arrow between modules, or between the folders of the modules RxSwift and RxIOUring, points back up.

Modules point at one another by import; MODULES says who may import whom. Files of one module have no imports between
them, so there the arrows come from names: a file uses another one when it names a type or a top-level function that is declared
only there. LAYERS is the order in each; a folder may use those before it and itself. Two folders within a layer never use each other.

A type that an extension nests in a type of a higher folder stands where that extension stands, and the extension is no use.
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
# The folders of a module, lowest layer first.
LAYERS = {
    "RxSwift": [
        "Core", "Serialization", "Scheduling", "Subscribing", "Sinks", "Disposables", "Schedulers", "Subjects", "Operators", "Traits",
    ],
    "RxIOUring": [
        "Diagnostics", "System", "Bytes", "Blocking", "Backends", "Loop", "Scheduler", "Streams", "Operators", "Pipes", "Files", "Network",
        "Signals", "Processes",
    ],
}
# The folder beside the lowest layer that every folder may use.
BESIDE = {"RxSwift": "Diagnostics"}
# Folders that declare for other systems what others declare, and use none.
APART = {"Unsupported"}

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')
IMPORT = re.compile(r"^[^\n/]*\bimport\s+(?:(?:class|struct|enum|protocol|func)\s+)?(\w+)", re.M)
DECLARATION = re.compile(r"^([^\n{=]*?)\b(?:class|struct|enum|protocol|actor|typealias|func)\s+`?([A-Za-z_]\w*)", re.M)
EXTENSION = re.compile(r"^extension (\w+) \{\n(.*?)^\}", re.M | re.S)
NESTED = re.compile(r"^    (?:(?:public|package|indirect|final) )*(?:class|struct|enum|typealias) (\w+)", re.M)
# Not a member of something else, a label, or the name of a declaration.
USE = re.compile(r"(?<![.\w])(?<!func )(?<!var )(?<!let )(?<!case )([A-Za-z_]\w*)\b(?![^\S\n]*:(?!:))|(?<=: )([A-Z]\w*)")


def may_use(layers, beside, user, used):
    if user == used or used == beside:
        return True
    return user != beside and layers.index(used) < layers.index(user) or (user, used) == (beside, layers[0])


def module_faults(codes):
    for path, code in codes.items():
        module = path.parts[1]
        if module not in MODULES:
            yield f"{path}: an unknown module; say in MODULES of Tools/layering.py what it may import"
            continue
        for imported in set(IMPORT.findall(code)) & MODULES.keys() - {module} - MODULES[module]:
            yield f"{path}: {module} imports {imported}; it may import {sorted(MODULES[module]) or 'no module of this package'}"


def with_nested_names(codes):
    """The codes with `Outer_Inner` for `Outer.Inner`, where an extension declares that, and the extension as a declaration of that."""
    nested = {f"{outer}.{inner}" for code in codes.values() for outer, body in EXTENSION.findall(code) for inner in NESTED.findall(body)}

    def declarations(match):
        outer, names = match[1], NESTED.findall(match[2])
        return "".join(f"struct {outer}_{name} {{}}\n" for name in names) + match[2] if names else match[0]

    for path, code in codes.items():
        code = EXTENSION.sub(declarations, code)
        yield path, re.sub(r"\b([A-Z]\w*)\.([A-Z]\w*)\b", lambda match: match[0].replace(".", "_") if match[0] in nested else match[0], code)


def folder_faults(module, codes):
    layers, beside, codes = LAYERS[module], BESIDE.get(module), dict(with_nested_names(codes))
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
        if folder not in layers and folder != beside:
            yield f"{path}: stands in no layer; the folders of {module} are {', '.join(filter(None, [*layers, beside]))}"
            continue
        for name in {name for pair in USE.findall(code) for name in pair} - declared[path]:
            rooms = {file.parent for file in owners.get(name, ())}
            if len(rooms) != 1 or path.parent in rooms:
                continue
            room = rooms.pop()
            if not may_use(layers, beside, folder, room.parts[2]):
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
    faults = [*module_faults(codes)]
    for module in LAYERS:
        layered = {path: code for path, code in codes.items() if path.parts[1] == module and len(path.parts) > 3 and path.parts[2] not in APART}
        faults += folder_faults(module, layered)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
