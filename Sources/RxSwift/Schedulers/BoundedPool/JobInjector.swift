// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

// JobInjector: the work of one priority that comes from outside of a pool.
//
// Algorithm: the inbox is a Treiber stack (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986) of jobs linked
// through themselves. A thread that finds nothing ready becomes the refiller for a while: it takes the whole stack, reverses it,
// which restores the order of acceptance, and makes the oldest ready in a ring, from which all workers take with one compare-exchange
// each. In a queue in which every taker follows the links, takers would wait for each other; a ring that producers write to would
// have to be bounded, or be allocated anew.
//
// Progress: `push` and `close` are lock-free; `take` is while something is ready. When nothing is ready, one worker refills, and
// `take` tells the others so instead of making them wait.
// Threads: all methods may be called from any thread. The refiller owns `rest` and the ring's owner side.
// Safe against ABA: jobs leave the stack only all at once.

/// A first-in, first-out queue from any thread to any thread, which retains its jobs.
package struct JobInjector: ~Copyable {
    /// An `InboxState`.
    private let inbox = AtomicWord(InboxState.open.word)
    private let padding = CachePadding()
    /// A `RefillState`.
    private let refill = AtomicWord(RefillState.free.rawValue)
    /// The oldest of the jobs that were taken from the inbox and not made ready, linked in order. Only the refiller accesses it.
    private let rest = NonAtomicWord(0)
    /// The jobs that are ready, which come before the rest.
    private let ready = WorkStealingDeque(initialCapacity: JobInjector.readyLimit)
    private let endPadding = CachePadding()

    /// The number of jobs made ready at a time, so that the ring never grows.
    private static let readyLimit = 256

    package enum TakeResult {
        /// The job, with the reference to it.
        case job(Unmanaged<Job>)
        /// There was no job to take.
        case none
        /// Another thread is refilling the ring.
        case busy
    }

    package init() {}

    deinit {
        assert(!hasWork, "an injector was released with jobs in it")
    }

    /// Submits a job, with the reference to it, unless the injector is closed.
    package func push(_ job: Unmanaged<Job>) -> Bool {
        while true {
            let head = InboxState(word: inbox.loadRelaxed())
            if head.isClosed { return false }
            job.next = head.newest
            // Releasing: paired with the compare-exchange in `takeInbox`. Sequentially consistent: the caller then looks whether a
            // worker sleeps, and a worker looks at the inbox after it announced that it found nothing.
            if inbox.compareExchangeSequentially(head.word, InboxState.pushed(job).word) { return true }
        }
    }

    /// Closes the injector, which accepts no more jobs. Jobs submitted before stay.
    package func close() {
        while true {
            let head = InboxState(word: inbox.loadRelaxed())
            if head.isClosed || inbox.compareExchangeSequentially(head.word, head.closed.word) { return }
        }
    }

    /// True if there may be a job to take.
    package var hasWork: Bool {
        // Sequentially consistent: paired with `push`, and with the refiller, which makes jobs ready.
        InboxState(word: inbox.loadSequentially()).newest != nil
            || refill.loadSequentially() != RefillState.free.rawValue || !ready.isEmpty
    }

    /// Takes the job that was submitted first.
    package func take() -> TakeResult {
        while true {
            if let word = ready.steal() { return .job(Unmanaged(word: word).unsafelyUnwrapped) }
            let turn = refill.loadRelaxed()
            // Acquiring: paired with the exchanges below, so that `rest` is as the refiller before left it.
            let taken = RefillState.taken.rawValue
            if turn == taken || !refill.compareExchange(turn, taken) { return .busy }
            // Only here is it certain that nothing goes from the inbox to the ring unseen.
            if !ready.isEmpty {
                _ = refill.exchangeSequentially(turn)
                continue
            }
            var oldest = Unmanaged(word: rest.load()) ?? takeInbox()
            guard let job = oldest else {
                _ = refill.exchangeSequentially(RefillState.free.rawValue)
                return .none
            }
            oldest = job.next
            ready.push(upTo: JobInjector.readyLimit - 1) {
                guard let next = oldest else { return nil }
                oldest = next.next
                next.next = nil
                return next.word
            }
            rest.store(oldest?.word ?? 0)
            job.next = nil
            _ = refill.exchangeSequentially((oldest == nil ? RefillState.free : .freeWithRest).rawValue)
            return .job(job)
        }
    }

    /// Takes and rejects all jobs, when no worker is left. Returns the number of pieces of work that are lost.
    package func rejectAll() -> Int {
        var count = 0
        while case .job(let job) = take() {
            if job.takeRetainedValue().wasRejected() { count += 1 }
        }
        return count
    }

    /// Empties the inbox, and returns its jobs, linked, oldest first. Only the refiller calls it.
    private func takeInbox() -> Unmanaged<Job>? {
        var head = InboxState(word: inbox.loadSequentially())
        guard head.newest != nil else { return nil }
        // Acquiring: paired with the release in `push`.
        while !inbox.compareExchangeSequentially(head.word, head.emptied.word) {
            head = InboxState(word: inbox.loadRelaxed())
        }
        return head.newest.map(JobQueue.oldestFirst)
    }
}

/// The word of an injector's inbox: the job submitted last, and whether the injector is closed.
private struct InboxState {
    let word: UInt

    init(word: UInt) { self.word = word }

    /// Never cleared.
    private static let closedBit: UInt = 1

    /// Open and empty.
    static let open = InboxState(word: 0)

    static func pushed(_ job: Unmanaged<Job>) -> InboxState { InboxState(word: job.word) }

    var isClosed: Bool { word & InboxState.closedBit != 0 }

    /// The top of the stack.
    var newest: Unmanaged<Job>? { Unmanaged(word: word & ~InboxState.closedBit) }

    var closed: InboxState { InboxState(word: word | InboxState.closedBit) }

    /// The refiller has taken all jobs.
    var emptied: InboxState { InboxState(word: word & InboxState.closedBit) }
}

/// Tells whether a thread refills an injector's ring.
private enum RefillState: UInt {
    /// No thread refills, and there is no rest.
    case free
    /// A thread refills. It sets this by a compare-exchange, and clears it by an exchange.
    case taken
    /// No thread refills, and there is a rest.
    case freeWithRest
}
