#!/usr/bin/env python3
"""usage: Tools/explore --mutants [--only TEXT] [--jobs N] [--list] [--ordinary] [--seconds S] [--markdown FILE]

Seeds one fault at a time (Tools/Explorer/mutants.txt) into a copy of the sources, builds the explorer there, and runs the scenarios named
beside the fault. A mutant that no scenario finds, or whose text is not to be found in the sources any more, is a failure.

  --only T      only mutants whose name contains T; may be given several times
  --jobs N      copies that are built at the same time, 1 without it
  --seconds S   for the scenarios of one mutant together, 20 without it
  --list        only names the mutants
  --ordinary    runs the ordinary tests named beside each mutant instead, three times, on the machine's own threads; says which of them fail
  --markdown F  also writes the table to a file
"""
import argparse
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRATCH = os.path.join(ROOT, ".build-explore", "mutants")
MUTANTS = "Tools/Explorer/mutants.txt"
# What a copy needs to build.
PARTS = ["Sources/CRxPrimitives", "Sources/RxPrimitives", "Sources/RxSwift", "Tools/Model", "Tools/Explorer"]


# Which scenarios (by the beginnings of their names) depend on a file. Mutants that do not disturb each other's scenarios are built together.
DRAIN = {"drain", "serializer", "subject", "share", "ref-count", "multicast", "operator", "create", "pressure.question", "pressure.fan-out"}
AFFECTED = {
    "DrainLoop.swift": DRAIN,
    "SPSCQueue.swift": {"queue.spsc", "run-queue", "pressure.queue", "pressure.hop"},
    "WorkStealingDeque.swift": {"queue.deque", "pool", "injector"},
    "RunQueue.swift": {"run-queue", "action-pool", "pressure.hop"},
    "ObserveOnSink.swift": {"run-queue", "pressure.hop"},
    "ObserveOnQueue.swift": {"run-queue", "pressure.hop"},
    "PausableSource.swift": {"pressure"},
    "PauseQuestion.swift": {"pressure.question", "pressure.fan-out"},
    "ActionPool.swift": {"action-pool"},
    "JobInjector.swift": {"injector", "pool"},
    "WorkerPool.swift": {"pool"},
    "PoolState.swift": {"pool"},
    "SingleAssignmentDisposable.swift": {"disposable.single"},
    "CompositeDisposable.swift": {"disposable.composite"},
    "RefCountDisposable.swift": {"disposable.ref-count"},
    "SerialDisposable.swift": {"disposable.serial"},
    "NaryDisposable.swift": {"disposable.closures"},
    "AnonymousDisposable.swift": {"disposable.closures", "share", "ref-count", "multicast", "create"},
    "DisposeBag.swift": {"disposable.bag"},
    "RefCount.swift": {"ref-count"},
    "RefCountStateMachine.swift": {"ref-count"},
    "Share.swift": {"share"},
    "SharedUpstream.swift": {"upstream-share"},
    "SharedUpstreamSubject.swift": {"upstream-share"},
    "ConnectionDemand.swift": {"share", "ref-count", "upstream-share"},
    "ShareStateMachine.swift": {"share"},
    "ConnectableStateMachine.swift": {"multicast", "ref-count"},
    "Stage.swift": {"stage", "create", "subject", "share", "ref-count", "multicast", "operator", "run-queue", "action-pool",
                    "pressure.hop", "pressure.question", "pressure.fan-out"},
}
AFFECTED["SubjectCore.swift"] = AFFECTED["SubjectSubscription.swift"] = DRAIN - {"drain"}
AFFECTED["SubjectCore+Pausing.swift"] = {"pressure.fan-out"}
AFFECTED["Serializer.swift"] = DRAIN - {"drain"}
AFFECTED["DeputyPool.swift"] = {"serializer"}
AFFECTED["LateSubscriberBuffer.swift"] = {"serializer", "subject", "share"}


def disturbs(one, other):
    """Whether a scenario of one mutant may depend on the file of the other."""
    affected = AFFECTED.get(os.path.basename(other.path))
    if affected is None or one.path == other.path:
        return True
    return any(a.startswith(s) or s.startswith(a) for a in affected for s in one.scenarios)


def batches(mutants):
    """The mutants in groups, each of which is built at once."""
    result = []
    for mutant in mutants:
        for batch in result:
            if not any(disturbs(mutant, other) or disturbs(other, mutant) for other in batch):
                batch.append(mutant)
                break
        else:
            result.append([mutant])
    return result


class Mutant:
    def __init__(self, name, fields, changes, line):
        self.name, self.changes, self.line = name, changes, line
        self.path = fields["file"]
        self.scenarios = fields.get("scenarios", "").split()
        self.tests = fields.get("tests", "")
        self.kind = fields["kind"]
        self.same = fields.get("x86", "") == "same"
        self.options = fields.get("options", "").split()


def read_mutants(file=MUTANTS):
    """The file's format: == NAME, then 'key: value' lines, --- and the old text, +++ and the new text, and an empty line.

    A further --- and +++ behind that change a second place of the same file.
    """
    mutants = []
    blocks = re.split(r"^== ", open(os.path.join(ROOT, file), encoding="utf-8").read(), flags=re.M)
    line = blocks[0].count("\n") + 1
    for block in blocks[1:]:
        head, *rest = block.removesuffix("\n").removesuffix("\n").split("\n---\n")
        changes = [text.split("\n+++\n") if "\n+++\n" in text else [text.removesuffix("\n+++"), ""] for text in rest]
        name, *lines = head.splitlines()
        fields = dict(text.split(": ", 1) for text in lines)
        mutants.append(Mutant(name.strip(), fields, changes, line))
        line += block.count("\n")
    return mutants


def check(mutants, file=MUTANTS):
    """The mutants whose text does not stand in the sources exactly once."""
    faults = []
    for mutant in mutants:
        path = os.path.join(ROOT, mutant.path)
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        for old, _ in mutant.changes:
            if text.count(old) != 1:
                faults.append(f"{file}:{mutant.line}: {mutant.name}: its text stands {text.count(old)} times in {mutant.path}, "
                              "not once; adapt it to the code")
    return faults


def check_parts(parts):
    """The symbolic links in the parts that would lead nowhere in a copy."""
    folders = [os.path.join(ROOT, part) for part in parts]
    faults = []
    for folder in folders:
        for parent, folders_within, files in os.walk(folder):
            for path in (os.path.join(parent, name) for name in folders_within + files):
                target = os.path.realpath(path)
                if os.path.islink(path) and not any(target == f or target.startswith(f + os.sep) for f in folders):
                    faults.append(f"{os.path.relpath(path, ROOT)}: leads to {os.path.relpath(target, ROOT)}, which the mutants' copies lack; "
                                  "add it to PARTS in mutants.py")
    return faults


def copy(source, target):
    """Makes `target` like `source`. Files that did not change keep their time, so that they are not compiled again."""
    if os.path.islink(source):
        if not os.path.islink(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(os.readlink(source), target)
    elif os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        names = [name for name in os.listdir(source) if not name.startswith(".build")]
        for name in names:
            copy(os.path.join(source, name), os.path.join(target, name))
        for name in set(os.listdir(target)) - set(names):
            gone = os.path.join(target, name)
            if os.path.isdir(gone) and not os.path.islink(gone):
                shutil.rmtree(gone)
            else:
                os.remove(gone)
    elif not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)


class Tree:
    """A copy of the sources, in which one mutant at a time is built."""

    def __init__(self, number, parts, scratch=SCRATCH):
        self.path = os.path.join(scratch, f"tree{number}")
        for part in parts:
            copy(os.path.join(ROOT, part), os.path.join(self.path, part))

    def seed(self, mutant):
        path = os.path.join(self.path, mutant.path)
        with open(path, encoding="utf-8") as file:
            original = file.read()

        def write(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

        changed = original
        for old, new in mutant.changes:
            changed = changed.replace(old, new)
        write(changed)
        return lambda: write(original)

    def run(self, command, seconds):
        process = subprocess.Popen(
            command, cwd=self.path, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output = process.communicate(timeout=seconds)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            # 'swift test' ends its test process, which has a process group of its own, on SIGINT only.
            os.killpg(process.pid, signal.SIGINT)
        try:
            return 124, process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 124, ""


def build(tree):
    """Returns what the compiler complains of, or None."""
    command = ["swift", "build", "--package-path", "Tools/Explorer", "--scratch-path", tree.path + "-build", "-c", "release", "--product", "Explorer"]
    status, output = tree.run(command, 1800)
    if status == 0:
        return None
    return "does not compile: " + next((line for line in output.splitlines() if "error:" in line), output[-200:])


def explore(tree, mutant, seconds):
    explorer = os.path.join(tree.path + "-build", "release", "Explorer")
    names = [line.split(":")[0] for line in tree.run([explorer, "--list"], 60)[1].splitlines()]
    names = [name for name in names if any(name.startswith(scenario) for scenario in mutant.scenarios)]
    if not names:
        return False, "there are no such scenarios"
    command = [explorer, "--quiet", "--seconds", str(seconds)]
    for name in names:
        command += ["--scenario", name]
    status, output = tree.run(command, seconds * 3 + 60)
    failed = [line for line in output.splitlines() if line.startswith("FAILED")]
    if not failed:
        return False, f"not found (exit code {status})"
    parts = failed[0].split(None, 2)
    number = next((line.split()[1].rstrip(",") for line in output.splitlines() if line.startswith("  schedule ")), "?")
    return True, f"{parts[1]}: {re.sub(r'0x[0-9a-f]+', 'address', parts[2])} (schedule {number})"


MANIFEST = """// swift-tools-version: 6.1
import PackageDescription
let package = Package(
    name: "mutant",
    targets: [.target(name: "CRxPrimitives"), .target(name: "RxPrimitives", dependencies: ["CRxPrimitives"]), %s],
    swiftLanguageModes: [.v5])
"""
TARGETS = {
    "RxPrimitives": """.testTarget(name: "RxPrimitivesTests", dependencies: ["RxPrimitives"])""",
    "RxSwift": """.target(name: "RxSwift", dependencies: ["RxPrimitives"]),
        .target(name: "RxTest", dependencies: ["RxPrimitives", "RxSwift"]), .target(name: "CRxIOUring"),
        .target(name: "RxIOUring", dependencies: ["RxPrimitives", "RxSwift", "CRxIOUring"], exclude: ["Unsupported"]),
        .target(name: "TestSupport", dependencies: ["RxPrimitives", "RxSwift", "RxIOUring", "RxTest"], path: "Tests/TestSupport"),
        .testTarget(name: "RxSwiftTests", dependencies: ["RxPrimitives", "RxSwift", "RxTest", "TestSupport"])""",
}


def run_ordinary(tree, mutant):
    """Builds only the tests of the mutant's module, as `Tools/test --plain` does but for the other modules."""
    if mutant.same:
        return False, "no: the same machine code on x86-64"
    module = mutant.path.split("/")[1]
    with open(os.path.join(tree.path, "Package.swift"), "w", encoding="utf-8") as file:
        file.write(MANIFEST % TARGETS[module])
    scratch = f"{tree.path}-{module}-build"
    status, output = tree.run(["swift", "build", "--build-tests", "--scratch-path", scratch, "-j", "2"], 1800)
    if status != 0:
        return False, "does not compile: " + next((line for line in output.splitlines() if "error:" in line), output[-200:])
    for attempt in range(1, 4):
        status, output = tree.run(["swift", "test", "--skip-build", "--scratch-path", scratch, "--filter", mutant.tests], 120)
        if "Test run with 0 tests" in output and status == 0:
            return False, f"there are no tests {mutant.tests}"
        if status != 0:
            name = re.search(r'Test (?:"(.*)"|(\w+)\(.*) recorded an issue', output)
            return True, f"yes, in run {attempt}: {name.group(1) or name.group(2) if name else 'hangs' if status == 124 else 'crashes'}"
    return False, "no, in three runs"


def main():
    parser = argparse.ArgumentParser(prog="Tools/explore --mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--ordinary", action="store_true")
    parser.add_argument("--markdown")
    options = parser.parse_args()

    mutants = [m for m in read_mutants() if not options.only or any(text in m.name for text in options.only)]
    faults = check(mutants) + check_parts(PARTS)
    for fault in faults:
        print(fault, file=sys.stderr)
    if options.list:
        for mutant in mutants:
            print(f"{mutant.name}: {mutant.kind}; {mutant.path}")
        return 1 if faults else 0
    if not mutants:
        print("Tools/explore: no mutant's name contains that", file=sys.stderr)
        return 2
    if faults:
        return 1

    parts = ["Package.swift", "Sources", "Tests"] if options.ordinary else PARTS
    waiting = [[mutant] for mutant in mutants] if options.ordinary else batches(mutants)
    results, lock = {}, threading.Lock()
    start = time.time()
    print(f"{len(mutants)} mutants in {len(waiting)} builds", flush=True)

    def report(mutant, result):
        with lock:
            results[mutant.name] = result
            print(f"{len(results)}/{len(mutants)} {mutant.name}: {'found: ' if result[0] and not options.ordinary else ''}{result[1]}"
                  f" [at {time.time() - start:.0f} s]", flush=True)

    def work(number):
        tree = Tree(f"-ordinary{number}" if options.ordinary else number, parts)
        while True:
            with lock:
                if not waiting:
                    return
                batch = waiting.pop(0)
            undo = [tree.seed(mutant) for mutant in batch]
            try:
                if options.ordinary:
                    report(batch[0], run_ordinary(tree, batch[0]))
                    continue
                fault = build(tree)
                for mutant in batch:
                    report(mutant, (False, fault) if fault else explore(tree, mutant, options.seconds))
            finally:
                for step in undo:
                    step()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sum(1 for result in results.values() if result[0])
    print(f"{found} of {len(mutants)} mutants found, in {time.time() - start:.0f} s")
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            for mutant in mutants:
                file.write(f"| {mutant.name} | {mutant.kind} | {results[mutant.name][1]} |\n")
    return 0 if found == len(mutants) or options.ordinary else 1


if __name__ == "__main__":
    sys.exit(main())
