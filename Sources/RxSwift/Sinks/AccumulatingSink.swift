// SPDX-License-Identifier: Apache-2.0

/// A sink that keeps a value and lets a closure change it in place with each element.
@usableFromInline
package class AccumulatingSink<Element, Accumulated, Output>: LinearSink<Element, Output> {
    @usableFromInline package final let accumulate: (inout Accumulated, Element) throws -> Void

    /// The value, in memory of its own: changing a stored property in place would cost a dynamic exclusivity check, and die in it if the
    /// closure came back here.
    @usableFromInline package final let accumulated: UnsafeMutablePointer<Accumulated>

    @inlinable
    package init(
        seed: Accumulated, accumulate: @escaping (inout Accumulated, Element) throws -> Void, downstream: Sink<Output>
    ) {
        self.accumulate = accumulate
        self.accumulated = .allocate(capacity: 1)
        accumulated.initialize(to: seed)
        super.init(downstream: downstream)
    }

    deinit {
        accumulated.deinitialize(count: 1)
        accumulated.deallocate()
    }
}
