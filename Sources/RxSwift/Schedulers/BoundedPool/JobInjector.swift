import RxPrimitives

// JobInjector: the work of one priority that comes from outside of a pool.
//
// Algorithm: the inbox is a Treiber stack (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986) of jobs linked
// through themselves. Whoever finds nothing ready takes a turn at refilling: takes the whole stack, reverses it, which restores
// the order of acceptance, and makes the oldest ready in a ring, of which all workers take with one compare-exchange each.
// A queue in which every taker follows the links would have them wait for each other; a ring that producers write to would have
// to be bounded, or be allocated anew.
//
// Progress: `push` and `close` are lock-free; `take` is while something is ready. When nothing is, one worker refills, and the
// others are told so instead of waiting.
// Threads: all methods from any thread. The one who refills owns `rest` and the ring's owner side.
// Safe against ABA: jobs leave the stack only all at once.

/// First in, first out, from any thread to any thread. Retains what it holds.
package struct JobInjector: ~Copyable {
    /// The address of the job handed over last, 0 if there is none; and `closed`.
    private let inbox = AtomicWord(0)
    private let padding = CachePadding()
    /// Whose turn it is to refill: `free`, `taken`, or `freeWithRest`.
    private let refill = AtomicWord(JobInjector.free)
    /// The oldest of the jobs that were taken from the inbox and not made ready, linked in order. By the one who refills.
    private let rest = NonAtomicWord(0)
    /// What comes before the rest.
    private let ready = WorkStealingDeque(initialCapacity: JobInjector.readyLimit)
    private let endPadding = CachePadding()

    /// In the inbox: takes no more. Never cleared.
    private static let closed: UInt = 1

    /// Nobody refills, and there is no rest.
    private static let free: UInt = 0
    /// Somebody refills. Set by a compare-exchange, cleared by an exchange of the same thread.
    private static let taken: UInt = 1
    /// Nobody refills, and there is a rest.
    private static let freeWithRest: UInt = 2

    /// So many jobs are made ready at a time, so that the ring never grows.
    private static let readyLimit = 256

    package enum TakeResult {
        /// The job, with the reference to it.
        case job(Unmanaged<Job>)
        /// There was none.
        case none
        /// Somebody is refilling.
        case busy
    }

    package init() {}

    deinit {
        assert(!hasWork, "an injector was released with jobs in it")
    }

    /// Hands a job over, with the reference to it, unless the injector is closed.
    package func push(_ job: Unmanaged<Job>) -> Bool {
        let address = UInt(bitPattern: job.toOpaque())
        while true {
            let head = inbox.loadRelaxed()
            if head & JobInjector.closed != 0 { return false }
            job._withUnsafeGuaranteedRef { $0.nextInQueue = JobInjector.job(at: head) }
            // Releasing: paired with the compare-exchange in `takeInbox`. Sequentially consistent: the caller then looks
            // whether a worker sleeps, and a worker looks at the inbox after it said that it found nothing.
            if inbox.compareExchangeSequentially(head, address) { return true }
        }
    }

    /// Takes no more. What was handed over stays.
    package func close() {
        while true {
            let head = inbox.loadRelaxed()
            if head & JobInjector.closed != 0 { return }
            if inbox.compareExchangeSequentially(head, head | JobInjector.closed) { return }
        }
    }

    /// Whether there may be something to take.
    package var hasWork: Bool {
        // Sequentially consistent: paired with `push`, and with those who make ready.
        inbox.loadSequentially() & ~JobInjector.closed != 0 || refill.loadSequentially() != JobInjector.free
            || !ready.isEmpty
    }

    /// Takes the job that was handed over first.
    package func take() -> TakeResult {
        while true {
            if let word = ready.steal() { return .job(JobInjector.known(word)) }
            let turn = refill.loadRelaxed()
            // Acquiring: paired with the exchanges below, so that `rest` is as the one before left it.
            if turn == JobInjector.taken || !refill.compareExchange(turn, JobInjector.taken) { return .busy }
            // Only here is it certain that nothing goes from the inbox to the ring unseen.
            if !ready.isEmpty {
                _ = refill.exchangeSequentially(turn)
                continue
            }
            var oldest = JobInjector.job(at: rest.load()) ?? takeInbox()
            guard let job = oldest else {
                _ = refill.exchangeSequentially(JobInjector.free)
                return .none
            }
            oldest = job._withUnsafeGuaranteedRef { $0.nextInQueue }
            ready.push(upTo: JobInjector.readyLimit - 1) {
                guard let next = oldest else { return nil }
                next._withUnsafeGuaranteedRef {
                    oldest = $0.nextInQueue
                    $0.nextInQueue = nil
                }
                return UInt(bitPattern: next.toOpaque())
            }
            rest.store(oldest.map { UInt(bitPattern: $0.toOpaque()) } ?? 0)
            job._withUnsafeGuaranteedRef { $0.nextInQueue = nil }
            _ = refill.exchangeSequentially(oldest == nil ? JobInjector.free : JobInjector.freeWithRest)
            return .job(job)
        }
    }

    /// Takes and rejects all jobs, when no worker is left. Returns how many pieces of work are lost.
    package func rejectAll() -> Int {
        var count = 0
        while case .job(let job) = take() {
            if job.takeRetainedValue().wasRejected() { count += 1 }
        }
        return count
    }

    /// Empties the inbox: its jobs, linked, oldest first. By the one who refills.
    private func takeInbox() -> Unmanaged<Job>? {
        var head = inbox.loadSequentially()
        if head & ~JobInjector.closed == 0 { return nil }
        // Acquiring: paired with the release in `push`.
        while !inbox.compareExchangeSequentially(head, head & JobInjector.closed) { head = inbox.loadRelaxed() }
        var oldestFirst: Unmanaged<Job>?
        var next = JobInjector.job(at: head)
        while let job = next {
            job._withUnsafeGuaranteedRef {
                next = $0.nextInQueue
                $0.nextInQueue = oldestFirst
            }
            oldestFirst = job
        }
        return oldestFirst
    }

    private static func job(at head: UInt) -> Unmanaged<Job>? {
        UnsafeRawPointer(bitPattern: head & ~closed).map { .fromOpaque($0) }
    }

    private static func known(_ address: UInt) -> Unmanaged<Job> {
        .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
    }
}
