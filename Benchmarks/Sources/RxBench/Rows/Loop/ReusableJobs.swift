// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Glibc
    import RxIOUring
    import RxSwift
    import Synchronization

    /// A count that the loop writes and any thread reads.
    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        var value: Int { count.load(ordering: .acquiring) }

        // Releasing: paired with the load in `value`.
        func add(_ more: Int) { count.store(count.load(ordering: .relaxed) + more, ordering: .releasing) }

        func reset() { count.store(0, ordering: .relaxed) }
    }

    /// A ring of jobs on this library's loop that are posted again and again, each only after it has run. Each adds its place in the
    /// ring.
    final class ReusableJobs: @unchecked Sendable {
        static let shared = ReusableJobs()

        private static let count = 10_000
        /// The number of jobs after which the posting thread checks the progress of the loop.
        private static let group = 1_000

        private var jobs: [ReusableJob] = []
        /// Used by the loop only, except between two calls.
        private let sum = Sum()
        /// Postings still to be made from within. Used by the loop only.
        private var left = 0
        /// The number of jobs that have run, in whole groups. Written by the loop.
        private let ran = Counter()
        private let done = Completion()

        /// Returns the sum that the jobs add after so many postings.
        static func sum(_ events: Int) -> Int {
            events / count * triangle(count)
        }

        private init() {
            // The bodies capture the values they use, as the closures of the peers do.
            let sum = sum
            let ran = ran
            jobs = (0..<ReusableJobs.count).map { place in
                let endsGroup = (place + 1).isMultiple(of: ReusableJobs.group)
                guard endsGroup else { return Loops.ours.makeJob { sum.value &+= place } }
                return Loops.ours.makeJob {
                    sum.value &+= place
                    ran.add(ReusableJobs.group)
                }
            }
        }

        func postFromOutside(_ events: Int) -> Int {
            start(events)
            var posted = 0
            while posted < events {
                for group in stride(from: 0, to: ReusableJobs.count, by: ReusableJobs.group) {
                    // One group more than needed: the job that reports its group is still running.
                    let needed = posted - ReusableJobs.count + 2 * ReusableJobs.group
                    while ran.value < needed { sched_yield() }
                    for place in group..<group + ReusableJobs.group { jobs[place].post() }
                    posted += ReusableJobs.group
                }
            }
            signalFromLoop()
            done.wait("reusable jobs")
            return sum.value
        }

        func submitLocal(_ events: Int) -> Int {
            start(events)
            left = events
            _ = Loops.ours.schedule(self) { $0.postRing() }
            done.wait("reusable jobs in loop")
            return sum.value
        }

        private func start(_ events: Int) {
            precondition(events.isMultiple(of: ReusableJobs.count), "whole rings only")
            ran.reset()
            sum.value = 0
        }

        /// Posts every job once, and calls itself again when all have run.
        private func postRing() -> any Disposable {
            if left == 0 {
                done.signal()
                return Disposables.create()
            }
            left -= ReusableJobs.count
            for job in jobs { job.post() }
            return Loops.ours.schedule(self) { $0.postRing() }
        }

        private func signalFromLoop() {
            _ = Loops.ours.schedule(done) {
                $0.signal()
                return Disposables.create()
            }
        }
    }
#endif
