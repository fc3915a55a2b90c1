// SPDX-License-Identifier: Apache-2.0

import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct InfallibleTimeTests {
    @Test("debounce sends an element that no other follows for 30 ticks") func debounce() throws {
        try expectMarbles(
            source: "^12-----3-----------|",
            result: "^----2-----3--------|",
            active: "^-------------------!"
        ) { Infallible(raw: $0).debounce(.seconds(30), scheduler: $1).asObservable() }
    }

    @Test(
        "throttle sends the first element of 30 ticks, and then the last if latest",
        arguments: [
            ("^1--2---3-----------|", true),
            ("^1------3-----------|", false),
        ])
    func throttle(result: String, latest: Bool) throws {
        try expectMarbles(
            source: "^12-----3-----------|",
            result: result
        ) { Infallible(raw: $0).throttle(.seconds(30), latest: latest, scheduler: $1).asObservable() }
    }

    @Test("take(for:) ends after its duration") func takeFor() throws {
        try expectMarbles(
            source: "^12-----3-----------|",
            result: "^12--|",
            active: "^----!"
        ) { Infallible(raw: $0).take(for: .seconds(50), scheduler: $1).asObservable() }
    }

    @Test("A scheduled source takes one step per event") func scheduledSources() throws {
        try expectMarbles(result: "^7|", ticks: 1) { Infallible.just(7, scheduler: $0).asObservable() }
        try expectMarbles(result: "^78|", ticks: 1) { Infallible.of(7, 8, scheduler: $0).asObservable() }
        try expectMarbles(result: "^78|", ticks: 1) { Infallible.from([7, 8], scheduler: $0).asObservable() }
    }

    @Test("No event arrives after dispose") func afterDispose() throws {
        try expectMarbles(
            source: "^-1-2-3",
            result: "^-2-4",
            active: "^----!",
            ticks: 5, disposed: 225
        ) { source, _ in source.asInfallible(onErrorJustReturn: 0).map { $0 * 2 }.asObservable() }
    }
}
