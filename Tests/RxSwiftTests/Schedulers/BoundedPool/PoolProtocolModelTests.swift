// SPDX-License-Identifier: Apache-2.0

import RxSwift
import Testing

// A model of the protocol between `WorkerPool` and `PoolState`: all interleavings of submitting threads, of two workers, of a
// thread that suspends and a thread that shuts down. Each step is one access to shared memory: the state, the queue of one
// level, the semaphore. The model calls the real transitions.

/// A job that just runs, or a job that ends only when all such jobs have begun.
private enum Work { case runs, meets }

/// The next step of a worker.
private enum Phase: Hashable {
    case notStarted, look, take, clear, takeAgain, restore
    case endSearch, lookAtState, lookAtQueue, wakeOne, run
    case idle, sleep, asleep, end, ended
}

private struct Model: Hashable {
    struct Worker: Hashable {
        var phase = Phase.notStarted
        var isSearching = true
        var sawShutdown = false
        var job: Int?
    }

    var state = PoolState(word: 0)
    var queue: [Int] = []
    var isClosed = false
    var signals = 0
    var workers: [Worker]
    /// By job: 0 not submitted, 1 submitted and not announced, 2 announced.
    var producers: [Int]
    var begun: Set<Int> = []
    var finished: Set<Int> = []
    var rejected: Set<Int> = []
    var suspender = 0
    var sealer = 0
    var isEnded = false

    mutating func give(_ help: PoolState.WakeDecision) {
        switch help {
        case .none: break
        case .wake: signals += 1
        case .start(let number): workers[number].phase = .look
        }
    }
}

private struct Scenario {
    var jobs: [Work]
    var limit: Int
    var suspends = false
    var seals = false
    /// True if a worker looks again after it has cleared a level.
    var looksAgain = true
    /// True if a worker wakes others when this second look finds more than one job.
    var callsAfterClearing = true

    /// Returns all states that can follow a state.
    func successors(of model: Model) -> [Model] {
        var found: [Model] = []
        func add(_ step: (inout Model) -> Void) {
            var next = model
            step(&next)
            found.append(next)
        }
        for (job, progress) in model.producers.enumerated() {
            if progress == 0 {
                add {
                    $0.producers[job] = $0.isClosed ? 2 : 1
                    if $0.isClosed { $0.rejected.insert(job) } else { $0.queue.append(job) }
                }
            } else if progress == 1 {
                add {
                    $0.producers[job] = 2
                    $0.give($0.state.notifyWork(level: 0, limit: limit))
                }
            }
        }
        if suspends, model.suspender < 2 {
            add {
                $0.suspender += 1
                if $0.suspender == 1 { $0.state.suspend() } else { $0.give($0.state.resume(limit: limit)) }
            }
        }
        if seals, model.sealer == 0 {
            add {
                $0.sealer = 1
                $0.isClosed = true
            }
        } else if seals, model.sealer == 1 {
            add { model in
                model.sealer = 2
                guard let sealing = model.state.shutdown(hasWork: !model.queue.isEmpty) else { return }
                model.signals += sealing.wake
                model.give(sealing.decision)
                if sealing.isEnd { model.isEnded = true }
            }
        }
        for index in model.workers.indices {
            var next = model
            if stepWorker(index, &next) { found.append(next) }
        }
        return found
    }

    /// Moves a worker by one step. Returns false if the worker cannot move.
    private func stepWorker(_ index: Int, _ model: inout Model) -> Bool {
        var worker = model.workers[index]
        switch worker.phase {
        case .notStarted, .ended: return false
        case .look:
            worker.sawShutdown = model.state.isShutdown && !model.state.isSuspended
            let hasWork = model.state.isShutdown || model.state.levels != 0
            worker.phase = model.state.isSuspended || !hasWork ? .idle : .take
        case .take:
            if model.queue.isEmpty {
                worker.phase = worker.sawShutdown ? .idle : .clear
            } else {
                worker.job = model.queue.removeFirst()
                worker.phase = worker.isSearching ? .endSearch : .run
            }
        case .clear:
            model.state.clear(level: 0)
            worker.phase = looksAgain ? .takeAgain : .look
        case .takeAgain:
            if model.queue.isEmpty {
                worker.phase = .look
            } else {
                worker.job = model.queue.removeFirst()
                worker.phase = .restore
            }
        case .restore:
            model.state.restore(level: 0)
            worker.phase = worker.isSearching ? .endSearch : callsAfterClearing ? .lookAtState : .run
        case .endSearch:
            model.state.endSearch()
            worker.isSearching = false
            worker.phase = model.state.searching == 0 ? .lookAtState : .run
        case .lookAtState:
            let hasIdle = model.state.sleeping != 0 || model.state.workerCount != limit
            worker.phase = hasIdle && model.state.levels != 0 ? .lookAtQueue : .run
        case .lookAtQueue:
            worker.phase = model.queue.isEmpty ? .run : .wakeOne
        case .wakeOne:
            worker.phase = .run
            model.workers[index] = worker
            model.give(model.state.wakeOne(limit: limit))
            return true
        case .run:
            guard let job = worker.job else { return false }
            model.begun.insert(job)
            // A job that still waits changes no state, so that this step leads nowhere.
            let missing = jobs.indices.contains {
                jobs[$0] == .meets && !model.begun.contains($0) && !model.rejected.contains($0)
            }
            if jobs[job] == .meets, missing { return true }
            model.finished.insert(job)
            worker.job = nil
            worker.phase = .look
        case .idle:
            if worker.sawShutdown {
                worker.phase = .end
            } else {
                if !worker.isSearching { worker.isSearching = model.state.beginSearch(limit: limit) }
                worker.phase = .sleep
            }
        case .sleep:
            worker.phase = model.state.sleep(wasSearching: worker.isSearching) ? .asleep : .look
        case .asleep:
            if model.signals == 0 { return false }
            model.signals -= 1
            worker.isSearching = true
            worker.phase = .look
        case .end:
            if model.state.end(wasSearching: worker.isSearching) { model.isEnded = true }
            worker.phase = .ended
        }
        model.workers[index] = worker
        return true
    }

    /// Explores all interleavings, and returns the number of states and a state in which the pool is stuck, if there is one.
    func explore() -> (count: Int, stuck: Model?) {
        let start = Model(
            workers: Array(repeating: .init(), count: limit), producers: Array(repeating: 0, count: jobs.count))
        var seen: Set = [start]
        var open = [start]
        while let model = open.popLast() {
            let next = successors(of: model).filter { $0 != model }
            if next.isEmpty, !isSound(model) { return (seen.count, model) }
            for successor in next where seen.insert(successor).inserted { open.append(successor) }
        }
        return (seen.count, nil)
    }

    /// Returns true if a state without successors is a proper end.
    private func isSound(_ model: Model) -> Bool {
        guard model.queue.isEmpty, model.finished.count + model.rejected.count == jobs.count, model.signals == 0 else {
            return false
        }
        if !seals {
            return model.rejected.isEmpty && model.workers.allSatisfy { [.asleep, .notStarted].contains($0.phase) }
        }
        return model.isEnded && model.workers.allSatisfy { [.ended, .notStarted].contains($0.phase) }
            && model.state.workerCount == 0 && model.state.sleeping == 0 && model.state.searching == 0
    }
}

@Suite struct PoolProtocolModelTests {
    /// The scenarios with jobs that meet come to their end only if as many workers run.
    private static let complete = [
        Scenario(jobs: [.runs, .runs, .runs], limit: 1), Scenario(jobs: [.runs, .runs, .runs], limit: 2),
        Scenario(jobs: [.meets, .meets], limit: 2), Scenario(jobs: [.runs, .meets, .meets], limit: 2),
        Scenario(jobs: [.meets, .meets, .meets], limit: 3),
    ]

    @Test("No work waits while a worker sleeps", arguments: complete.indices)
    func noForgottenWork(index: Int) {
        let result = Self.complete[index].explore()
        #expect(result.stuck == nil && result.count > 100)
    }

    @Test("Resuming forgets no work") func resume() {
        let result = Scenario(jobs: [.meets, .meets], limit: 2, suspends: true).explore()
        #expect(result.stuck == nil && result.count > 100)
    }

    @Test("A shutdown runs or rejects each job and ends each worker", arguments: 1...2)
    func shutdown(limit: Int) {
        let result = Scenario(jobs: [.runs, .runs], limit: limit, suspends: true, seals: true).explore()
        #expect(result.stuck == nil && result.count > 100)
    }

    /// The second look finds a job that was submitted between the empty queue and the cleared level.
    @Test("Work is forgotten if the worker skips its second look at the queue") func secondLook() {
        #expect(Scenario(jobs: [.runs, .runs], limit: 1, looksAgain: false).explore().stuck != nil)
    }

    /// Another searching worker may fall asleep between the two looks, and leave the job to the second look.
    @Test("Work waits for a sleeper if the worker wakes none after its second look") func callAfterSecondLook() {
        let jobs: [Work] = [.runs, .meets, .meets]
        #expect(Scenario(jobs: jobs, limit: 2, callsAfterClearing: false).explore().stuck != nil)
    }
}
