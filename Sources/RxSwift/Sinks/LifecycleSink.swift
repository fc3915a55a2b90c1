// SPDX-License-Identifier: Apache-2.0

/// A sink with one downstream, which it links before its own source is subscribed to.
///
/// For stages with something to do when the subscription ends: they learn of it through `cancel()` independently of their source,
/// also while it is being subscribed to. Costs two atomic read-modify-writes per subscription more than a `LinearSink`.
@usableFromInline
package class LifecycleSink<Element, Output>: Sink<Element> {
    @usableFromInline package final let downstream: Sink<Output>

    @inlinable
    package init(downstream: Sink<Output>) {
        self.downstream = downstream
        super.init()
    }

    /// Links the downstream to this stage, before the source is subscribed to.
    package final func linkToDownstream() {
        downstream.link(self)
    }

    @usableFromInline
    package override func error(_ error: any Swift.Error) {
        downstream.error(error)
        cancel()
    }

    @usableFromInline
    package override func completed() {
        downstream.completed()
        cancel()
    }

    package override func upstreamGoesOn() { downstream.upstreamGoesOn() }

    package override func pauses(_ source: any PausableSource) -> Bool { downstream.pauses(source) }
}
