/// The upper end of a chain whose source ends right inside `subscribeCore`, and so has nothing to cancel.
///
/// It is linked all the same: a stage tells by its link being cancelled that the sequence has ended below it. One object
/// for all.
package final class EmptyUpstream: Stage {
    package static let instance = EmptyUpstream()

    private override init() {
        super.init()
        #if TRACE_RESOURCES
            // It lives as long as the program and belongs to no subscription.
            ResourceCensus.died(EmptyUpstream.self)
        #endif
    }

    package override func cancel() {}

    package override func quiesce() -> UInt { 0 }
}

extension Sink {
    /// Links a source that has nothing to send, and completes. In place of an `subscribeCore`.
    package final func linkAndComplete() {
        link(EmptyUpstream.instance)
        completed()
    }

    /// Links a source that has nothing to send, and ends with an error. In place of an `subscribeCore`.
    package final func linkAndFail(_ error: any Swift.Error) {
        link(EmptyUpstream.instance)
        self.error(error)
    }
}
