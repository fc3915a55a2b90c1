// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives
import RxSwift
import TestSupport

extension Laws {
    /// Stands between a port and the operator under test: a source that asks the operator whether it has to pause.
    final class Asker: @unchecked Sendable {
        private let lock = Mutex()
        /// Under the lock.
        private var live: [AskingSource] = []
        private let resumes = AtomicWord(0)

        func observable(above source: Observable<Int>) -> Observable<Int> {
            SourceObservable { sink in AskingSource(source, sink, of: self) }
        }

        /// Not in the list if the source was stopped before it started.
        fileprivate func began(_ source: AskingSource) {
            lock.withLock { if !source.hasStopped { live.append(source) } }
        }

        fileprivate func ended(_ source: AskingSource) {
            lock.withLock {
                source.hasStopped = true
                live.removeAll { $0 === source }
            }
        }

        fileprivate func resumed() { _ = resumes.fetchAdd(1) }

        /// The number of calls of `resume`.
        var resumeCount: Int { Int(resumes.loadAcquiring()) }

        /// The answer to the last subscription; nil if there is none.
        func ask() -> Bool? {
            let last = lock.withLock { live.last }
            return last?.ask()
        }
    }

    final class AskingSource: Source, PausableSource {
        private let source: Observable<Int>
        private let sink: Sink<Int>
        private let asker: Asker
        private let subscription = SingleAssignmentDisposable()
        /// Under the lock of `asker`.
        fileprivate var hasStopped = false

        fileprivate init(_ source: Observable<Int>, _ sink: Sink<Int>, of asker: Asker) {
            self.source = source
            self.sink = sink
            self.asker = asker
        }

        func start() {
            asker.began(self)
            subscription.setDisposable(source.subscribe { [sink] in sink.on($0) })
        }

        func quiesce() {}

        func stop() {
            asker.ended(self)
            subscription.dispose()
        }

        func resume() { asker.resumed() }

        fileprivate func ask() -> Bool { sink.pauses(self) }
    }

    /// A hop below an operator that can be made to pause it: by one element that weighs as much as the hop may hold.
    final class Brake: @unchecked Sendable {
        private struct Element: Weighted {
            /// Nil in the element that pulls the brake.
            let event: Event<Int>?
            var weightInBytes: Int { event == nil ? 1 << 20 : 0 }
        }

        private let queue = DispatchQueue(label: "brake")
        private let weight = PublishSubject<Element>()
        private let gate = DispatchSemaphore(value: 0)
        private var isOn = false

        deinit { release() }

        /// The elements of `source` on a queue of the brake's.
        func observable(below source: Observable<Int>) -> Observable<Int> {
            let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "brake.target")
            // Dematerialized, so that the end of the source is the end of both.
            return Observable.merge(source.materialize().map { Element(event: $0) }, weight).observe(on: scheduler)
                .compactMap(\.event).dematerialize()
        }

        func pull() {
            isOn = true
            let isBlocked = DispatchSemaphore(value: 0)
            queue.async { [gate] in
                isBlocked.signal()
                gate.wait()
            }
            isBlocked.wait()
            // One element counts as half of the bound at most.
            for _ in 0..<2 { weight.onNext(Element(event: nil)) }
        }

        func release() {
            if isOn { gate.signal() }
            isOn = false
        }

        /// Waits until what has arrived here was delivered.
        func settle() { for _ in 0..<3 { queue.sync {} } }
    }
}
