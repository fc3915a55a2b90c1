#!/usr/bin/env python3
"""usage: Tools/rx-fuzz --io --mutants [--only TEXT] [--list]

Seeds one fault at a time (Tools/Simulator/mutants.txt) into a copy of the sources, builds the simulator there, and runs random programs until one
of them fails, at most 20,000. A mutant that none finds, or whose text is not to be found in the sources any more, is a failure.

  --only T  only mutants whose name contains T; may be given several times
  --list    only names the mutants
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Explorer"))
import mutants as explorer

MUTANTS = "Tools/Simulator/mutants.txt"
SCRATCH = os.path.join(explorer.ROOT, ".build-simulator", "mutants")
PARTS = ["Sources/CRxPrimitives", "Sources/RxPrimitives", "Sources/RxSwift", "Sources/CRxIOUring", "Sources/RxIOUring",
         "Tools/Model", "Tools/Explorer/Sources/RxPrimitives", "Tools/Simulator"]


def build(tree):
    """Returns what the compiler complains of, or None."""
    command = ["swift", "build", "--package-path", "Tools/Simulator", "--scratch-path", tree.path + "-build", "-c", "release", "--product", "IOFuzz"]
    status, output = tree.run(command, 1800)
    if status == 0:
        return None
    return "does not compile: " + next((line for line in output.splitlines() if "error:" in line), output[-200:])


def fuzz(tree, options):
    fuzzer = os.path.join(tree.path + "-build", "release", "IOFuzz")
    status, output = tree.run([fuzzer, *options, "--seed", "1", "--count", "20000", "--findings", "1", "--no-shrink"], 900)
    found = [line for line in output.splitlines() if line.startswith("FOUND: ")]
    if status != 1 or not found:
        return False, f"not found (exit code {status})"
    seed = next((line.split()[1].rstrip(":") for line in output.splitlines() if line.startswith("seed ") and ":" in line), "?")
    return True, f"{found[0][7:]} (seed {seed})"


def main():
    parser = argparse.ArgumentParser(prog="Tools/rx-fuzz --io --mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    found = [m for m in explorer.read_mutants(MUTANTS) if not options.only or any(text in m.name for text in options.only)]
    faults = explorer.check(found, MUTANTS) + explorer.check_parts(PARTS)
    for fault in faults:
        print(fault, file=sys.stderr)
    if options.list:
        for mutant in found:
            print(f"{mutant.name}: {mutant.kind}; {mutant.path}")
    if options.list or faults:
        return 1 if faults else 0
    if not found:
        print("Tools/rx-fuzz: no mutant's name contains that", file=sys.stderr)
        return 2
    tree, missed = explorer.Tree(0, PARTS, SCRATCH), 0
    for mutant in found:
        start = time.time()
        undo = tree.seed(mutant)
        try:
            fault = build(tree)
            is_found, text = (False, fault) if fault else fuzz(tree, mutant.options)
        finally:
            undo()
        missed += not is_found
        print(f"{mutant.name}: {'found: ' if is_found else ''}{text} [{time.time() - start:.0f} s]", flush=True)
    print(f"{len(found) - missed} of {len(found)} mutants found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
