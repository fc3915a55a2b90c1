// SPDX-License-Identifier: Apache-2.0

import RxSwift

/// Fails on the loop, for a sequence that cannot begin: as one that fails later does, and behind the `subscribe`, which an unlimited `retry` would
/// otherwise never leave.
final class FailedSource<Element>: LoopSource<Element> {
    private let error: any Swift.Error

    init(_ error: any Swift.Error, _ scheduler: IOUringScheduler, downstream: Sink<Element>) {
        self.error = error
        super.init(loop: scheduler.loop, downstream: downstream)
    }

    override var subject: String { (error as? IOError)?.subject ?? "" }

    override func begin() { fail(with: error) }

    override func end() {}
}

extension IOUringScheduler {
    /// A sequence that fails with an error on this loop.
    func failure<Element>(_ error: any Swift.Error) -> Observable<Element> {
        observable { FailedSource(error, self, downstream: $0) }
    }
}
