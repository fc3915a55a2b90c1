import Dispatch
import RxPrimitives

/// Runs actions on the main queue, right away when already on it and nothing else is under way there.
///
/// What is handed over while on the main queue, with nothing enqueued at this scheduler object or under way there, runs inline;
/// everything else is queued, in hand-over order. Delayed actions run on the main queue when their time has come, and are not
/// counted as under way.
public final class MainScheduler: SerialDispatchQueueScheduler {
    /// The scheduler of the main queue.
    public static let instance = MainScheduler()

    /// The same queue, but never inline: what is handed over runs later even when already on the main queue.
    public static let asyncInstance = SerialDispatchQueueScheduler(
        jobs: SerialDispatchJobs(queue: .main, leeway: .nanoseconds(0)))

    /// A scheduler of the main queue with an order of its own: what runs inline at others does not keep it from running inline.
    public init() {
        super.init(jobs: SerialDispatchJobs(inlineOn: .main))
    }

    /// Stops the program when not on the main queue.
    ///
    /// - Parameter errorMessage: what to say then.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        if !MainQueue.isCurrent {
            fatalError(
                errorMessage
                    ?? "MainScheduler.ensureExecutingOnScheduler: not on the main queue. ObserveOnSink with observe(on: MainScheduler.instance) first."
            )
        }
    }

    /// Stops the program when not on the main queue.
    ///
    /// - Parameter errorMessage: what to say then.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        if !MainQueue.isCurrent {
            fatalError(errorMessage ?? "MainScheduler.ensureRunningOnMainThread: not on the main queue.")
        }
    }

    /// Whether the calling thread is running something inline, further up its stack.
    package static var isRunningInline: Bool { MainQueue.isCurrent && RunQueue.isAnyRunningInline }

    /// Runs something that waits behind what the calling thread is running inline.
    ///
    /// For one who keeps the main queue waiting.
    /// - Returns: false if nothing is waiting.
    package static func runNextBehindInline() -> Bool { MainQueue.isCurrent && RunQueue.runNextBehindInline() }

    override func scheduleAction<StateType>(
        _ state: StateType, _ action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
        guard dispatchJobs.jobs.tryEnterInline() else { return super.scheduleAction(state, action) }
        defer { dispatchJobs.jobs.leaveInline() }
        return action(state)
    }
}
