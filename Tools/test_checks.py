"""Proves that the checks find what they are for: each test seeds a small tree with one violation, or with none."""
import os
import subprocess
import tempfile
import unittest

import house_rules
import layering
import swift_source

CLEAN = {
    "Sources/RxPrimitives/Atomics.swift": "import Synchronization\npackage struct AtomicWord {}\n",
    "Sources/RxSwift/Core/Observable.swift": "internal import RxPrimitives\npublic class Observable<Element> {}\n",
    "Sources/RxSwift/Scheduling/RunQueue.swift": "final class RunQueue<Element> {}\nprivate struct State {}\n",
    "Sources/RxSwift/Operators/Filter/Map.swift": "final class MapSink { let queue: RunQueue<Int>? = nil }\nfunc fuse() {}\n",
    "Sources/RxSwift/Diagnostics/Resources.swift": "public enum Resources { static func add(_ o: Observable<Int>) {} }\n",
    "Sources/RxRelay/Relay.swift": "@_exported import RxSwift\n",
}


class CheckTestCase(unittest.TestCase):
    def faults(self, check, changes):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **changes}.items():
                place = os.path.join(root, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "w", encoding="utf-8") as file:
                    file.write(text)
            return check(root)

    def assertOneFault(self, check, changes, *pieces):
        faults = self.faults(check, changes)
        self.assertEqual(len(faults), 1, faults)
        for piece in pieces:
            self.assertIn(piece, faults[0])

    def assertClean(self, check, changes):
        self.assertEqual(self.faults(check, changes), [])


class Layering(CheckTestCase):
    def test_a_clean_tree_passes(self):
        self.assertClean(layering.check, {})

    def test_an_arrow_up_names_file_line_name_and_both_folders(self):
        self.assertOneFault(
            layering.check, {"Sources/RxSwift/Core/Sink.swift": "\nclass Sink { let queue: RunQueue<Int> }\n"},
            "Sources/RxSwift/Core/Sink.swift:2:", "Core uses RunQueue of Scheduling", "Sources/RxSwift/Scheduling/RunQueue.swift")

    def test_a_top_level_function_counts(self):
        self.assertOneFault(layering.check, {"Sources/RxSwift/Scheduling/A.swift": "func run() { fuse() }\n"}, "fuse of Operators")

    def test_two_folders_within_a_layer_do_not_use_each_other(self):
        self.assertOneFault(
            layering.check, {
                "Sources/RxSwift/Operators/Time/Later.swift": "struct Later { let sooner: Sooner }\n",
                "Sources/RxSwift/Operators/Share/Sooner.swift": "struct Sooner { var later: [Later] }\n",
            }, "uses Later of", "uses Sooner of", "use each other")

    def test_a_name_inside_string_interpolation_counts(self):
        self.assertOneFault(
            layering.check, {"Sources/RxSwift/Core/A.swift": 'let a = "x \\(RunQueue<Int>.self) y"\n'}, "RunQueue of Scheduling")

    def test_names_in_comments_and_strings_do_not_count(self):
        self.assertClean(layering.check, {
            "Sources/RxSwift/Core/A.swift": '// RunQueue\n/* RunQueue /* RunQueue */ RunQueue */\nlet a = "RunQueue \\" RunQueue"\nlet b = """\n  RunQueue "RunQueue" \n  """\nlet c = #"RunQueue " RunQueue"#\n'})

    def test_members_labels_and_declarations_of_the_same_name_do_not_count(self):
        self.assertClean(layering.check, {
            "Sources/RxSwift/Core/A.swift": "struct A { func fuse() {} }\nfunc b(fuse x: Int) { A().fuse(); b(fuse: 1) }\n"})

    def test_a_name_behind_its_module_counts(self):
        self.assertOneFault(layering.check, {"Sources/RxSwift/Core/A.swift": "typealias A = RxSwift.RunQueue<Int>\n"}, "RunQueue")

    def test_private_and_nested_declarations_are_not_owners(self):
        self.assertClean(layering.check, {"Sources/RxSwift/Core/A.swift": "struct A { enum State {}; let s: State }\n"})

    def test_a_files_own_nested_type_hides_the_other(self):
        self.assertClean(layering.check, {"Sources/RxSwift/Core/A.swift": "struct A { struct RunQueue {}; let d: RunQueue }\n"})

    def test_a_name_of_several_files_of_one_folder_counts(self):
        self.assertOneFault(layering.check, {
            "Sources/RxSwift/Operators/A.swift": "func fuse(_ a: Int) {}\n",
            "Sources/RxSwift/Core/B.swift": "let b: Void = fuse()\n"}, "fuse of Operators")

    def test_attributes_and_modifiers_do_not_hide_a_declaration(self):
        self.assertOneFault(layering.check, {
            "Sources/RxSwift/Traits/T.swift": "@frozen\n@usableFromInline\n@available(*, deprecated) package final class Trait {}\n",
            "Sources/RxSwift/Operators/B.swift": "let b: Trait? = nil\n"}, "Trait of Traits")

    def test_everyone_may_use_diagnostics(self):
        self.assertClean(layering.check, {"Sources/RxSwift/Core/A.swift": "let a = Resources.self\n"})

    def test_diagnostics_may_use_only_core(self):
        self.assertOneFault(
            layering.check, {"Sources/RxSwift/Diagnostics/A.swift": "let a: RunQueue<Int>? = nil\n"}, "Diagnostics uses RunQueue of Scheduling")

    def test_a_file_outside_the_layers_fails(self):
        self.assertOneFault(layering.check, {"Sources/RxSwift/Utils/A.swift": "\n"}, "stands in no layer")

    def test_an_import_that_points_back_fails(self):
        self.assertOneFault(
            layering.check, {"Sources/RxPrimitives/A.swift": "@preconcurrency public import struct RxSwift.RunQueue\n"},
            "RxPrimitives imports RxSwift")

    def test_siblings_may_not_import_each_other(self):
        self.assertOneFault(layering.check, {"Sources/RxTest/A.swift": "import RxBlocking\n"}, "RxTest imports RxBlocking")

    def test_an_unknown_module_fails(self):
        self.assertOneFault(layering.check, {"Sources/RxNew/A.swift": "\n"}, "unknown module")

    def test_an_allowance_needs_a_reason(self):
        use = "let a: RunQueue<Int>? = nil\n"
        self.assertClean(layering.check, {
            "Sources/RxSwift/Core/A.swift": "// check:allow layering RunQueue: the queue hands out its own jobs\n" + use})
        self.assertOneFault(
            layering.check, {"Sources/RxSwift/Core/A.swift": "// check:allow layering RunQueue\n" + use}, "gives no reason")
        faults = self.faults(
            layering.check, {"Sources/RxSwift/Core/A.swift": "// check:allow layering Other: the queue needs it\n" + use})
        self.assertEqual(len(faults), 2, faults)

    def test_an_allowance_that_nothing_needs_fails(self):
        self.assertOneFault(
            layering.check, {"Sources/RxSwift/Core/A.swift": "// check:allow layering RunQueue: it was needed once\n"}, "remove it")


class HouseRules(CheckTestCase):
    def test_a_clean_tree_passes(self):
        self.assertClean(house_rules.check, {})

    def test_a_file_of_400_lines_passes_and_one_more_does_not(self):
        self.assertClean(house_rules.check, {"Tests/A.swift": "\n" * 400})
        self.assertOneFault(house_rules.check, {"Tests/A.swift": "\n" * 401}, "Tests/A.swift:401:", "401 lines")
        self.assertClean(house_rules.check, {
            "Tests/A.swift": "// check:allow length: one table, a row per operator\n" + "\n" * 401})

    def test_generated_files_may_be_long_but_say_what_they_are(self):
        self.assertClean(house_rules.check, {"Sources/A+arity.swift": "// Generated by Tools/generate-arity; do not edit.\n" + "\n" * 900})
        self.assertOneFault(house_rules.check, {"Sources/A+arity.swift": "\n" * 900}, "Generated by")

    def test_one_door_to_atomics(self):
        for line in ("import Synchronization", "public import struct Synchronization.Atomic", "@_spi(X) import Synchronization"):
            for path in ("Sources/RxSwift/Core/A.swift", "Tests/A.swift", "Sources/RxPrimitives/Queue.swift"):
                self.assertOneFault(house_rules.check, {path: line + "\n"}, path, "Synchronization")
        self.assertClean(house_rules.check, {"Benchmarks/A.swift": "import Synchronization\n"})

    def test_foundation_only_where_the_list_says_why(self):
        path = "Sources/RxSwift/Core/A.swift"
        importing = {path: "import Foundation\n"}
        self.assertOneFault(house_rules.check, importing, path, "Foundation")
        self.assertClean(house_rules.check, {path: "import FoundationEssentials\n", "Tests/A.swift": "import Foundation\n"})
        self.assertClean(house_rules.check, {**importing, "Tools/foundation-allowed.txt": f"# text\n{path}: wraps an OperationQueue\n"})
        self.assertOneFault(house_rules.check, {**importing, "Tools/foundation-allowed.txt": f"{path}:\n"}, "no reason")
        self.assertOneFault(house_rules.check, {"Tools/foundation-allowed.txt": f"{path}: wraps an OperationQueue\n"}, "remove the line")

    def test_testable_imports_fail(self):
        self.assertOneFault(house_rules.check, {"Tests/A.swift": "@testable import RxSwift\n"}, "@testable")

    def test_imports_in_comments_do_not_count(self):
        self.assertClean(house_rules.check, {"Tests/A.swift": "// import Synchronization\n/*\nimport Synchronization\n*/\n"})

    def test_unfinished_notes_fail_in_sources_and_scripts(self):
        note = "TO" "DO"
        self.assertOneFault(house_rules.check, {"Sources/C/a.c": f"\n// {note}: it\n"}, "a.c:2:")
        self.assertOneFault(house_rules.check, {"Tools/run": f"# {note}\n"}, "Tools/run:1:")
        self.assertOneFault(house_rules.check, {"Tests/A.swift": "// FIX" "ME\n"}, "Tests/A.swift:1:")

    def test_a_format_suppression_needs_its_reason(self):
        line = "// swift-format-ignore: NeverForceUnwrap\n"
        self.assertOneFault(house_rules.check, {"Tests/A.swift": "let a = 1\n" + line}, "Tests/A.swift:2:")
        self.assertClean(house_rules.check, {"Tests/A.swift": "// it is there by construction\n" + line})


class Format(unittest.TestCase):
    """A configuration that names only some rules switches the others off: then the lint passes on everything."""

    def lint(self, text):
        configuration = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), ".swift-format")
        run = subprocess.run(
            ["swift", "format", "lint", "--strict", "--configuration", configuration, "-"],
            input=text, capture_output=True, text=True)
        return run.returncode, run.stderr

    def test_well_formatted_code_passes(self):
        self.assertEqual(self.lint("struct A {\n    let a: [Int]\n}\n")[0], 0)

    def test_badly_formatted_code_fails(self):
        for text, rule in (
            ("let a = 1;\n", "DoNotUseSemicolons"),
            ("struct A {\n  let a: Int\n}\n", "Indentation"),
            ("let a = " + "1 + " * 30 + "1\n", "LineLength"),
            ("let a: Array<Int>? = nil\n", "UseShorthandTypeNames"),
        ):
            status, messages = self.lint(text)
            self.assertNotEqual(status, 0, rule)
            self.assertIn(rule, messages)


class Source(unittest.TestCase):
    def test_line_numbers_survive(self):
        text = 'a /* \n */ b // c\n"""\n d \\(e(")")\n) \n""" f'
        code = swift_source.code_of(text)
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertEqual(code.split(), ["a", "b", "e(", ")", "f"])

    def test_class_as_a_modifier_declares_nothing(self):
        visible, everything = swift_source.declarations("open class A { class func make() {} ; class var b: Int { 1 } }")
        self.assertEqual((visible, everything), ({"A"}, {"A"}))


if __name__ == "__main__":
    unittest.main()
