// SPDX-License-Identifier: Apache-2.0

import RxSwift
import TestSupport

extension Laws {
    static let scheduleRows: [Row] = [
        Row("observe(on:)", "serial", keeps: .everything, isAsynchronous: true, chains: false) { source, _ in
            source.observe(on: Laws.scheduler)
        },
        Row(
            "observe(on:)", "concurrent", keeps: .everything, isAsynchronous: true, schedulers: [.concurrent],
            chains: false
        ) { source, _ in
            source.observe(on: Laws.concurrentScheduler)
        },
        Row(
            "observe(on:)", "operations", keeps: .everything, isAsynchronous: true, schedulers: [.operations],
            chains: false
        ) { source, _ in
            source.observe(on: OperationQueueScheduler(operationQueue: Laws.operations))
        },
        Row(
            "observe(on:)", "host loop", keeps: .everything, isAsynchronous: true, schedulers: [hostThread],
            chains: false
        ) { source, _ in
            source.observe(on: hostScheduler)
        },
        Row("observe(on:)", "current thread", keeps: .everything, chains: false) { source, _ in
            source.observe(on: CurrentThreadScheduler.instance)
        },
        Row(
            "observe(on:)", "two hops", keeps: .everything, isAsynchronous: true, schedulers: [.concurrent, .serial],
            chains: false
        ) { source, probe in
            source.observe(on: Laws.concurrentScheduler)
                .map {
                    try probe.visit("between")
                    return $0
                }
                .observe(on: Laws.scheduler)
        },
        Row(
            "observe(on:buffer:overflow:onDropped:)", "suspend", keeps: .everything, isAsynchronous: true, chains: false
        ) { source, _ in
            source.observe(on: Laws.scheduler, buffer: 8, overflow: .suspend)
        },
        Row(
            "observe(on:buffer:overflow:onDropped:)", "concurrent", keeps: .everything, isAsynchronous: true,
            schedulers: [.concurrent], chains: false
        ) { source, _ in
            source.observe(on: Laws.concurrentScheduler, buffer: 8, overflow: .suspend)
        },
        Row(
            "observe(on:buffer:overflow:onDropped:)", "dropOldest", isAsynchronous: true, chains: false
        ) { source, _ in
            source.observe(on: Laws.scheduler, buffer: 1_000, overflow: .dropOldest)
        },
        Row("onBackpressure(buffer:overflow:onDropped:)", "suspend", keeps: .everything, chains: false) { source, _ in
            source.onBackpressure(buffer: 8, overflow: .suspend)
        },
        Row("onBackpressure(buffer:overflow:onDropped:)", "dropOldest", keeps: .everything, chains: false) {
            source, _ in
            source.onBackpressure(buffer: 8, overflow: .dropOldest)
        },
        Row(
            "onBackpressure(buffer:overflow:onDropped:)", "above a hop", keeps: .everything, isAsynchronous: true,
            chains: false
        ) { source, _ in
            source.onBackpressure(buffer: 8, overflow: .suspend).observe(
                on: Laws.scheduler, buffer: 4, overflow: .suspend)
        },
        Row("subscribe(on:)", "serial", isAsynchronous: true, completes: false, chains: false) { source, _ in
            source.subscribe(on: Laws.scheduler)
        },
        Row(
            "subscribe(on:)", "host loop", isAsynchronous: true, schedulers: [hostThread], completes: false,
            chains: false
        ) { source, _ in
            source.subscribe(on: hostScheduler)
        },
        Row("subscribe(on:)", "current thread", keeps: .everything) { source, _ in
            source.subscribe(on: CurrentThreadScheduler.instance)
        },
    ]

    private static let hostThread = SchedulerThreads.named("rx.laws.host")
    private static let hostScheduler = HostEventLoopScheduler(ThreadHostLoop(name: "rx.laws.host"))
}
