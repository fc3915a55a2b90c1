// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxSwift
import TestSupport
import Testing

@Suite struct SerialExecutorTests {
    private actor Counter {
        private let scheduler: SerialDispatchQueueScheduler
        private let queue: DispatchQueue
        private(set) var count = 0
        private(set) var last = 0
        private(set) var isInOrder = true

        init(_ queue: DispatchQueue) {
            self.queue = queue
            scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "actor")
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { scheduler.asUnownedSerialExecutor() }

        func add(_ number: Int) {
            dispatchPrecondition(condition: .onQueue(queue))
            isInOrder = isInOrder && number == last + 1
            last = number
            count += 1
        }

        func increment() { count += 1 }

        /// The observer runs on the actor's executor.
        func follow(_ source: Observable<Int>) -> any Disposable {
            source.observe(on: scheduler).subscribe(onNext: { number in
                self.assumeIsolated { $0.add(number) }
            })
        }
    }

    @Test("An actor runs on a scheduler, one piece at a time") func actor() async {
        let counter = Counter(DispatchQueue(label: "queue"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { await counter.increment() } }
            }
        }
        #expect(await counter.count == 8_000)
    }

    @Test("Events that come on the scheduler are the actor's, in order") func events() async {
        let counter = Counter(DispatchQueue(label: "queue"))
        let source = PublishSubject<Int>()
        let subscription = await counter.follow(source)
        race { for number in 1...1_000 { source.onNext(number) } }
        while await counter.count < 1_000 { await Task.yield() }
        #expect(await counter.isInOrder)
        subscription.dispose()
    }
}
