// SPDX-License-Identifier: Apache-2.0

import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct OperationQueueSchedulerTests {
    private let queue = OperationQueue()
    private let scheduler: OperationQueueScheduler

    init() {
        queue.name = "operations"
        scheduler = OperationQueueScheduler(operationQueue: queue)
    }

    /// The fault: the hop was silent from then on, its end included.
    @Test("A hop whose operation the program cancels fails", arguments: [false, true]) func cancelledHop(
        isBounded: Bool
    ) async {
        let subject = PublishSubject<Int>()
        let hop =
            isBounded
            ? subject.observe(on: scheduler, buffer: 10, overflow: .suspend) : subject.observe(on: scheduler)
        let errors = Guarded<[SchedulerEndedError?]>([])
        _ = hop.subscribe(
            onNext: { _ in Issue.record("an element behind a missing one") },
            onError: { error in errors.change { $0.append(error as? SchedulerEndedError) } })
        queue.isSuspended = true
        subject.onNext(1)
        queue.cancelAllOperations()
        queue.isSuspended = false
        #expect(await eventually { !errors.value.isEmpty })
        subject.onNext(2)
        #expect(errors.value.map { $0?.schedulerName } == ["operations"])
        #expect(await eventually { !subject.hasObservers })
    }

    @Test("An action whose operation the program cancels is dropped, and later ones run") func cancelledAction() async {
        let ran = Guarded<[Int]>([])
        queue.isSuspended = true
        let action: @Sendable (Int) -> any Disposable = { number in
            ran.change { $0.append(number) }
            return Disposables.create()
        }
        _ = scheduler.schedule(1, action: action)
        queue.cancelAllOperations()
        _ = scheduler.schedule(2, action: action)
        queue.isSuspended = false
        #expect(await eventually { !ran.value.isEmpty })
        #expect(ran.value == [2])
    }
}
