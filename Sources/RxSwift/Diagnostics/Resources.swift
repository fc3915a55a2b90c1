// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    /// The number of living objects of this library. Only with the compilation condition `TRACE_RESOURCES`.
    ///
    /// Counts observables, the stages of subscriptions, subjects, disposables and jobs that a scheduler holds. A program that has
    /// ended all its subscriptions is back at the number it started from; any excess is a leak, and `census()` names it.
    public enum Resources {
        /// The number of objects that are alive.
        public static var total: Int32 { Int32(truncatingIfNeeded: ResourceCensus.total.loadRelaxed()) }

        /// Adds one to `total`, for a resource of the program's own, and returns the new total.
        @discardableResult
        public static func incrementTotal() -> Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.total.fetchAdd(1)) + 1
        }

        /// Takes one from `total`, for a resource of the program's own, and returns the new total.
        @discardableResult
        public static func decrementTotal() -> Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.total.fetchAdd(0 &- 1)) - 1
        }

        /// The number of living observables that `observe(on:)` made with a serial dispatch queue scheduler.
        public static var numberOfSerialDispatchQueueObservables: Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.serialQueueObservables.loadRelaxed())
        }

        /// Lists the living objects by type, most numerous first, in O(number of types).
        public static func census() -> [(type: String, count: Int)] { ResourceCensus.census() }
    }
#endif
