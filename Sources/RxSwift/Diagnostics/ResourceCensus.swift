// SPDX-License-Identifier: Apache-2.0

#if TRACE_RESOURCES
    import RxPrimitives

    /// Counts the living objects that have a life of their own, in all and by type.
    @usableFromInline
    package enum ResourceCensus {
        static let total = AtomicWord(0)
        static let serialQueueObservables = AtomicWord(0)
        private static let lock = Mutex()
        /// The counts, touched under the lock only.
        nonisolated(unsafe) private static var countByType: [ObjectIdentifier: (name: String, count: Int)] = [:]

        @usableFromInline
        package static func born(_ type: any Any.Type) {
            _ = total.fetchAdd(1)
            adjust(type, by: 1)
        }

        @usableFromInline
        package static func died(_ type: any Any.Type) {
            _ = total.fetchAdd(0 &- 1)
            adjust(type, by: -1)
        }

        private static func adjust(_ type: any Any.Type, by change: Int) {
            lock.withLock {
                let key = ObjectIdentifier(type)
                if let index = countByType.index(forKey: key) {
                    countByType.values[index].count += change
                } else {
                    countByType[key] = (String(describing: type), change)
                }
            }
        }

        /// The types of which objects are alive, most numerous first.
        static func census() -> [(type: String, count: Int)] {
            let living = lock.withLock { Array(countByType.values) }
            return living.filter { $0.count != 0 }.map { (type: $0.name, count: $0.count) }
                .sorted { ($1.count, $0.type) < ($0.count, $1.type) }
        }
    }
#endif
