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
    /// The address of the job submitted last, 0 if there is none; and `closed`.
    private let inbox = AtomicWord(0)
    private let padding = CachePadding()
    /// The state of refilling: `free`, `taken`, or `freeWithRest`.
    private let refill = AtomicWord(JobInjector.free)
    /// The oldest of the jobs that were taken from the inbox and not made ready, linked in order. Only the refiller accesses it.
    private let rest = NonAtomicWord(0)
    /// The jobs that are ready, which come before the rest.
    private let ready = WorkStealingDeque(initialCapacity: JobInjector.readyLimit)
    private let endPadding = CachePadding()

    /// The bit of the inbox for a closed injector; never cleared.
    private static let closed: UInt = 1

    /// No thread refills, and there is no rest.
    private static let free: UInt = 0
    /// A thread refills. It sets this by a compare-exchange, and clears it by an exchange.
    private static let taken: UInt = 1
    /// No thread refills, and there is a rest.
    private static let freeWithRest: UInt = 2

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
        let address = UInt(bitPattern: job.toOpaque())
        while true {
            let head = inbox.loadRelaxed()
            if head & JobInjector.closed != 0 { return false }
            job._withUnsafeGuaranteedRef { $0.nextInQueue = JobInjector.job(at: head) }
            // Releasing: paired with the compare-exchange in `takeInbox`. Sequentially consistent: the caller then looks whether a
            // worker sleeps, and a worker looks at the inbox after it announced that it found nothing.
            if inbox.compareExchangeSequentially(head, address) { return true }
        }
    }

    /// Closes the injector, which accepts no more jobs. Jobs submitted before stay.
    package func close() {
        while true {
            let head = inbox.loadRelaxed()
            if head & JobInjector.closed != 0 { return }
            if inbox.compareExchangeSequentially(head, head | JobInjector.closed) { return }
        }
    }

    /// True if there may be a job to take.
    package var hasWork: Bool {
        // Sequentially consistent: paired with `push`, and with the refiller, which makes jobs ready.
        inbox.loadSequentially() & ~JobInjector.closed != 0 || refill.loadSequentially() != JobInjector.free
            || !ready.isEmpty
    }

    /// Takes the job that was submitted first.
    package func take() -> TakeResult {
        while true {
            if let word = ready.steal() { return .job(JobInjector.known(word)) }
            let turn = refill.loadRelaxed()
            // Acquiring: paired with the exchanges below, so that `rest` is as the refiller before left it.
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
