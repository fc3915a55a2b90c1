// SPDX-License-Identifier: Apache-2.0

/// The upper end of a chain whose source ends right inside `subscribeCore`, and so has nothing to cancel.
///
/// It is linked all the same: a stage recognizes by its cancelled link that the sequence has ended below it. All chains share
/// one object.
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
    /// Links a source that has nothing to send, and completes; used in place of a `subscribeCore`.
    package final func linkAndComplete() {
        link(EmptyUpstream.instance)
        completed()
    }

    /// Links a source that has nothing to send, and ends with an error; used in place of a `subscribeCore`.
    package final func linkAndFail(_ error: any Swift.Error) {
        link(EmptyUpstream.instance)
        self.error(error)
    }
}
