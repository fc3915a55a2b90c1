#if TRACE_RESOURCES
    /// The number of living objects of this library. Only with the compilation condition `TRACE_RESOURCES`.
    ///
    /// Counts observables, the stages of subscriptions, subjects, disposables and jobs that a scheduler holds. A program that has
    /// ended all its subscriptions is back at the number it started from; what is more is a leak, and `census()` names it.
    public enum Resources {
        /// How many objects are alive.
        public static var total: Int32 { Int32(truncatingIfNeeded: ResourceCensus.total.loadRelaxed()) }

        /// Adds one to `total`, for a resource of the program's own. Returns the new total.
        @discardableResult
        public static func incrementTotal() -> Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.total.fetchAdd(1)) + 1
        }

        /// Takes one from `total`, for a resource of the program's own. Returns the new total.
        @discardableResult
        public static func decrementTotal() -> Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.total.fetchAdd(0 &- 1)) - 1
        }

        /// How many observables made by `observe(on:)` with a serial dispatch queue scheduler are alive.
        public static var numberOfSerialDispatchQueueObservables: Int32 {
            Int32(truncatingIfNeeded: ResourceCensus.serialQueueObservables.loadRelaxed())
        }

        /// The living objects by type, most numerous first. O(number of types).
        public static func census() -> [(type: String, count: Int)] { ResourceCensus.census() }
    }
#endif
