// SPDX-License-Identifier: Apache-2.0

/// A `do` with an operator without a stage below it.
final class AboveOperator<Element>: Observable<Element>, @unchecked Sendable {
    private let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init()
    }

    override var startsOnTrampoline: Bool { source.startsOnTrampoline }

    override func subscribeCore(_ downstream: Sink<Element>) { source.subscribeCoreAboveOperator(downstream) }
}
