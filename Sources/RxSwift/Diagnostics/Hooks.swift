// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The handlers of reports that have no other receiver (an error that no closure handles, a queue that keeps growing).
///
/// Handlers are called on the thread on which the thing happened. They may be replaced at any time, from any thread.
public enum Hooks {
    /// Receives an error that no `onError` closure took, with the call stack captured at the subscription (or empty).
    public typealias DefaultErrorHandler = (_ subscriptionCallStack: [String], _ error: any Error) -> Void

    /// Captures the call stack at a subscription.
    public typealias CustomCaptureSubscriptionCallstack = () -> [String]

    /// Receives the name of an operator and about how many events wait at it: some hundreds of them may have been delivered just now.
    public typealias BacklogHandler = (_ operatorName: String, _ pending: Int) -> Void

    /// Receives a description of how a source broke the grammar of sequences, and at which operator.
    public typealias ContractViolationHandler = (_ description: String) -> Void

    /// Receives the name of a scheduler that was shut down, and how many pieces of work (actions, timers, hops) it did not run.
    public typealias WorkRejectedHandler = (_ scheduler: String, _ count: Int) -> Void

    /// Receives the name of a scheduler for which the system had no thread, and the error of `pthread_create`.
    public typealias ThreadShortageHandler = (_ scheduler: String, _ error: Int32) -> Void

    /// True if each subscription without an `onError` closure captures its call stack, for `defaultErrorHandler`.
    ///
    /// It is off by default, and costs as much as `customCaptureSubscriptionCallstack` does.
    public static var recordCallStackOnError: Bool {
        get { recording.loadRelaxed() != 0 }
        set { recording.storeRelaxed(newValue ? 1 : 0) }
    }

    /// Receives an error that no closure handles. By default it is printed in debug builds, and ignored in release builds.
    public static var defaultErrorHandler: DefaultErrorHandler {
        get { errorHandler.value }
        set { errorHandler.value = newValue }
    }

    /// Captures the call stack of a subscription when `recordCallStackOnError` is set.
    public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
        get { callStackCapture.value }
        set { callStackCapture.value = newValue }
    }

    /// The number of events that may wait at one place before `backlogHandler` is called.
    ///
    /// The handler is called again at each multiple; of `zip`, whose queue grows by doubling, when it has to grow; of `observe(on:)`, at the next multiple of 64. 10,000 by default. Subscribers that come or leave while a subject delivers wait there, too,
    /// and count as events do. A number that is not positive stops the program.
    public static var backlogThreshold: Int {
        get { Int(bitPattern: threshold.loadRelaxed()) }
        set {
            if newValue <= 0 { fatalError("Hooks.backlogThreshold: must be positive, is \(newValue)") }
            threshold.storeRelaxed(UInt(bitPattern: newValue))
        }
    }

    /// Receives a call when events wait at one place in numbers of `backlogThreshold`.
    ///
    /// Such places are serializers, hops, `zip`, `delay`, writes, and the queues for a slot of `merge(maxConcurrent:)` or for a task.
    ///
    /// Called once for each place (an operator in one subscription) and multiple of the threshold, on the thread that emits, which holds
    /// no lock of this library. Until a handler is set, each place prints one line to standard error, at the first multiple, also in
    /// release builds. Nothing is reported of a queue that drops elements. One that has paused a source is reported from ten times the threshold on: that comes
    /// of another source, which cannot pause.
    public static var backlogHandler: BacklogHandler {
        get { backlog.value ?? { printBacklog($0, $1, "events") } }
        set { backlog.value = newValue }
    }

    /// Receives a call in debug builds when a source emits after its terminal event. By default prints to standard error.
    public static var contractViolationHandler: ContractViolationHandler {
        get { contractViolation.value }
        set { contractViolation.value = newValue }
    }

    /// Receives a call when a scheduler that was shut down drops work.
    ///
    /// Such work is timers that were not due yet, and work submitted afterwards. By default prints to standard error in debug builds.
    public static var workRejectedHandler: WorkRejectedHandler {
        get { workRejected.value }
        set { workRejected.value = newValue }
    }

    /// The former name of `workRejectedHandler`.
    @available(*, deprecated, renamed: "workRejectedHandler")
    public static var workRefusedHandler: WorkRejectedHandler {
        get { workRejectedHandler }
        set { workRejectedHandler = newValue }
    }

    /// Receives a call when a `BoundedPoolScheduler` cannot start a thread.
    ///
    /// It is called again when that happens after a thread could be started. By default prints to standard error.
    public static var threadShortageHandler: ThreadShortageHandler {
        get { threadShortage.value }
        set { threadShortage.value = newValue }
    }

    private static let recording = AtomicWord(0)
    private static let threshold = AtomicWord(10_000)
    /// The program's own handler.
    private static let backlog = LockedBox<BacklogHandler?>(nil)
    private static func printBacklog(_ operatorName: String, _ pending: Int, _ unit: String) {
        // An operator with a bound has a backlog only where it is to pause a source that cannot.
        let isBounded = operatorName.contains("overflow:")
        let advice =
            isBounded
            ? "the source cannot pause; bound them with another overflow policy"
            : "bound them with onBackpressure(buffer:overflow:) or observe(on:buffer:overflow:)"
        fputs(
            "swift-rx: \(operatorName): \(pending) \(unit) are pending, because they come faster than they are delivered; \(advice)\n",
            stderr)
    }
    private static let callStackCapture = LockedBox<CustomCaptureSubscriptionCallstack>({ [] })
    private static let contractViolation = LockedBox<ContractViolationHandler>({ description in
        fputs("swift-rx: \(description)\n", stderr)
    })
    private static let workRejected = LockedBox<WorkRejectedHandler>({ scheduler, count in
        #if DEBUG
            fputs("swift-rx: \(scheduler) was shut down and did not run \(count) pieces of work\n", stderr)
        #endif
    })
    private static let threadShortage = LockedBox<ThreadShortageHandler>({ scheduler, error in
        fputs("swift-rx: the system has no thread for \(scheduler) (pthread_create: \(error))\n", stderr)
    })
    private static let errorHandler = LockedBox<DefaultErrorHandler>({ callStack, error in
        #if DEBUG
            let trace = callStack.joined(separator: "\n")
            print(
                "Unhandled error happened: \(error)" + (trace.isEmpty ? "" : "\nsubscription called from:\n\(trace)"))
        #endif
    })

    /// - Parameters:
    ///   - unit: what is counted.
    ///   - isFirst: whether it is the first report of its place.
    static func report(backlog count: Int, _ unit: String, at name: @autoclosure () -> String, isFirst: Bool) {
        if let handler = backlog.value {
            handler(name(), count)
        } else if isFirst {
            printBacklog(name(), count, unit)
        }
    }

    static func captureSubscriptionCallstack() -> [String] {
        recordCallStackOnError ? customCaptureSubscriptionCallstack() : []
    }

    static func handleUnhandledError(_ error: any Error, callStack: [String]) {
        defaultErrorHandler(callStack, error)
    }
}
