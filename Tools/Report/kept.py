"""Kept results: one JSON file per kind of machine, merged row by row from the JSON files of fresh processes."""
import json
import pathlib
import re
import statistics

# A read-modify-write takes about 5 ns on one known kind of machine and 10 to 12 ns on the other.
DEAR_ATOMIC_NANOSECONDS = 8
SECTIONS = ("results", "latencies", "loads", "figures")
PERCENTILES = (0, 5, 10, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.8, 99.9, 99.95, 99.99, 100)


def kind_of(machine):
    """The kind of a machine: its processor, its number of cores, and whether its atomics are dear."""
    processor = re.sub(r"[^a-z0-9]+", "-", machine["processor"].lower()).strip("-")
    dear = "-dear-atomics" if machine["atomicNanoseconds"] >= DEAR_ATOMIC_NANOSECONDS else ""
    return f"{processor}-{machine['cores']}cores{dear}"


def key_of(row):
    """The identity of a row across runs: its name, with the peer where several rows share the name."""
    peer = row.get("peerName") or (row["peer"]["name"] if isinstance(row.get("peer"), dict) else "")
    return row["name"], peer


def rounded(number):
    """The number with four significant digits."""
    return None if number is None else float(f"{number:.4g}")


def distribution(side):
    """A side's percentiles and its curve, thinned to fixed percentiles."""
    curve = sorted((point["percentile"], point["nanoseconds"]) for point in side["curve"])
    thinned = [[wanted, next((ns for percentile, ns in curve if percentile >= wanted), side["maximum"])] for wanted in PERCENTILES]
    return {
        "name": side["name"], "samples": side["samples"], "p50": side["p50"], "p99": side["p99"],
        "p999": side["p999"], "maximum": side["maximum"], "curve": thinned,
    }


def spread(rows):
    """The median ratio of the processes and its range; the range over rounds if there is one process."""
    ratios = [row["ratio"] for row in rows]
    low, high = (min(ratios), max(ratios)) if len(rows) > 1 else (rows[0]["ratioMinimum"], rows[0]["ratioMaximum"])
    return {"ratio": rounded(statistics.median(ratios)), "low": rounded(low), "high": rounded(high)}


def middle(rows, value):
    """The row whose value is the (lower) median."""
    return sorted(rows, key=value)[(len(rows) - 1) // 2]


def merge_result(rows):
    mallocs = [row["mallocsPerEvent"] for row in rows if row.get("mallocsPerEvent") is not None]
    return {
        **{field: rows[0][field] for field in ("area", "name", "peerName", "unit")},
        "bar": rows[0].get("bar"), **spread(rows),
        "ours": rounded(statistics.median(row["oursNanoseconds"] for row in rows)),
        "peer": rounded(statistics.median(row["peerNanoseconds"] for row in rows)),
        "mallocs": rounded(statistics.median(mallocs)) if mallocs else None,
    }


def merge_latency(rows):
    row = middle(rows, lambda row: row["ratio"])
    return {
        **{field: row[field] for field in ("area", "name", "unit", "comparedPercentile")},
        "bar": row.get("bar"), **spread(rows), "ours": distribution(row["ours"]), "peer": distribution(row["peer"]),
        "baseline": distribution(row["baseline"]) if row.get("baseline") else None,
    }


def merge_load(rows):
    row = middle(rows, lambda row: row["sides"][0]["capacity"])
    sides = [
        {"name": side["name"], "capacity": rounded(side["capacity"]), "levels": [
            {**{field: rounded(level[field]) for field in ("factor", "offered", "sent", "megabytes", "overrun")},
             "longestQueue": level["longestQueue"], "latency": distribution(level["latency"])}
            for level in side["levels"]]}
        for side in row["sides"]]
    return {"area": row["area"], "name": row["name"], "memoryLimit": row.get("memoryLimit"), "sides": sides}


def merge_figure(rows):
    return {
        **{field: rows[0][field] for field in ("area", "name", "unit", "peerName")}, "limit": rows[0].get("limit"),
        "ours": rounded(statistics.median(row["ours"] for row in rows)),
        "peer": rounded(statistics.median(row["peer"] for row in rows)),
    }


MERGERS = dict(zip(SECTIONS, (merge_result, merge_latency, merge_load, merge_figure)))


def merge(kept, processes, commit, kind):
    """Replaces in `kept` the rows that the processes ran; each row names its own run."""
    first = processes[0]
    machine = first["machine"]
    atomics = [process["machine"]["atomicNanoseconds"] for process in processes]
    kept = kept or {"kind": kind, "runs": {}, **{section: [] for section in SECTIONS}}
    kept["machine"] = {"processor": machine["processor"], "cores": machine["cores"], "memoryGiB": machine["memoryGiB"],
                       "atomicNanoseconds": rounded(statistics.median(atomics))}
    for section in SECTIONS:
        found = {}
        for process in processes:
            for row in process.get(section) or []:
                found.setdefault(key_of(row), []).append(row)
        for key, rows in found.items():
            run = f"{first['date'][:10]} {commit} x{len(rows)}"
            kept["runs"][run] = {
                "date": first["date"], "commit": commit, "processes": len(rows), "kernel": machine["system"],
                "toolchain": first["toolchain"], "roundsPerRow": first["roundsPerRow"]}
            place(kept[section], {**MERGERS[section](rows), "run": run})
    used = {row["run"] for section in SECTIONS for row in kept[section]}
    kept["runs"] = {run: kept["runs"][run] for run in sorted(used)}
    return kept


def place(rows, row):
    """Replaces the row with the same key, or inserts the row behind the last one of its area."""
    same = [index for index, old in enumerate(rows) if key_of(old) == key_of(row)]
    if same:
        rows[same[0]] = row
        return
    neighbors = [index for index, old in enumerate(rows) if old["area"] == row["area"]]
    rows.insert(neighbors[-1] + 1 if neighbors else len(rows), row)


class BrokenFile(Exception):
    """A file among the kept results that holds none, or that was damaged."""


def load(path):
    """The kept results in a file; None if there is no such file."""
    path = pathlib.Path(path)
    if not path.exists(): return None
    try:
        kept = json.loads(path.read_text())
    except ValueError as error:
        raise BrokenFile(f"{path} is no JSON: {error}") from None
    if not isinstance(kept, dict): raise BrokenFile(f"{path} holds no kept results")
    for name, kind in (("kind", str), ("machine", dict), ("runs", dict), *((section, list) for section in SECTIONS)):
        if not isinstance(kept.get(name), kind): raise BrokenFile(f"{path} lacks '{name}'")
    for section in SECTIONS:
        for row in kept[section]:
            if not isinstance(row, dict) or not {"area", "name"} <= row.keys() or row.get("run") not in kept["runs"]:
                raise BrokenFile(f"{path}: a row of '{section}' lacks its area, name or run")
    return kept


def text_of(kept):
    """The file's text: one line per row, so that a difference in git names the rows that changed."""
    lines = [f' "kind": {json.dumps(kept["kind"])},', f' "machine": {json.dumps(kept["machine"])},', ' "runs": {']
    lines.append(",\n".join(f"  {json.dumps(name)}: {json.dumps(run)}" for name, run in kept["runs"].items()))
    lines.append(" },")
    for section in SECTIONS:
        lines.append(f' "{section}": [')
        lines.append(",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in kept[section]))
        lines.append(" ]" + ("," if section != SECTIONS[-1] else ""))
    return "{\n" + "\n".join(line for line in lines if line) + "\n}\n"
