// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The options of a call.
struct Settings {
    var seed: UInt64?
    var count: Int?
    var seconds: Int?
    var jobs = 2
    var findings = 20
    var replay: UInt64?
    var without: Set<Int> = []
    var shrinks = true
    var lists = false
    var runsTwice = false
    var traces = false
    var family = ProgramFamily.streams

    static let help = """
        usage: Tools/rx-fuzz --io [--handles] [--seed N] [--count N] [--seconds S] [--jobs N] [--findings N] [--no-shrink] [--list] [--twice]
               Tools/rx-fuzz --io [--handles] --replay SEED [--without N,N...] [--trace]
               Tools/rx-fuzz --io --mutants [--only TEXT]

        Runs random programs of connections, files, pipes and timers on simulated event loops: operations transfer less than was asked, come
        late, in another order and, in a quarter of the programs, fail; threads run one at a time, and change where the seed chooses; time is
        virtual. A model says what must arrive: no hole, no byte twice, everything if it was closed in order. Each stream has to end once, each
        timer to fire once and not before its time, and descriptors and objects must not be left. A program has a process of its own, and does
        the same each time.

          --handles      other programs: any call on connections, listeners, sockets for datagrams, files and pipes, in any state, with sources of
                         all kinds. Each subscription has to end once, with a completion or an error that has a reason, without the end of its
                         loop where what it waits for comes; events must not overlap; nothing must be left
          --seed N       the seed of the first program; each next one has the next
          --count N      how many programs to run
          --seconds S    how long to run; without --count: 60
          --jobs N       how many at a time; 2
          --findings N   after how many findings to stop; 20
          --no-shrink    does not leave out steps that a finding does not need
          --list         prints the programs instead of running them
          --twice        runs each program twice, and compares the traces
          --replay SEED  runs one program, and prints it
          --without N,N  leaves out the steps of these numbers, as a finding says
          --trace        prints each change of threads
          --mutants      seeds one fault at a time into a copy of the sources, and looks whether it is found; minutes each
          --only TEXT    only mutants whose name contains TEXT

        Exit code: 0 if there is no finding, 1 if there are, 2 for wrong usage.
        """

    /// Nil if `--help` was given.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        func fail(_ text: String) -> Never {
            fputs("Tools/rx-fuzz --io: \(text); see --io --help\n", stderr)
            exit(2)
        }
        func number<Number: LosslessStringConvertible>(_ option: String, _ type: Number.Type) -> Number {
            guard let text = rest.popFirst() else { fail("\(option) needs a number") }
            guard let number = Number(text) else { fail("\(option): '\(text)' is no number") }
            return number
        }
        while let option = rest.popFirst() {
            switch option {
            case "--io": break
            case "--seed": seed = number(option, UInt64.self)
            case "--count": count = number(option, Int.self)
            case "--seconds": seconds = number(option, Int.self)
            case "--jobs": jobs = number(option, Int.self)
            case "--findings": findings = number(option, Int.self)
            case "--replay": replay = number(option, UInt64.self)
            case "--without": without = Set((rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) })
            case "--no-shrink": shrinks = false
            case "--list": lists = true
            case "--twice": runsTwice = true
            case "--trace": traces = true
            case "--handles": family = .handles
            case "-h", "--help": return nil
            default: fail("unknown option '\(option)'")
            }
        }
        if jobs < 1 || jobs > 9 { fail("--jobs is 1 to 9") }
    }
}
