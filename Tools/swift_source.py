"""What the checks read of a Swift file: its code without comments and text, and the names it declares."""
import os
import re


def swift_files(root, folders):
    """Paths, relative to root, of the Swift files below the given folders; hidden folders (builds) are left out."""
    found = []
    for folder in folders:
        for path, directories, names in os.walk(os.path.join(root, folder)):
            directories[:] = sorted(name for name in directories if not name.startswith("."))
            found += [os.path.relpath(os.path.join(path, name), root) for name in names if name.endswith(".swift")]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def code_of(text):
    """The text with comments and string contents blanked. Line breaks stay, so line numbers hold; so does code inside
    string interpolations, because it uses names like any other code."""
    out = []
    position = 0
    length = len(text)

    def blank(piece):
        out.append(re.sub(r"[^\n]", " ", piece))

    def code(stop_at_parenthesis):
        """Copies code from `position`; inside an interpolation up to the parenthesis that closes it."""
        nonlocal position
        depth = 0
        while position < length:
            if text.startswith("//", position):
                end = text.find("\n", position)
                end = length if end < 0 else end
                blank(text[position:end])
                position = end
                continue
            if text.startswith("/*", position):
                block_comment()
                continue
            opening = re.compile(r'(#*)("""|")').match(text, position)
            if opening:
                string(opening)
                continue
            character = text[position]
            if stop_at_parenthesis:
                if character == "(":
                    depth += 1
                elif character == ")":
                    if depth == 0:
                        return
                    depth -= 1
            out.append(character)
            position += 1

    def block_comment():
        nonlocal position
        start, depth = position, 0
        for mark in re.compile(r"/\*|\*/").finditer(text, position):
            depth += 1 if mark[0] == "/*" else -1
            if depth == 0:
                position = mark.end()
                blank(text[start:position])
                return
        blank(text[start:])
        position = length

    def string(opening):
        nonlocal position
        hashes, quotes = opening[1], opening[2]
        closing, escape = quotes + hashes, "\\" + hashes
        blank(opening[0])
        position = opening.end()
        while position < length:
            if text.startswith(closing, position):
                blank(closing)
                position += len(closing)
                return
            if text.startswith(escape, position):
                after = position + len(escape)
                if text.startswith("(", after):
                    blank(escape + "(")
                    position = after + 1
                    code(stop_at_parenthesis=True)
                    if position < length:
                        blank(")")
                        position += 1
                else:
                    blank(text[position:after + 1])
                    position = after + 1
                continue
            if len(quotes) == 1 and text[position] == "\n":
                return  # not closed on its line: the compiler will complain, the checks go on
            blank(text[position])
            position += 1

    code(stop_at_parenthesis=False)
    return "".join(out)


DECLARATION = re.compile(
    r"\b(class|struct|enum|protocol|actor|typealias|func)\s+(?:`)?([A-Za-z_]\w*)"
)


def declarations(code):
    """(the names a file declares for the rest of its module, all the names it declares, nested ones included)."""
    visible, everything = set(), set()
    depth = 0
    position = 0
    for match in DECLARATION.finditer(code):
        depth += code.count("{", position, match.start()) - code.count("}", position, match.start())
        position = match.start()
        # Attributes may stand on lines of their own, access levels stand on the declaration's.
        modifiers = code[code.rfind("\n", 0, match.start()) + 1:match.start()].split()
        name = match[2]
        # `class func`, `class var`: here `class` is a modifier.
        if match[1] == "class" and name in ("func", "var", "let", "subscript", "override", "final"):
            continue
        # A member function does not hide a top-level one, a nested type does hide a type.
        if match[1] != "func" or depth == 0:
            everything.add(name)
        if depth == 0 and "private" not in modifiers and "fileprivate" not in modifiers:
            visible.add(name)
    return visible, everything


NAME = re.compile(r"[A-Za-z_]\w*")
IMPORT = re.compile(
    r"^[^\S\n]*((?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|fileprivate|private)\s+)*)import\s+"
    r"(?:(?:class|struct|enum|protocol|actor|typealias|func|let|var)\s+)?([A-Za-z_]\w*)",
    re.M,
)


def imports(code):
    """(line, attributes and access level, module) of each import."""
    return [(code.count("\n", 0, match.start(2)) + 1, match[1].split(), match[2]) for match in IMPORT.finditer(code)]


def used_names(code, modules):
    """{name: line of its first use} for the names in code that can stand for a declaration of the same module."""
    used = {}
    line, counted = 1, 0
    for match in NAME.finditer(code):
        name = match[0]
        if name in used:
            continue
        before = code[max(0, match.start() - 80):match.start()].rstrip()
        if before.endswith(".") and not before.endswith(".."):
            # A member of something else, unless what it is a member of is a module.
            owner = re.search(r"([A-Za-z_]\w*)\s*\.$", before)
            if not owner or owner[1] not in modules:
                continue
        if name[0].islower():
            # A label, or the name of a declaration: not a use of a top-level function.
            if re.match(r"\s*(?:[a-z_]\w*\s*)?:", code[match.end():match.end() + 80]):
                continue
            if re.search(r"\b(?:func|var|let|case)\s+$", code[max(0, match.start() - 20):match.start()]):
                continue
        line += code.count("\n", counted, match.start())
        counted = match.start()
        used[name] = line
    return used


ALLOWANCE = re.compile(r"//[^\S\n]*check:allow[^\S\n]+(\w+)(?:[^\S\n]+(\w+))?(?::[^\S\n]*(.*))?")


class Allowances:
    """The `// check:allow RULE [NAME]: REASON` comments of a file, and which of them were needed."""

    def __init__(self, text):
        # line, rule, name, reason, needed
        self.entries = [
            [text.count("\n", 0, match.start()) + 1, match[1], match[2], (match[3] or "").strip(), False]
            for match in ALLOWANCE.finditer(text)
        ]

    def allow(self, rule, name=None):
        for entry in self.entries:
            if entry[1] == rule and entry[2] in (None, name):
                entry[4] = True
                return True
        return False

    def faults(self, path, rules):
        """Complaints about allowances, of the given rules, that carry no reason or that nothing needs."""
        for line, rule, name, reason, needed in self.entries:
            if rule not in rules:
                continue
            if len(reason) < 10:
                yield f"{path}:{line}: 'check:allow {rule}' gives no reason: // check:allow {rule} NAME: why it has to be so"
            elif not needed:
                yield f"{path}:{line}: nothing needs this 'check:allow {rule}' any more; remove it"
