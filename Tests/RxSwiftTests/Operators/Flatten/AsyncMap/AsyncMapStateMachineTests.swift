// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

@Suite struct AsyncMapStateMachineTests {
    /// Plays letters on a machine, and returns what it says.
    ///
    /// A letter in lower case admits an element; in upper case it finishes it, with `!` behind it as a failure; `.` ends the source. Delivers at
    /// once what may be delivered.
    private func play(_ script: String, limit: Int, keepsOrder: Bool) -> String {
        var machine = AsyncMapStateMachine<Character, Character>(limit: limit, keepsOrder: keepsOrder)
        var numbers: [Character: Int] = [:]
        var said = ""
        let worker = AsyncMapWorker()
        func start(_ work: AsyncMapStateMachine<Character, Character>.Work?) {
            guard let work else { return }
            numbers[work.element] = work.number
            said.append(work.element)
        }
        for (letter, next) in zip(script, script.dropFirst() + " ") where letter != "!" {
            if letter == "." {
                if machine.sourceCompleted() { said += "|" }
            } else if letter.isLowercase {
                start(machine.admit(letter, for: worker)?.work)
            } else {
                let number = numbers[Character(letter.lowercased())]!
                var outcome: AsyncMapStateMachine<Character, Character>.Outcome? =
                    next == "!" ? .failure(Failure.expected) : .success(letter)
                let finish = machine.finish(number, outcome!)
                if finish.hasFailed { said += "(" }
                if !finish.delivers { continue }
                while case .success(let result)? = outcome {
                    said.append(result)
                    let delivered = machine.delivered(by: worker)
                    start(delivered.work)
                    if delivered.isLast { said += "|" }
                    outcome = delivered.next
                }
                if outcome != nil { said += "X" }
            }
        }
        return said
    }

    @Test(
        "Elements run, wait and are delivered",
        arguments: [
            // One at a time.
            ("a.A", 1, true, "aA|"), ("abAB.", 1, true, "aAbB|"), ("ab.AB", 1, true, "aAbB|"), (".", 1, true, "|"),
            // Two at a time, in order: what finishes early keeps its place.
            ("abBAcC.", 2, true, "abABcC|"),
            ("abcBA.C", 2, true, "abAcBC|"),
            // Two at a time, as they come.
            ("abBA.", 2, false, "abBA|"), ("abcBAC.", 2, false, "abBcAC|"),
            // A failure comes in its place, and nothing is started any more.
            ("abcB!AC", 3, true, "abc(AX"), ("abB!cA", 2, true, "ab(AX"), ("abcA!", 2, true, "ab(X"),
            ("abB!A", 2, false, "ab(X"),
            // An earlier failure takes the place of a later one.
            ("abB!A!", 2, true, "ab((X"),
        ])
    func script(script: String, limit: Int, keepsOrder: Bool, expected: String) {
        #expect(play(script, limit: limit, keepsOrder: keepsOrder) == expected)
    }

    @Test("A machine that is quiesced starts and delivers nothing") func quiesced() {
        var machine = AsyncMapStateMachine<Int, Int>(limit: 1, keepsOrder: true)
        let worker = AsyncMapWorker()
        #expect(machine.admit(1, for: worker)?.work.number == 0)
        #expect(machine.admit(2, for: worker) == nil)
        machine.quiesce()
        let finish = machine.finish(0, .success(1))
        expect(!finish.delivers)
        #expect(machine.admit(3, for: worker) == nil)
        expect(!machine.sourceCompleted())
        let remains = machine.close()
        #expect(remains.tasks.isEmpty)
        expect(machine.isClosed)
    }

    @Test("The source pauses while 16 elements wait, until 8 are left") func bound() {
        var machine = AsyncMapStateMachine<Int, Int>(limit: 1, keepsOrder: true)
        let worker = AsyncMapWorker()
        for element in 0..<16 { _ = machine.admit(element, for: worker) }
        expect(!machine.mustPause(isAwaited: false))
        _ = machine.admit(16, for: worker)
        expect(machine.mustPause(isAwaited: false))
        for number in 0..<7 { finish(number, of: &machine) }
        expect(machine.mustPause(isAwaited: true))
        finish(7, of: &machine)
        expect(!machine.mustPause(isAwaited: true))
    }

    private func finish(_ number: Int, of machine: inout AsyncMapStateMachine<Int, Int>) {
        let finish = machine.finish(number, .success(number))
        expect(finish.delivers)
        expect(machine.delivered(by: AsyncMapWorker()).next == nil)
    }
}
