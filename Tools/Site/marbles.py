"""Draws marble diagrams as SVG.

A picture has rows of text in which equal columns are equal times; Tests/TestSupport/OperatorExample.swift describes them.
"""
import dataclasses
import html

ROW_HEIGHT = 52
MARBLE_RADIUS = 14
CHARACTER_WIDTH = 7.6
MARGIN = 16

# Fills on which dark text can be read, in both appearances.
FILLS = ["#ffb4a2", "#b7e4c7", "#ffd670", "#cdb4db", "#f4a6c6", "#d4e09b", "#8ecae6", "#a9def9", "#e0c3a0", "#c6d8ff"]
# The characters that are no elements: the end, an error, a subscription, its disposal.
MARKS = "|#^!"
APPEARANCES = {
    "": {"line": "#424245", "text": "#1d1d1f", "box": "#f0f2f5", "border": "#86868b", "error": "#c9184a", "group": "#e3e7ec"},
    "~dark": {"line": "#b0b3b8", "text": "#f5f5f7", "box": "#2c2e33", "border": "#6e6e73", "error": "#ff6b81", "group": "#3a3d44"},
}


@dataclasses.dataclass
class Row:
    name: str
    diagram: str
    values: dict  # shared by all rows

    def events(self):
        """The events: their column, the place in their group, and the character."""
        found, group = [], None
        for column, character in enumerate(self.diagram):
            if character == "(":
                group = (column, 0)
            elif character == ")":
                group = None
            elif character != "-":
                if group:
                    found.append((group[0], group[1], character))
                    if character not in MARKS:
                        group = (group[0], group[1] + 1)
                else:
                    found.append((column, 0, character))
        return found

    def label(self, character):
        return self.values.get(character, character)


def parse(picture):
    rows, values = [], {}
    for line in picture.strip().splitlines():
        name, diagram, *rest = line.strip().split(None, 2)
        rows.append(Row(name.rstrip(":"), diagram, values))
        for value in rest[0].split(", ") if rest else []:
            character, text = value.strip().split(" = ")
            values[character] = text
    return rows


def text(x, y, content, colour, size=13, anchor="middle", family="-apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif", style=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}" '
            f'font-family="{family}"{style}>{html.escape(content)}</text>')


class Drawing:
    def __init__(self, rows, inputs, operator, appearance):
        self.rows, self.inputs, self.operator, self.colours = rows, inputs, operator, APPEARANCES[appearance]
        self.shapes = []
        self.left = MARGIN + max(len(row.name) for row in rows) * 7.2 + 18
        self.column = self.column_width()
        last = max(column + place for row in rows for column, place, _ in row.events()) if any(
            row.events() for row in rows) else 0
        last = max(last, max(len(row.diagram.rstrip("-")) for row in rows) - 1, max(
            len(row.diagram) - 1 for row in rows if not row.events()) if any(not row.events() for row in rows) else 0)
        self.width = max(self.left + (last + 2.4) * self.column + MARGIN, 340, len(operator) * CHARACTER_WIDTH + 4 * MARGIN)

    def column_width(self):
        """Wide enough that no marble covers the next."""
        width = 24.0
        for row in self.rows:
            marbles = [event for event in row.events() if event[2] not in MARKS]
            for (first, place, one), (second, next_place, other) in zip(marbles, marbles[1:]):
                columns = (second + next_place) - (first + place)
                needed = (self.marble_width(row.label(one)) + self.marble_width(row.label(other))) / 2 + 5
                width = max(width, needed / max(columns, 1))
        return width

    @staticmethod
    def marble_width(label):
        return max(2 * MARBLE_RADIUS, len(label) * CHARACTER_WIDTH + 14)

    @staticmethod
    def colour(character):
        """Different ones for the first letters, the first digits and the last letters: those of different sources."""
        return ord(character) - ord("1") + 6 if character.isdigit() else ord(character.lower()) - ord("a")

    def x(self, column):
        return self.left + 0.8 * self.column + column * self.column

    def axis(self, row, y):
        """From the subscription, if the row has one, to the disposal, or for ever."""
        start, end = self.left, self.width - MARGIN
        for column, _, character in row.events():
            if character == "^":
                start = x = self.x(column)
                self.shapes.append(f'<path d="M{x:.1f} {y + 3}L{x + 7:.1f} {y + 26}H{x - 7:.1f}Z" fill="{self.colours["line"]}"/>')
            elif character == "!":
                x = self.x(column)
                self.shapes.append(
                    f'<path d="M{start:.1f} {y}H{x - 5:.1f}" stroke="{self.colours["line"]}" stroke-width="1.6" fill="none"/>'
                    f'<circle cx="{x:.1f}" cy="{y}" r="5" stroke="{self.colours["line"]}" stroke-width="1.6" fill="none"/>')
                return
        self.shapes.append(
            f'<path d="M{start:.1f} {y}H{end - 2:.1f}M{end - 9:.1f} {y - 5}L{end:.1f} {y}L{end - 9:.1f} {y + 5}" '
            f'stroke="{self.colours["line"]}" stroke-width="1.6" fill="none"/>')

    def row(self, row, y):
        self.shapes.append(text(self.left - 12, y + 4.5, row.name, self.colours["text"], anchor="end"))
        self.axis(row, y)
        events = row.events()
        for column in sorted({column for column, place, character in events if place > 0 and character not in MARKS}):
            self.group([event for event in events if event[0] == column and event[2] not in MARKS], row, y)
        for column, place, character in events:
            x = self.x(column + place)
            if character == "|":
                alone = not any(event[:2] != (column, place) or event[2] != "|" for event in events if event[0] == column)
                # Behind the last marble of its group.
                at = self.x(column + place - 1) if place else x
                reach = 13 if alone else 19
                self.shapes.append(
                    f'<path d="M{at:.1f} {y - reach}V{y + reach}" stroke="{self.colours["line"]}" stroke-width="2.4"/>')
            elif character == "#":
                self.shapes.append(
                    f'<path d="M{x - 9:.1f} {y - 9}L{x + 9:.1f} {y + 9}M{x - 9:.1f} {y + 9}L{x + 9:.1f} {y - 9}" '
                    f'stroke="{self.colours["error"]}" stroke-width="3" stroke-linecap="round"/>')
        for column, place, character in events:
            if character not in MARKS:
                self.marble(self.x(column + place), y, row.label(character))

    def group(self, events, row, y):
        """A background for elements of the same time."""
        first, last = self.x(events[0][0] + events[0][1]), self.x(events[-1][0] + events[-1][1])
        left = first - self.marble_width(row.label(events[0][2])) / 2 - 4
        right = last + self.marble_width(row.label(events[-1][2])) / 2 + 4
        self.shapes.append(
            f'<rect x="{left:.1f}" y="{y - MARBLE_RADIUS - 4}" width="{right - left:.1f}" height="{2 * MARBLE_RADIUS + 8}" '
            f'rx="{MARBLE_RADIUS + 4}" fill="{self.colours["group"]}" stroke="{self.colours["border"]}" stroke-dasharray="3 3"/>')

    def marble(self, x, y, label):
        width = self.marble_width(label)
        fill = FILLS[sum(map(self.colour, label)) % len(FILLS)]
        self.shapes.append(
            f'<rect x="{x - width / 2:.1f}" y="{y - MARBLE_RADIUS}" width="{width:.1f}" height="{2 * MARBLE_RADIUS}" '
            f'rx="{MARBLE_RADIUS}" fill="{fill}" stroke="#3a3a3c" stroke-width="1.2"/>')
        self.shapes.append(text(x, y + 4.5, label, "#1d1d1f"))

    def box(self, y):
        self.shapes.append(
            f'<rect x="{MARGIN}" y="{y - 19}" width="{self.width - 2 * MARGIN:.1f}" height="38" rx="8" '
            f'fill="{self.colours["box"]}" stroke="{self.colours["border"]}"/>')
        self.shapes.append(text(
            self.width / 2, y + 4.5, self.operator, self.colours["text"], size=12.5,
            family="'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"))

    def svg(self, description):
        y = ROW_HEIGHT / 2 + 4
        for row in self.rows[: self.inputs]:
            self.row(row, y)
            y += ROW_HEIGHT
        self.box(y)
        for row in self.rows[self.inputs:]:
            y += ROW_HEIGHT
            self.row(row, y)
        height = y + ROW_HEIGHT / 2 + 4
        body = "\n".join(self.shapes)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{height:.0f}" '
                f'viewBox="0 0 {self.width:.0f} {height:.0f}" role="img">\n<title>{html.escape(description)}</title>\n{body}\n</svg>\n')


def draw(picture, inputs, operator, appearance):
    """Draws a picture whose first `inputs` rows stand above the operator, the others below it."""
    return Drawing(parse(picture), inputs, operator, appearance).svg(f"Marble diagram of {operator}")
