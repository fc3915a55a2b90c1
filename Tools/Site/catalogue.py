#!/usr/bin/env python3
"""usage: catalogue.py --root FOLDER --graphs FOLDER --output FOLDER

Makes the documentation catalogue of the module RxSwift from
  the articles in Sources/RxSwift/RxSwift.docc
  the documents of the top folder, whose links become links of the site
  the examples in Tests/DocumentationTests/OperatorExamples: code and marble picture go to the pages of the operators that they name
  the folders of the operators, which become the groups on the page of ObservableType
and fails when an operator of ObservableType that is not deprecated has no example.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import sys

import marbles

DOCUMENTS = ["ARCHITECTURE", "BACKPRESSURE", "CONCURRENCY", "CONTRIBUTING", "KnownDifferences", "PERFORMANCE"]

# A test function with the operators that its comment names: comment, name, body.
EXAMPLE = re.compile(r"((?:^    /// .*\n)+)^    @Test func (\w+)\([^\n]*\{\n((?:^(?: {8}.*)?\n)*?)^    \}\n", re.M)
LINK = re.compile(r"``([^`]+)``")
PICTURE = re.compile(
    r'expectPicture\(\s*(?P<label>printing: |connecting: )?(?:"""\n(?P<rows>.*?)\n\s*"""\s*|"(?P<row>[^"\n]*)")\s*\) \{(?P<parameters>.*?) in\n(?P<body>.*)\n {8}\}\s*$', re.S)
PRINTED = re.compile(r'expectPrinted\(\s*"(?P<text>[^"\n]*)"\s*\) \{ print in\n(?P<body>.*)\n {8}\}\s*$', re.S)

# The marks of observers, and how a page explains them.
MARKS = {"^": "A triangle marks the start of a subscription.", "!": "A circle marks its disposal."}

# Each operator of these must have an example.
OPERATOR_TYPES = ("ObservableType", "ObservableConvertibleType", "Observable")

# Operators of many arities whose example is that of another one.
LIKE = [
    (re.compile(r"^ObservableType/(combineLatest|zip)\((_:){3,8}\)$"), r"ObservableType/\1(_:_:)"),
    (re.compile(r"^ObservableType/(combineLatest|zip)\((_:){3,8}resultSelector:\)$"), r"ObservableType/\1(_:_:resultSelector:)"),
]
GROUPS = {
    "Create": "Creating", "Transform": "Transforming", "Flatten": "Flattening inner sequences", "Filter": "Filtering",
    "Combine": "Combining", "Time": "Time", "Recover": "Recovering from errors", "Share": "Sharing a subscription",
    "Schedule": "Threads and pressure", "Reduce": "Reducing", "Inspect": "Inspecting", "Subscribing": "Subscribing",
    "Concurrency": "Tasks", "Infallible": "Traits",
}


def die(message):
    sys.exit(f"Tools/site: {message}")


def base36(number):
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def link_hash(identifier):
    """The suffix by which docc tells symbols with the same path apart: FNV-1 of the symbol's identifier, folded to 24 bits."""
    value = 2166136261
    for byte in identifier.encode():
        value = (value * 16777619 & 0xFFFFFFFF) ^ byte
    return base36(value >> 24 ^ value & 0xFFFFFF)


class Symbols:
    """The public symbols of RxSwift by path."""

    def __init__(self, folder):
        graph = json.loads((folder / "RxSwift.symbols.json").read_text())
        # Shown on the page of the protocol's requirement.
        defaults = {relation["source"] for relation in graph["relationships"] if relation["kind"] == "defaultImplementationOf"}
        self.by_path = collections.OrderedDict()
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" not in identifier and identifier not in defaults:
                self.by_path.setdefault("/".join(symbol["pathComponents"]), []).append(symbol)

    @staticmethod
    def is_deprecated(symbol):
        return any(item.get("isUnconditionallyDeprecated") or "deprecated" in item for item in symbol.get("availability", []))

    def links(self, path):
        """The links to all symbols of a path that are not deprecated."""
        found = [symbol for symbol in self.by_path.get(path, []) if not self.is_deprecated(symbol)]
        several = len(self.by_path.get(path, [])) > 1
        return [path + ("-" + link_hash(symbol["identifier"]["precise"]) if several else "") for symbol in found]

    def operators(self):
        """Path and source folder of what ObservableType and its like declare."""
        for path, symbols in self.by_path.items():
            if path.split("/")[0] not in OPERATOR_TYPES or "/" not in path:
                continue
            for symbol in symbols:
                if symbol["kind"]["identifier"] in ("swift.method", "swift.type.method", "swift.property") and not self.is_deprecated(symbol):
                    yield path, pathlib.PurePosixPath(symbol["location"]["uri"]).parts
                    break


def indentation_removed(lines):
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def described(row):
    for mark, text in {"|": "end", "#": "error", "^": " subscribes ", "!": " disposes"}.items(): row = row.replace(mark, text)
    return row


class Examples:
    def __init__(self, root):
        self.sections = collections.OrderedDict()  # path: Markdown
        self.pictures = {}  # name: (rows, operator, how many rows are inputs)
        for file in sorted((root / "Tests/DocumentationTests/OperatorExamples").glob("*.swift")):
            source = file.read_text()
            found = EXAMPLE.findall(source)
            if len(found) != source.count("@Test"):
                die(f"{file}: {source.count('@Test')} tests, of which {len(found)} have the form of an example")
            for comment, name, body in found:
                paths = LINK.findall(comment)
                if not paths: die(f"{file}: {name}() names no operator in its comment")
                section = self.section(file, name, paths, body)
                for path in paths: self.sections.setdefault(path, []).append(section)

    def section(self, file, name, paths, body):
        picture, printed = PICTURE.search(body), PRINTED.search(body)
        if picture:
            code = indentation_removed(picture["body"].split("\n"))
            rows = "\n".join(line.strip() for line in (picture["rows"] or picture["row"]).splitlines())
            joined = " ".join(line.strip() for line in code).replace(" .", ".")
            operator = joined if len(joined) <= 64 else paths[0].split("/")[-1]
            resource = f"marbles-{name}"
            if resource in self.pictures: die(f"{file}: there is another example called {name}()")
            inputs = picture["parameters"].count("Observable<") + (picture["label"] == "connecting: ")
            self.pictures[resource] = (rows, operator, inputs)
            alternative = "Marble diagram. " + "; ".join(described(line) for line in rows.splitlines())
            legend = [text for mark, text in MARKS.items() if any(mark in line.split()[1] for line in rows.splitlines())]
            legend = " ".join(legend) + "\n\n" if legend else ""
            return f"![{alternative}]({resource})\n\n{legend}```swift\n" + "\n".join(code) + "\n```\n"
        if printed:
            code = indentation_removed(printed["body"].split("\n"))
            text = printed["text"].replace("\\n", "\n")
            return "```swift\n" + "\n".join(code) + f"\n```\n\nIt prints\n\n```text\n{text}\n```\n"
        die(f"{file}: {name}() calls neither expectPicture nor expectPrinted in the form that is described there")

    def of(self, path):
        if path in self.sections: return self.sections[path]
        for pattern, replacement in LIKE:
            if pattern.match(path): return self.sections.get(pattern.sub(replacement, path))
        return None


def file_name(link):
    """A file's name for a link. `zip(_:_:)` and `zip(_:_:_:)` have the same letters; the hash tells them apart."""
    return re.sub(r"[^A-Za-z0-9]+", "-", link).strip("-") + "-" + link_hash(link)


def other_operators(path, sections, symbols, examples):
    """Links to the operators that the code of an example calls besides its own; not to those of which several overloads fit."""
    own, found = re.split(r"[/(]", path)[1:2], collections.OrderedDict()
    for code in re.findall(r"```swift\n(.*?)```", "\n".join(sections), re.S):
        for name, argument in re.findall(r"\.(\w+)(?:\((?:(\w+):(?!:))?| \{)", code):
            if [name] == own or name == "subscribe": continue
            fitting = [
                link for candidate in examples.sections
                if re.match(rf"ObservableType/{name}\({argument or '_'}:", candidate) or candidate == f"ObservableType/{name}()"
                for link in symbols.links(candidate)]
            if len(fitting) == 1: found[fitting[0]] = None
    return "\nOther operators in it: " + ", ".join(f"``RxSwift/{link}``" for link in found) + ".\n" if found else ""


def write_example(link, sections, output):
    (output / f"{file_name(link)}.md").write_text(f"# ``RxSwift/{link}``\n\n## Example\n\n" + "\n".join(sections))


def write_operators(symbols, examples, output):
    missing, groups = [], collections.OrderedDict((name, []) for name in GROUPS)
    for path, folders in symbols.operators():
        sections = examples.of(path)
        if sections is None:
            missing.append(path)
            continue
        sections = [*sections, other_operators(path, sections, symbols, examples)]
        for link in symbols.links(path):
            write_example(link, sections, output)
            group = next((name for name in GROUPS if name in folders), None)
            if group and path.startswith("ObservableType/"): groups[group].append(link)
    if missing: die("no example in Tests/DocumentationTests/OperatorExamples for\n  " + "\n  ".join(missing))
    unknown = [path for path in examples.sections if not symbols.links(path)]
    # Symbols of other types are allowed; misspelt ones are not.
    if unknown: die("the examples name operators that do not exist:\n  " + "\n  ".join(unknown))
    for path, sections in examples.sections.items():
        if path.split("/")[0] not in OPERATOR_TYPES:
            for link in symbols.links(path): write_example(link, sections, output)
    topics = "".join(
        f"\n### {GROUPS[group]}\n\n" + "".join(f"- ``{link.split('/', 1)[1]}``\n" for link in links)
        for group, links in groups.items() if links)
    (output / "ObservableType.md").write_text(f"# ``RxSwift/ObservableType``\n\n## Topics\n{topics}")


def write_pictures(examples, output):
    resources = output / "Resources"
    resources.mkdir(exist_ok=True)
    for name, (rows, operator, inputs) in examples.pictures.items():
        for appearance in marbles.APPEARANCES:
            (resources / f"{name}{appearance}.svg").write_text(marbles.draw(rows, inputs, operator, appearance))


def site_links(text, articles):
    """Links between documents become links of the site; those to other files of the repository become plain code."""
    def replace(match):
        label, target = match[1], match[2]
        if re.match(r"https?:", target): return match[0]
        name = pathlib.PurePosixPath(target.split("#")[0]).stem
        if target.startswith("#"): return label
        if name in articles: return f"<doc:{name}>" if label.endswith(".md") else f"[{label}](doc:{name})"
        return f"`{target}`" if label.strip("`") in target else f"{label} (`{target}`)"
    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replace, text)


def write_documents(root, output, articles):
    for file in (root / "Sources/RxSwift/RxSwift.docc").glob("*.md"):
        (output / file.name).write_text(site_links(file.read_text(), articles))
    for name in DOCUMENTS:
        (output / f"{name}.md").write_text(site_links((root / f"{name}.md").read_text(), articles))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for option in ("--root", "--graphs", "--output"): parser.add_argument(option, type=pathlib.Path, required=True)
    options = parser.parse_args()
    if options.output.exists(): shutil.rmtree(options.output)
    shutil.copytree(options.root / "Sources/RxSwift/RxSwift.docc", options.output)
    articles = {file.stem for file in options.output.glob("*.md")} | set(DOCUMENTS)
    symbols, examples = Symbols(options.graphs), Examples(options.root)
    write_operators(symbols, examples, options.output)
    write_pictures(examples, options.output)
    write_documents(options.root, options.output, articles)
    print(f"Tools/site: {len(examples.sections)} operators with examples, {len(examples.pictures)} marble pictures")


main()
