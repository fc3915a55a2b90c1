import CRxIOUring
import Glibc

/// What a loop gets completions from. For the loop's thread, but for `interrupt`.
class Backend {
    var kind: IOUringScheduler.Backend { fatalError("swift-rx: a subclass has to implement this property") }

    /// How many operations are in flight.
    @exclusivity(unchecked) final var inFlight = 0

    final var isIdle: Bool { inFlight == 0 }

    /// Whether operations wait to be handed to the kernel.
    var hasPrepared: Bool { false }

    /// Whether `poll` has something to do. No system call.
    var hasEvents: Bool { false }

    /// Takes an operation, which is not in flight, and completes it later: never before this returns.
    func submit(_ operation: Operation) { fatalError("swift-rx: a subclass has to implement this method") }

    /// The operation is in flight.
    func cancel(_ operation: Operation) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Hands what was submitted to the kernel, and sleeps until something is completed, `interrupt` was called, or a time of
    /// the monotonic clock has come (nil: never). What was completed waits for `dispatch`.
    func wait(until deadline: UInt64?) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Hands out what was completed. Returns whether there was something.
    @discardableResult
    func dispatch() -> Bool { fatalError("swift-rx: a subclass has to implement this method") }

    /// Hands what was submitted to the kernel, and hands out what is completed by now. Returns whether there was something.
    @discardableResult
    func poll() -> Bool { fatalError("swift-rx: a subclass has to implement this method") }

    /// Ends the `wait` under way, or the next one. From any thread, until `close`, and harmless afterwards.
    func interrupt() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Makes a descriptor fit for operations: without blocking where the backend needs that.
    func prepare(_ descriptor: CInt) {}

    /// Forgets a descriptor for which nothing is in flight, before it is closed.
    func forget(_ descriptor: CInt) {}

    /// Whether an accept may go on after its first connection.
    var acceptsMany: Bool { fatalError("swift-rx: a subclass has to implement this property") }

    /// Buffers for `RX_RECEIVE_POOL`, made when they are first asked for. Nil where there can be none.
    final var receivePool: ReceivePool? {
        if !triedReceivePool {
            triedReceivePool = true
            madeReceivePool = makeReceivePool()
        }
        return madeReceivePool
    }

    @exclusivity(unchecked) private final var triedReceivePool = false
    /// The pool, if it was made.
    @exclusivity(unchecked) final private(set) var madeReceivePool: ReceivePool?

    func makeReceivePool() -> ReceivePool? { nil }

    /// A buffer of the pool can be received into again.
    func returnBuffer(_ number: Int) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Nothing is in flight and nothing will be: gives back what is the kernel's.
    func close() {}
}

/// A counter in the kernel by which other threads wake a loop.
struct WakeDescriptor: ~Copyable {
    let descriptor: CInt

    /// Nil, and an errno, where the system is out of descriptors.
    init?(error: inout CInt) {
        descriptor = rx_eventfd_make()
        if descriptor < 0 {
            error = -descriptor
            return nil
        }
    }

    func signal() {
        var one: UInt64 = 1
        // Fails only when the counter is full: then the loop is being woken already.
        _ = write(descriptor, &one, 8)
    }

    deinit { _ = Glibc.close(descriptor) }
}
