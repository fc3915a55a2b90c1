/// A sink with one downstream, which it links before its own source is attached.
///
/// For stages with something to do when the subscription ends: they learn of it through `cancel()` whatever their source
/// does, also while it is being attached. Costs two atomic read-modify-writes per subscription more than a `LinearSink`.
@usableFromInline
package class AnchoredSink<Element, Output>: Sink<Element> {
    @usableFromInline package final let downstream: Sink<Output>

    @inlinable
    package init(downstream: Sink<Output>) {
        self.downstream = downstream
        super.init()
    }

    /// Links the downstream to this stage. Before the source is attached.
    package final func anchor() {
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
}
