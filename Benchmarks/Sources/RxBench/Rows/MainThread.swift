// SPDX-License-Identifier: Apache-2.0

import CPlainPeers
import Foundation
import OpenCombine
import RxSwift

/// The calls that the main thread makes to a subject on which two other threads emit all the time.
enum MainThreadCall: String, CaseIterable {
    case onNext, subscribe, dispose

    /// Calls about once per millisecond, on the main thread.
    func run(_ seconds: Double, _ subject: any SubjectAtWork) -> MainThreadRun {
        var worst: UInt64 = 0
        var worstCPU: UInt64 = 0
        let megabytes = PeakMemory.growth {
            let emitters = Callers(2) { _, number in subject.send(number) }
            let end = plain_now() + UInt64(seconds * 1e9)
            while plain_now() < end {
                var dispose: () -> Void = self == .dispose ? subject.subscribe() : {}
                let start = plain_now()
                let startCPU = plain_thread_time()
                switch self {
                case .onNext: subject.send(-1)
                case .subscribe: dispose = subject.subscribe()
                case .dispose: dispose()
                }
                worstCPU = max(worstCPU, plain_thread_time() - startCPU)
                worst = max(worst, plain_now() - start)
                if self == .subscribe { dispose() }
                usleep(1_000)
            }
            _ = emitters.stop()
            usleep(100_000)
        }
        return MainThreadRun(worst: Double(worst) / 1e6, worstCPU: Double(worstCPU) / 1e6, megabytes: megabytes)
    }
}

/// The duration of the main thread's longest call, and the processor time of the call that took most of it, in milliseconds.
struct MainThreadRun {
    let worst: Double
    let worstCPU: Double
    let megabytes: Double
}

/// A subject with a subscriber that counts.
protocol SubjectAtWork {
    func send(_ value: Int)

    /// Returns the closure that ends the subscription.
    func subscribe() -> () -> Void
}

struct BehaviorSubjectAtWork: SubjectAtWork {
    private let subject = BehaviorSubject(value: 0)
    private let count = Sum()

    init() {
        _ = subject.subscribe(onNext: { [count] _ in count.value += 1 })
    }

    func send(_ value: Int) { subject.onNext(value) }

    func subscribe() -> () -> Void { subject.subscribe(onNext: { _ in }).dispose }
}

final class CurrentValueSubjectAtWork: SubjectAtWork {
    private let subject = CurrentValueSubject<Int, Never>(0)
    private let count = Sum()
    private var counting: AnyCancellable?

    init() {
        counting = subject.sink { [count] _ in count.value += 1 }
    }

    func send(_ value: Int) { subject.send(value) }

    func subscribe() -> () -> Void { subject.sink { _ in }.cancel }
}
