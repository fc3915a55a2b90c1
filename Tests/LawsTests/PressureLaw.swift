// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport
import Testing

extension Laws {
    /// Law L13: what an operator does with a pause that comes from below, for each of its sources.
    @Suite struct PressureLaw {
        @Test(
            "A pause of the stages below reaches the sources that the table names, and the resume, too",
            arguments: Laws.cases)
        func pauseReachesTheSource(_ subject: Case) {
            let (asker, brake) = (Asker(), Brake())
            let scenario = Scenario(subject, .subject)
            scenario.subscribe(above: asker.observable, below: brake.observable)
            for _ in 0..<2 { scenario.round() }
            scenario.settle()
            guard let before = asker.ask() else {
                #expect(!scenario.tested.isObserved, "subscribed to, but not by way of the asker")
                return
            }
            #expect(!before, "paused although nothing below pauses it")
            brake.pull()
            let pressure = Pressure.of(subject)
            var answer = asker.ask()
            switch pressure {
            case .forwards:
                // No, too, while a timer of the operator sends an element: a stage that is busy may say no, and is asked again.
                // Nil if such a timer has ended the subscription.
                let forwards = scenario.eventually {
                    answer = asker.ask()
                    return answer != false
                }
                #expect(forwards, "forwards nothing")
                if answer == nil {
                    #expect(scenario.eventually { !scenario.tested.isObserved }, "not by way of the asker")
                }
            case .originates, .absorbs, .stops:
                #expect(answer == false, "forwards, although the table says that it \(pressure)")
            }
            brake.release()
            if answer == true {
                #expect(Laws.eventually(true) { asker.resumeCount > 0 || asker.ask() == nil }, "a lost resume")
                #expect(Laws.eventually(true) { asker.ask() != true }, "still paused")
            }
            scenario.dispose()
        }

        enum End: CaseIterable, Sendable { case completed, error, dispose }

        @Test("An operator whose source is paused ends as otherwise, and releases everything", arguments: Laws.cases)
        func endWhilePaused(_ subject: Case) {
            for end in End.allCases {
                #if TRACE_RESOURCES
                    live(subject, end)
                #endif
                Laws.expectNothingLeft(waiting: true, "\(end)") { live(subject, end) }
            }
        }

        private func live(_ subject: Case, _ end: End) {
            let (asker, brake) = (Asker(), Brake())
            let scenario = Scenario(subject, .subject)
            scenario.subscribe(above: asker.observable, below: brake.observable)
            scenario.round()
            scenario.settle()
            brake.pull()
            _ = asker.ask()
            scenario.round()
            switch end {
            case .completed: scenario.end(.completed)
            case .error: scenario.end(.error(LawError.source))
            case .dispose: scenario.dispose()
            }
            brake.release()
            let ends = end == .completed && subject.row.completes
            if ends { #expect(Laws.eventually(true) { scenario.record.hasEnded }, "\(end)") }
            brake.settle()
            scenario.settle()
            if !scenario.record.hasEnded { scenario.dispose() }
            scenario.forget()
        }

        @Test(
            "The answers are the same with and without pauses", arguments: Laws.cases.filter { !$0.row.isAsynchronous })
        func sameAnswers(_ subject: Case) {
            /// - Parameter count: the number of events to wait for, as what a pause has held back may come on another thread.
            func run(pausing: Bool, waitingFor count: Int) -> (events: String, count: Int) {
                let (asker, brake) = (Asker(), Brake())
                let scenario = Scenario(subject, .subject)
                scenario.subscribe(above: asker.observable, below: brake.observable)
                for round in 0..<4 {
                    if pausing, round == 1 { brake.pull() }
                    scenario.round()
                    _ = asker.ask()
                    if pausing, round == 2 { brake.release() }
                }
                scenario.end(.completed)
                brake.settle()
                _ = Laws.eventually(pausing, seconds: 5) { scenario.record.events.count >= count }
                scenario.dispose()
                return (scenario.record.text, scenario.record.events.count)
            }
            let without = run(pausing: false, waitingFor: 0)
            let with = run(pausing: true, waitingFor: without.count)
            #expect(without == with)
        }

        @Test("Each line of the table is about an operator that there is") func tableIsCurrent() {
            for line in Pressure.exceptions {
                #expect(Laws.cases.contains { line.applies(to: $0) }, "\(line.names)")
            }
        }

        @Test("BACKPRESSURE.md has the table") func tableIsDocumented() throws {
            #expect(
                try Pressure.tableInTheDocument() == Pressure.table, "copy this between the marks:\n\(Pressure.table)")
        }
    }
}
