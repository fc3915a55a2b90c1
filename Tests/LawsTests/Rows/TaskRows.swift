// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    /// Operators that run asynchronous closures in tasks.
    ///
    /// The closures do not throw: several run at a time, and the source may end first. `AsyncMapTests` are about those that do.
    static let taskRows: [Row] = [
        asynchronous("asyncMap(maxConcurrent:keepsOrder:priority:_:)", "one at a time") { source, probe in
            source.asyncMap { element in
                probe.note("transform")
                return element
            }
        },
        asynchronous("asyncMap(maxConcurrent:keepsOrder:priority:_:)", "in order") { source, probe in
            source.asyncMap(maxConcurrent: 3) { element in
                // First, as a call that began before the end may go on behind it.
                probe.note("transform")
                await Task.yield()
                return element
            }
        },
        asynchronous("asyncMap(maxConcurrent:keepsOrder:priority:_:)", "out of order", keeps: .nothing) {
            source, probe in
            source.asyncMap(maxConcurrent: 3, keepsOrder: false) { element in
                probe.note("transform")
                return element
            }
        },
        asynchronous("flatMap(maxConcurrent:priority:_:)") { source, probe in
            source.flatMap(maxConcurrent: 1) { element in
                probe.note("selector")
                return Observable.just(element)
            }
        },
        asynchronous("Infallible.asyncMap(maxConcurrent:keepsOrder:priority:_:)") { source, probe in
            Infallible(raw: source).asyncMap { element in
                probe.note("transform")
                return element
            }.asObservable()
        },
        inTask("Single.asyncMap(priority:_:)") { element, probe in
            Single.just(element).asyncMap { element in
                probe.note("transform")
                return element
            }.asObservable()
        },
        inTask("Maybe.asyncMap(priority:_:)") { element, probe in
            Maybe.just(element).asyncMap { element in
                probe.note("transform")
                return element
            }.asObservable()
        },
        Row("carrying(_:through:)", keeps: .everything) { source, _ in
            source.carrying(Carriage.$number) { $0 }
        },
    ]

    private enum Carriage {
        @TaskLocal static var number = 0
    }

    private static func asynchronous(
        _ name: String, _ variant: String = "", keeps: Keeps = .everything,
        _ build: @escaping @Sendable (Observable<Int>, Probe) -> Observable<Int>
    ) -> Row {
        Row(
            name, variant, keeps: keeps, isAsynchronous: true, schedulers: [.tasks], passesErrors: false,
            chains: false, build: build)
    }

    private static func inTask(
        _ name: String, _ make: @escaping @Sendable (Int, Probe) -> Observable<Int>
    ) -> Row {
        Row(name, keeps: .nothing, isAsynchronous: true, schedulers: [.tasks], chains: false) { source, probe in
            source.flatMap { make($0, probe) }
        }
    }
}
