// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

@Suite struct TaskExecutorsTests {
    @Test("Tasks run on the threads of a pool") func pool() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2, name: "rx.executor")
        let names = await withTaskExecutorPreference(pool) {
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await Task.yield()
                        return currentThreadName()
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
        }
        #expect(names == ["rx.executor"])
        pool.shutdown()
    }

    @Test("A pool that was shut down lets tasks run elsewhere") func afterShutdown() async {
        let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 1)
        pool.shutdown()
        let sum = await Task(executorPreference: pool) {
            await Task.yield()
            return 3
        }.value
        #expect(sum == 3)
    }

    @Test("A task that suspends while its pool ends goes on") func shutdownMeanwhile() async {
        for _ in 0..<stepCount(500, debug: 100) {
            let pool = BoundedPoolScheduler(maxConcurrentOperationCount: 2)
            let tasks = (0..<4).map { number in
                Task(executorPreference: pool) {
                    for _ in 0..<10 { await Task.yield() }
                    return number
                }
            }
            pool.shutdown()
            for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
        }
    }

    @Test("Tasks run on a concurrent queue") func concurrentQueue() async {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "executor", attributes: .concurrent)
        queue.setSpecific(key: key, value: 7)
        let mark = await Task(executorPreference: ConcurrentDispatchQueueScheduler(queue: queue)) {
            await Task.yield()
            return DispatchQueue.getSpecific(key: key)
        }.value
        #expect(mark == 7)
    }
}

private func currentThreadName() -> String {
    guard let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) else { return "unknown" }
    return name.trimmingCharacters(in: .newlines)
}
