"""Merging of processes, and formatting of tables between markers."""
import copy
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kept as results
import tables


def process(ratio, name="zip.2.throughput"):
    return {
        "date": "2026-01-02T03:04:05Z", "toolchain": "Swift", "roundsPerRow": 8,
        "machine": {"processor": "AMD EPYC", "cores": 2, "memoryGiB": 24, "system": "Linux", "atomicNanoseconds": 5.0},
        "results": [{
            "area": "combining", "name": name, "peerName": "OpenCombine zip", "unit": "event", "oursNanoseconds": 10.0,
            "peerNanoseconds": 10.0 * ratio, "ratio": ratio, "ratioMinimum": ratio - 1, "ratioMaximum": ratio + 1,
            "mallocsPerEvent": 0.0}],
    }


class ReportTests(unittest.TestCase):
    def test_ratio_is_the_median_of_processes_with_their_range(self):
        row = results.merge(None, [process(4), process(2), process(9)], "abc", "k")["results"][0]
        self.assertEqual((row["ratio"], row["low"], row["high"]), (4, 2, 9))

    def test_one_process_keeps_the_range_of_its_rounds(self):
        row = results.merge(None, [process(4)], "abc", "k")["results"][0]
        self.assertEqual((row["low"], row["high"]), (3, 5))

    def test_rows_that_did_not_run_stay_with_their_run(self):
        kept = results.merge(None, [process(4)], "abc", "k")
        before = copy.deepcopy(kept["results"][0])
        kept = results.merge(kept, [process(2, "merge.4.throughput")], "def", "k")
        self.assertEqual(kept["results"][0], before)
        self.assertEqual([kept["runs"][row["run"]]["commit"] for row in kept["results"]], ["abc", "def"])

    def test_runs_without_rows_are_dropped(self):
        kept = results.merge(results.merge(None, [process(4)], "abc", "k"), [process(2)], "def", "k")
        self.assertEqual([run["commit"] for run in kept["runs"].values()], ["def"])

    def test_kind_names_processor_cores_and_dear_atomics(self):
        machine = {"processor": "AMD EPYC 9R14", "cores": 4, "atomicNanoseconds": 11.0}
        self.assertEqual(results.kind_of(machine), "amd-epyc-9r14-4cores-dear-atomics")
        self.assertEqual(results.kind_of({**machine, "atomicNanoseconds": 5.0}), "amd-epyc-9r14-4cores")

    def test_tables_replace_only_the_text_between_markers(self):
        kept = results.merge(None, [process(4)], "abc", "k")
        text = "a\n<!-- figures -->\nold\n<!-- end figures -->\nb\n<!-- table: losses -->\n<!-- end -->\nc\n"
        new = tables.rebuild(text, kept)
        self.assertIn("| zip of two subjects | OpenCombine zip | 4.00 | 3.00–5.00 |", new)
        self.assertNotIn("old", new)
        self.assertEqual(tables.rebuild(new, kept), new)

    def test_a_file_without_kept_results_is_named_with_its_fault(self):
        complete = results.merge(None, [process(4)], "abc", "k")
        cases = {
            "{": "is no JSON", "": "is no JSON", "[1]": "no kept results",
            json.dumps({**complete, "runs": []}): "lacks 'runs'",
            json.dumps({key: value for key, value in complete.items() if key != "loads"}): "lacks 'loads'",
            json.dumps({**complete, "results": [{"name": "zip"}]}): "a row of 'results'",
            json.dumps({**complete, "runs": {}}): "a row of 'results'",
        }
        for text, fault in cases.items():
            with self.subTest(text=text[:40]), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "k.json"
                path.write_text(text)
                with self.assertRaisesRegex(results.BrokenFile, f"k.json.*{fault}"):
                    results.load(path)

    def test_unknown_table_is_an_error(self):
        with self.assertRaises(ValueError):
            tables.rebuild("<!-- table: none -->\n<!-- end -->", {})

    def test_a_table_names_the_row_that_it_misses(self):
        kept = results.merge(None, [process(4)], "abc", "k")
        with self.assertRaisesRegex(tables.MissingRow, "results of k.*'offered.load'.*--filter offered.load"):
            tables.rebuild("<!-- table: load offered.load -->\n<!-- end -->", kept)

    def test_substitutes_never_stand_in_front(self):
        self.assertFalse({name for name, *_ in tables.FRONT} & set(tables.SUBSTITUTES))

    def test_missed_bars_are_counted_among_the_rows_that_have_one(self):
        row = {"name": "a", "peerName": "b", "ratio": 1.5, "low": 1.0, "high": 2.0, "bar": 2}
        kept = {"results": [row, {**row, "name": "c", "bar": 1}, {**row, "name": "d", "bar": None}], "latencies": []}
        text = tables.missed(kept)
        self.assertIn("1 of 2 bars are missed", text)
        self.assertIn("| `a` | b | 1.50 | 1.00–2.00 | 2x |", text)

    def test_limits_show_only_figures_that_have_one(self):
        row = {"name": "a", "peerName": "b", "unit": "µs", "ours": 1233.0, "peer": 0.25, "run": "r", "limit": 3000}
        kept = {"runs": {"r": {"date": "2026-01-01T", "processes": 5}}, "figures": [row, {**row, "name": "c", "limit": None}]}
        table = tables.limits(kept)
        self.assertIn("| `a` | 3,000 | 1,233 | b: 0.25 | µs | 2026-01-01, 5 |", table)
        self.assertNotIn("`c`", table)

    def test_ratios_under_one_are_losses(self):
        kept = {**results.merge(None, [process(0.5)], "abc", "k")}
        self.assertIn("0.50", tables.losses(kept))


if __name__ == "__main__":
    unittest.main()
