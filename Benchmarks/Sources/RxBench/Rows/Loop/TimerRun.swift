// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CPlainPeers
    import Dispatch
    import NIOCore
    import RxIOUring
    import RxSwift

    /// Timers that are all armed first, in the loop, and then fall due evenly over a span of time.
    struct TimerPlan {
        let timers: Int
        /// The span in nanoseconds.
        let span: UInt64

        /// Nanoseconds from the beginning to the due time of the first timer: the time for arming them.
        var lead: UInt64 { span / 5 }

        /// Returns the due time of a timer, from the beginning. Neighbours are armed far apart from each other.
        func delay(_ place: Int) -> UInt64 {
            lead + UInt64(place * 611_953 % timers) * (span / UInt64(timers))
        }
    }

    /// One run of a plan, which measures the lateness of timers. Every timer has to fire once and not early.
    final class TimerRun: @unchecked Sendable {
        private let plan: TimerPlan
        // The loop owns all of these until `done`.
        private let lateness: UnsafeMutableBufferPointer<UInt64>
        private var due: [UInt64]
        private var fired: [UInt8]
        private var left: Int
        private var early = 0
        private let done = Completion()

        init(_ plan: TimerPlan, into lateness: UnsafeMutableBufferPointer<UInt64>) {
            self.plan = plan
            self.lateness = lateness
            due = Array(repeating: 0, count: plan.timers)
            fired = Array(repeating: 0, count: plan.timers)
            left = plan.timers
        }

        func onOurs() {
            Loops.onOurs("arming timers") { scheduler in
                self.arm { place, delay, _ in
                    _ = scheduler.scheduleRelative(place, dueTime: .nanoseconds(Int(delay))) { place in
                        self.fire(place)
                        return Disposables.create()
                    }
                }
            }
            done.wait("timers")
            // This job runs behind any timer that may be due a second time.
            Loops.onOurs("the loop after the timers") { _ in }
            check("ours")
        }

        func onNIO() {
            Loops.onNIO("arming NIO's timers") { loop in
                self.arm { place, _, due in
                    _ = loop.scheduleTask(deadline: .uptimeNanoseconds(due)) { self.fire(place) }
                }
            }
            done.wait("NIO's timers")
            Loops.onNIO("NIO's loop after the timers") { _ in }
            check("NIO")
        }

        private func arm(_ arm: (_ place: Int, _ delay: UInt64, _ due: UInt64) -> Void) {
            let beginning = plain_now()
            for place in 0..<plan.timers {
                let due = beginning + plan.delay(place)
                self.due[place] = due
                let now = plain_now()
                arm(place, due > now ? due - now : 0, due)
            }
        }

        private func fire(_ place: Int) {
            let now = plain_now()
            fired[place] &+= 1
            if now < due[place] { early += 1 } else { lateness[place] = now - due[place] }
            left -= 1
            if left == 0 { done.signal() }
        }

        private func check(_ side: String) {
            let wrong = fired.filter { $0 != 1 }.count
            guard wrong == 0, early == 0 else {
                fail(
                    "timer.loop.lateness, \(side): of \(plan.timers) timers \(wrong) did not fire once, \(early) fired early"
                )
            }
        }
    }
#endif
