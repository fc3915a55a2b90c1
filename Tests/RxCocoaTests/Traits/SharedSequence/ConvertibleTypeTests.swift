// SPDX-License-Identifier: Apache-2.0

import RxCocoa
import RxSwift
import Testing

/// A type of the program's own that converts to a driver, a new one each time, and to an observable on another way: a tracker of errors, as many programs have one.
private final class Tracker: SharedSequenceConvertibleType {
    typealias SharingStrategy = DriverSharingStrategy

    private let errors = PublishSubject<String>()
    private(set) var conversions = 0

    func asSharedSequence() -> SharedSequence<DriverSharingStrategy, String> {
        conversions += 1
        return errors.asDriver { _ in .empty() }
    }

    func asObservable() -> Observable<String> { errors.asObservable() }

    func track(_ error: String) { errors.onNext(error) }
}

@MainActor
@Suite struct ConvertibleTypeTests {
    /// The fault: the operator remembered the driver of a second conversion, which nothing held.
    @Test("Operators of a type that converts to a driver go to its observable, and convert it no further")
    func operators() {
        let ways: [(Tracker) -> Driver<String>] = [
            { $0.map { $0 } }, { $0.filter { _ in true } }, { $0.compactMap { $0 } }, { $0.distinctUntilChanged() },
            { $0.distinctUntilChanged { $0 } }, { $0.distinctUntilChanged { $0 == $1 } }, { $0.skip(0) },
            { $0.scan("") { $1 } }, { $0.do() }, { $0.debug("tracker") }, { $0.startWith("a").skip(1) },
            { $0.withLatestFrom(Driver.just("a")) { first, _ in first } },
        ]
        for way in ways {
            for _ in 0..<10 {
                let tracker = Tracker()
                let driver = way(tracker).map { $0 }
                // Takes the memory of what was released.
                let others = (0..<20).map { Driver.just("\($0)").map { $0 } }
                var received: [String] = []
                let subscription = driver.drive(onNext: { received.append($0) })
                tracker.track("a")
                #expect(received == ["a"] && tracker.conversions == 0)
                withExtendedLifetime(others) {}
                subscription.dispose()
            }
        }
    }
}
