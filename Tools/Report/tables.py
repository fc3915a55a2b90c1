"""Markdown tables from kept results, and their places in documents."""
import re

# The rows in front: both sides do the same work with the same operator or call.
FRONT = (
    ("PublishSubject.1to1.throughput", "OpenCombine PassthroughSubject", "subject, one observer"),
    ("zip.2.throughput", "OpenCombine zip", "zip of two subjects"),
    ("flatMap.just.x5.throughput", "OpenCombine flatMap(Just) x 5", "five flatMap to one element"),
    ("observeOn.serial.throughput", "OpenCombine receive(on:)", "hop to a serial queue"),
    ("values.suspend.oneByOne", "AsyncStream", "elements to an async sequence"),
    ("timer.arm.dispose", "DispatchSource timer", "timer armed and disposed of"),
    ("schedule.fromOutside", "NIO execute", "task to an event loop"),
    ("tcp.echo.64connections.throughput", "NIO echo server", "TCP echo, 64 connections"),
)
# Rows whose sides differ in more than the library: by name, or by name and peer.
SUBSTITUTES = {
    "merge.4.throughput": "another operator", "combineLatest.2.throughput": "another operator",
    "ReplaySubject16.1to1.throughput": "another operator", "shareReplay1.1to1.throughput": "another operator",
    "create.12stages.throughput": "another source", "text.wordCount.top10": "another pipeline",
    "reusableJob.fromOutside": "reused job, allocated closure", "reusableJob.fromWithin": "reused job, allocated closure",
    "handOff.schedule": "spins, peer sleeps", "handOff.reusableJob": "spins, peer sleeps",
    "timer.loop.lateness": "1,000,000 timers, peer 100,000", "range.map.filter.reduce": "another source",
}


def nanoseconds(value):
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def ratio(value):
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def span(row):
    return f"{ratio(row['low'])}–{ratio(row['high'])}"


def microseconds(value):
    value /= 1000
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def bar(row):
    return f"{row['bar']:g}x" if row.get("bar") else ""


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def origin(kept, row):
    run = kept["runs"][row["run"]]
    return f"{run['date'][:10]}, {run['processes']}"


def throughput(kept):
    return table(
        ("workload", "peer", "ours, ns", "peer, ns", "ratio", "range", "bar", "mallocs", "run, processes", "not like for like"),
        [(f"`{row['name']}`", row["peerName"], nanoseconds(row["ours"]), nanoseconds(row["peer"]), ratio(row["ratio"]), span(row),
          bar(row), "" if row["mallocs"] is None else f"{row['mallocs']:.3f}" if 0.0005 < row["mallocs"] < 0.1
          else f"{row['mallocs']:.1f}", origin(kept, row), SUBSTITUTES.get(row["name"], "")) for row in kept["results"]])


def latency(kept):
    rows = []
    for row in kept["latencies"]:
        ends = (f"p{row['comparedPercentile']:g}: {row['ratio']:.2f}", bar(row), origin(kept, row), SUBSTITUTES.get(row["name"], ""))
        for number, side in enumerate(side for side in (row["ours"], row["peer"], row["baseline"]) if side):
            rows.append((f"`{row['name']}`" if number == 0 else "", side["name"],
                         *(microseconds(side[field]) for field in ("p50", "p99", "p999", "maximum")),
                         *(ends if number == 0 else ("",) * 4)))
    return table(("latency, µs", "", "p50", "p99", "p99.9", "max", "ratio", "bar", "run, processes", "not like for like"), rows)


class MissingRow(Exception):
    """A document shows a row that the kept results lack."""


def load(kept, name):
    row = next((row for row in kept["loads"] if row["name"] == name), None)
    if row is None: raise MissingRow(f"the results of {kept['kind']} lack the row '{name}'; run Tools/bench --keep --filter {name}")
    ours = row["sides"][0]
    return table(
        (f"`{name}`, {ours['capacity'] / 1e6:.1f} M/s ({origin(kept, row)})", "p50, µs", "p99", "p99.9", "max", "queued"),
        [(f"{level['factor']:.1f}", *(f"{level['latency'][field] / 1000:.0f}" for field in ("p50", "p99", "p999", "maximum")),
          f"{level['longestQueue']:,}") for level in ours["levels"]])


def losses(kept):
    rows = [(f"`{row['name']}`", row["peerName"], ratio(row["ratio"]), span(row)) for row in kept["results"] if row["ratio"] < 1]
    rows += [(f"`{row['name']}`", row["peer"]["name"], ratio(row["ratio"]), span(row)) for row in kept["latencies"] if row["ratio"] < 1]
    return table(("workload", "peer that is faster", "ratio", "range"), rows)


def missed(kept):
    """The rows that are below their bars, behind a line that counts them."""
    barred = [(row, row["peerName"]) for row in kept["results"]] + [(row, row["peer"]["name"]) for row in kept["latencies"] if row["peer"]]
    barred = [(row, peer) for row, peer in barred if row.get("bar")]
    below = [(f"`{row['name']}`", peer, ratio(row["ratio"]), span(row), bar(row)) for row, peer in barred if row["ratio"] < row["bar"]]
    return f"{len(below)} of {len(barred)} bars are missed:\n\n" + table(("workload", "peer", "ratio", "range", "bar"), below)


def limits(kept):
    """Figures that have a limit, each beside the peer's, with its unit behind it."""
    def amount(value):
        return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
    return table(("figure", "limit", "ours", "beside it", "unit", "run, processes"), [
        (f"`{row['name']}`", f"{row['limit']:,g}", amount(row["ours"]), f"{row['peerName']}: {amount(row['peer'])}", row["unit"],
         origin(kept, row)) for row in kept["figures"] if row["limit"] is not None])


def front_rows(kept):
    """The rows in front that were kept, each with its label."""
    found = {(row["name"], row["peerName"]): row for row in kept["results"]}
    return [(label, found[name, peer]) for name, peer, label in FRONT if (name, peer) in found]


def figures(kept):
    return table(("workload", "peer", "ratio", "range"), [
        (label, row["peerName"], ratio(row["ratio"]), span(row)) for label, row in front_rows(kept)])


TABLES = {"throughput": throughput, "latency": latency, "load": load, "losses": losses, "missed": missed, "limits": limits}
PLACE = re.compile(r"(?P<begin><!-- (?:table: (?P<name>.+?)|figures) -->\n)(?P<old>.*?)(?P<end><!-- end(?: figures)? -->)", re.S)


def rebuild(text, kept):
    """The document with all tables between markers made anew. An unknown table's name is an error."""
    def replace(match):
        if match["name"] is None:
            return match["begin"] + figures(kept) + "\n" + match["end"]
        name, *arguments = match["name"].split()
        if name not in TABLES:
            raise ValueError(f"no table is named '{name}'; the tables are: {', '.join(TABLES)}")
        return match["begin"] + TABLES[name](kept, *arguments) + "\n" + match["end"]
    return PLACE.sub(replace, text)
