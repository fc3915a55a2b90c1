// SPDX-License-Identifier: Apache-2.0

/// The work of one subscription to an operator of another module: an object made for each subscription.
///
/// It is called serially, on the threads of the source, and no more once `emit` has returned false or a method has thrown.
package protocol Transducer<Element, Output>: AnyObject {
    associatedtype Element
    associatedtype Output

    /// Handles an element: may emit any number of times. An error that it throws ends the sequence.
    func next(_ element: Element, into sink: TransducerSink<Element, Output>) throws

    /// Handles the completion of the source: may emit what is left; then the sequence completes.
    func completed(into sink: TransducerSink<Element, Output>) throws
}

/// An operator of another module, which makes any number of elements out of each, and knows nothing of stages.
package final class TransducerObservable<Element, Output>: Observable<Output>, @unchecked Sendable {
    private let source: Observable<Element>
    private let makeTransducer: () -> any Transducer<Element, Output>

    /// - Parameter makeTransducer: called for each subscription.
    package init(source: Observable<Element>, makeTransducer: @escaping () -> any Transducer<Element, Output>) {
        self.source = source
        self.makeTransducer = makeTransducer
        super.init()
    }

    package override func subscribeCore(_ downstream: Sink<Output>) {
        source.subscribeCore(TransducerSink(makeTransducer(), downstream: downstream))
    }

    package override var startsOnTrampoline: Bool { source.startsOnTrampoline }

    package override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }
}

/// The sink into which a transducer emits.
package final class TransducerSink<Element, Output>: LinearSink<Element, Output> {
    private let transducer: any Transducer<Element, Output>
    /// See `endingStage`; held by the stages below.
    private let endsBelow: Unmanaged<AnySink>?

    fileprivate init(_ transducer: any Transducer<Element, Output>, downstream: Sink<Output>) {
        self.transducer = transducer
        endsBelow = downstream.endingStage.map { .passUnretained($0) }
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    /// True if no more is wanted.
    private var isOver: Bool { isCancelled || endsBelow?._withUnsafeGuaranteedRef { $0.wantsNoMore } ?? false }

    /// Passes an element on, and returns whether more is wanted.
    package func emit(_ output: Output) -> Bool { pass(output) == .wantsMore }

    package enum Emission { case wantsMore, wasLast, refused }

    /// Passes an element on like `emit`, and tells whether it was the last one wanted, or came too late.
    package func pass(_ output: Output) -> Emission {
        if isCancelled { return .refused }
        downstream.next(output)
        return isOver ? .wasLast : .wantsMore
    }

    /// Marks this stage, though no other thread runs it: a transducer that makes many elements of one looks whether more are wanted, as does one
    /// that puts back what it did not use.
    package override func quiesceBoundary() -> UInt { quiesce() }

    package override func next(_ element: Element) {
        // Another thread is on its way up with a dispose, of which `emit` may have told already.
        if isOver { return }
        do {
            try transducer.next(element, into: self)
        } catch {
            fail(error)
        }
    }

    package override func completed() {
        if isCancelled { return }
        do {
            try transducer.completed(into: self)
            if !isCancelled { downstream.completed() }
        } catch {
            fail(error)
        }
    }
}
