// SPDX-License-Identifier: Apache-2.0

import CExplorer
import RxSwift

/// One execution of a scenario: its threads, and what must hold when they have ended.
struct Run {
    var threads: [() -> Void]
    var check: () -> Void

    init(_ first: @escaping () -> Void, _ second: @escaping () -> Void, check: @escaping () -> Void) {
        self.init(threads: [first, second], check: check)
    }

    init(
        _ first: @escaping () -> Void, _ second: @escaping () -> Void, _ third: @escaping () -> Void,
        check: @escaping () -> Void
    ) {
        self.init(threads: [first, second, third], check: check)
    }

    init(threads: [() -> Void], check: @escaping () -> Void) {
        self.threads = threads
        self.check = check
    }
}

/// A small program whose schedules are explored.
struct Scenario {
    let name: String
    /// What must hold, in one line.
    let claim: String
    var preemptions = 3
    /// How many loads of an execution may return an older value.
    var staleLoads = 2
    var stepLimit = 3_000
    /// True if threads get freed memory again at once, as a test of safety against ABA needs. The explorer does not notice late accesses then.
    var reusesMemory = false
    let prepare: () -> Run

    init(
        _ name: String, _ claim: String, preemptions: Int = 3, staleLoads: Int = 2, reusesMemory: Bool = false,
        prepare: @escaping () -> Run
    ) {
        self.reusesMemory = reusesMemory
        self.name = name
        self.claim = claim
        self.preemptions = preemptions
        self.staleLoads = staleLoads
        self.prepare = prepare
    }
}

/// Fails the scenario unless a condition holds. From any of its threads, its set-up and its check.
func require(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { rx_model_fail(text()) }
}

/// Fails the scenario when the calling thread holds a lock: where the library calls out (law L7).
func requireNoLock() {
    if rx_model_locks_held() != 0 { rx_model_fail("a lock is held across a call-out") }
}

/// What the explorer was asked to do with a scenario.
struct Search {
    var preemptions: Int?
    var staleLoads: Int?
    var reduces = true
    var checksMemory = true
    var seed: UInt64 = 0
    var maxExecutions = UInt64.max
    var maxSeconds = 10.0
    var replay: String?
}

private final class Context {
    let scenario: Scenario
    var run: Run?

    init(_ scenario: Scenario) { self.scenario = scenario }
}

extension Scenario {
    func explore(_ search: Search) -> rx_result {
        ScenarioDeputies.reset()
        let context = Context(self)
        var callbacks = rx_scenario(
            prepare: { context in
                let context = Unmanaged<Context>.fromOpaque(context!).takeUnretainedValue()
                let run = context.scenario.prepare()
                context.run = run
                return Int32(run.threads.count)
            },
            body: { context, thread in
                let run = Unmanaged<Context>.fromOpaque(context!)
                let body = run._withUnsafeGuaranteedRef { $0.run!.threads[Int(thread)] }
                body()
            },
            check: { context in
                let context = Unmanaged<Context>.fromOpaque(context!).takeUnretainedValue()
                context.run?.check()
                context.run = nil
            })
        var options = rx_options()
        options.preemptions = Int32(search.preemptions ?? preemptions)
        options.stale_loads = Int32(search.staleLoads ?? staleLoads)
        options.step_limit = Int32(stepLimit)
        options.reduces = search.reduces
        options.checks_memory = search.checksMemory
        options.reuses_memory = reusesMemory
        options.seed = search.seed
        options.max_executions = search.maxExecutions
        options.max_seconds = search.maxSeconds
        return withExtendedLifetime(context) {
            let pointer = Unmanaged.passUnretained(context).toOpaque()
            guard let replay = search.replay else { return rx_explore(&callbacks, pointer, &options) }
            return replay.withCString {
                options.replay = $0
                return rx_explore(&callbacks, pointer, &options)
            }
        }
    }
}
