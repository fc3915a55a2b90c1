"""Pictures of kept results: SVG with text as text, the same bytes in every run."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

import tables

THEMES = {
    "": {"text": "#1f2328", "muted": "#59636e", "grid": "#d1d9e0", "ground": "#ffffff"},
    "-dark": {"text": "#f0f6fc", "muted": "#9198a1", "grid": "#3d444d", "ground": "#0d1117"},
}
PEERS = (("OpenCombine", "#8250df"), ("NIO", "#d4760a"), ("AsyncStream", "#1a9850"), ("", "#2f81f7"))
SIDES = ("#2f81f7", "#d4760a", "#8b949e")


def color_of(peer):
    return next(color for start, color in PEERS if peer.startswith(start))


def canvas(theme, height, panels=1):
    matplotlib.rcParams.update({
        "svg.hashsalt": "swift-rx", "svg.fonttype": "none", "font.size": 9.5, "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"], "text.color": theme["text"], "axes.labelcolor": theme["text"],
        "xtick.color": theme["muted"], "ytick.color": theme["text"], "axes.edgecolor": theme["grid"],
        "axes.facecolor": theme["ground"], "figure.facecolor": theme["ground"], "axes.titlecolor": theme["text"],
    })
    figure, axes = plt.subplots(1, panels, figsize=(800 / 96, height / 96), squeeze=False, layout="constrained")
    for axis in axes[0]:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(True, color=theme["grid"], linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, axes[0]


def throughput(kept, theme):
    rows = tables.front_rows(kept)[::-1]
    figure, (axis,) = canvas(theme, 440)
    values = [row["ratio"] for _, row in rows]
    errors = [[row["ratio"] - row["low"] for _, row in rows], [row["high"] - row["ratio"] for _, row in rows]]
    axis.barh(range(len(rows)), values, height=0.62, color=[color_of(row["peerName"]) for _, row in rows], xerr=errors,
              error_kw={"ecolor": theme["text"], "capsize": 3, "elinewidth": 1.2})
    axis.set_yticks(range(len(rows)), [f"{label}\nagainst {row['peerName']}" for label, row in rows], fontsize=8.5)
    limit = max(row["high"] for _, row in rows)
    for index, (_, row) in enumerate(rows):
        axis.text(row["high"] + limit * 0.015, index, f"{tables.ratio(row['ratio'])}x", va="center")
    axis.axvline(1, color=theme["text"], linewidth=1)
    axis.set_xlim(0, limit * 1.12)
    axis.grid(False, axis="y")
    axis.set_title("Time of the peer divided by time of swift-rx; 1 is equal", loc="left", fontsize=10.5)
    axis.set_xlabel("median ratio and its range over fresh processes")
    return figure


def latency(kept, theme):
    panels = [(title, row) for title, name in (
        ("Hand-off: ours spins", "handOff.schedule"), ("Lateness of timers", "timer.loop.lateness"),
        ("TCP echo, 64 connections", "tcp.echo.64connections.latency"))
        for row in [next((row for row in kept["latencies"] if row["name"] == name), None)] if row]
    figure, axes = canvas(theme, 360, len(panels))
    for axis, (title, row) in zip(axes, panels):
        for side, color in zip((row["ours"], row["peer"], row["baseline"]), SIDES):
            if side:
                # A distance of 100 - percentile from the end, on a logarithmic axis: 50, 10, 1, 0.1 and 0.01 per cent are slower.
                points = [(100 - percentile, ns / 1000) for percentile, ns in side["curve"] if 50 <= percentile < 100]
                axis.plot(*zip(*points), color=color, marker="o", markersize=3, label=side["name"])
        axis.set(xscale="log", yscale="log")
        axis.invert_xaxis()
        axis.set_xticks([50, 10, 1, 0.1, 0.01], ["50", "90", "99", "99.9", "99.99"], fontsize=8)
        axis.minorticks_off()
        axis.set_title(title, fontsize=8, loc="left")
        axis.set_xlabel("percentile", fontsize=8.5)
        axis.legend(frameon=False, fontsize=8, labelcolor=theme["text"])
    axes[0].set_ylabel("µs")
    return figure


def growth(kept, theme):
    figure, axes = canvas(theme, 360, len(kept["loads"]))
    for axis, row in zip(axes, kept["loads"]):
        levels = row["sides"][0]["levels"]
        for field, label, color in (("p50", "p50", SIDES[0]), ("p99", "p99", SIDES[1]), ("p999", "p99.9", SIDES[2])):
            axis.plot([level["factor"] for level in levels], [level["latency"][field] / 1000 for level in levels],
                      marker="o", markersize=4, color=color, label=label)
        axis.axvline(1, color=theme["muted"], linewidth=1, linestyle="--")
        axis.set_yscale("log")
        axis.set_title(f"{row['name']}, {row['sides'][0]['capacity'] / 1e6:.1f} M/s", fontsize=8, loc="left")
        axis.set_xlabel("offered rate, times the capacity", fontsize=8.5)
        axis.legend(frameon=False, fontsize=8, labelcolor=theme["text"])
    axes[0].set_ylabel("latency, µs")
    return figure


PICTURES = {"throughput": throughput, "latency": latency, "growth": growth}


def draw(kept, folder):
    """Draws every picture that the kept results have rows for, light and dark."""
    folder.mkdir(parents=True, exist_ok=True)
    needs = {"throughput": tables.front_rows(kept), "latency": kept["latencies"], "growth": kept["loads"]}
    for name, make in PICTURES.items():
        for suffix, theme in THEMES.items():
            if needs[name]:
                figure = make(kept, theme)
                figure.savefig(folder / f"{name}{suffix}.svg", metadata={"Date": None, "Creator": None}, facecolor=theme["ground"])
                plt.close(figure)
