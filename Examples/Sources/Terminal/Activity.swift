// SPDX-License-Identifier: Apache-2.0

public import RxCocoa
import RxRelay
public import RxSwift

/// Tells whether any of the sequences that it tracks is subscribed to.
public struct Activity: Sendable {
    /// Counts from its first subscription on.
    public let isActive: Driver<Bool>
    private let changes = PublishRelay<Int>()

    public init() {
        isActive =
            changes
            .scan(0, accumulator: +)
            .map { $0 > 0 }
            .startWith(false)
            .distinctUntilChanged()
            .asDriver(onErrorJustReturn: false)
    }

    /// The same sequence, which is active from each subscription to its end.
    public func track<Element>(_ source: Observable<Element>) -> Observable<Element> {
        .using({ [changes] in Use(changes) }, observableFactory: { _ in source })
    }

    /// One subscription to a tracked sequence. `using` disposes of it once, at the end of the subscription.
    private struct Use: Disposable {
        private let changes: PublishRelay<Int>

        init(_ changes: PublishRelay<Int>) {
            self.changes = changes
            changes.accept(1)
        }

        func dispose() { changes.accept(-1) }
    }
}
