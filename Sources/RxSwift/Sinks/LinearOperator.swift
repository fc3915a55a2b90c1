// SPDX-License-Identifier: Apache-2.0

/// The observable of an operator with one source and no timer. All of the operator's behavior is in its sink.
///
/// It stores the metatype of the sink, because only the initializer knows the element type: the initializer is inlined into the module
/// that applies the operator, where the type is usually concrete. `subscribeCore` runs as unspecialized code. If it named the sink's
/// type, each subscription would pay for a look-up of the metadata.
@usableFromInline
final class LinearOperator<Element, Output, Settings>: Observable<Output>, @unchecked Sendable {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let sinkType: OperatorSink<Element, Output, Settings>.Type
    @usableFromInline let settings: Settings

    /// - Parameters:
    ///   - source: the sequence to which the operator is applied.
    ///   - settings: the operator's arguments. A closure belongs in a struct of its operator: as a value of the generic type `Settings`
    ///     it would be wrapped in a second closure, which passes arguments and results through memory.
    ///     A struct with a field of a generic type costs a look-up of metadata per subscription, so `scan` and `reduce` have observables
    ///     of their own.
    ///   - sinkType: the class of the sinks, one of which is created per subscription.
    @inlinable
    init(_ source: Observable<Element>, settings: Settings, sinkType: OperatorSink<Element, Output, Settings>.Type) {
        self.source = source
        self.sinkType = sinkType
        self.settings = settings
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Output>) {
        source.subscribeCore(makeSink(downstream))
    }

    override func queueHeldByCaller(mainQueueRuns: Bool) -> String? {
        source.queueHeldByCaller(mainQueueRuns: mainQueueRuns)
    }

    /// Not inlined: subscriptions nest as deep as chains are long, so the stack must not hold the copy of the settings (law L8).
    @inline(never)
    private func makeSink(_ downstream: Sink<Output>) -> OperatorSink<Element, Output, Settings> {
        sinkType.init(settings, downstream: downstream)
    }
}

extension LinearOperator where Settings == Void {
    @inlinable
    convenience init(_ source: Observable<Element>, sinkType: OperatorSink<Element, Output, Void>.Type) {
        self.init(source, settings: (), sinkType: sinkType)
    }
}

/// The sink of a `LinearOperator`.
///
/// A subclass that needs its settings overrides the required initializer and stores them. Other subclasses inherit it.
@usableFromInline
class OperatorSink<Element, Output, Settings>: LinearSink<Element, Output> {
    override init(downstream: Sink<Output>) {
        super.init(downstream: downstream)
    }

    required init(_ settings: Settings, downstream: Sink<Output>) {
        super.init(downstream: downstream)
    }
}
