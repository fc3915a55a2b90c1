// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// One subscriber's watch on one signal, from the subscription until `close`, or until it is released without having started.
final class SignalWatch {
    let signal: CInt
    /// Counts deliveries, and is closed after the handler was told.
    @exclusivity(unchecked) private var counter: OwnedDescriptor?
    private let lock = Mutex()
    /// Protected by the lock: no thread closes the counter while another one ends the watch.
    @exclusivity(unchecked) private var watch: OpaquePointer?
    @exclusivity(unchecked) private var descriptor: Descriptor?
    @exclusivity(unchecked) private var operation: CountOperation?
    @exclusivity(unchecked) private var loop: EventLoop?

    /// Starts to count deliveries; may be called from any thread.
    init(_ signal: CInt) throws(IOError) {
        self.signal = signal
        let fd = rx_eventfd_make()
        if fd < 0 { throw IOError(code: -fd, operation: "eventfd", subject: "signal \(signal)") }
        counter = OwnedDescriptor(fd)
        var error: CInt = 0
        watch = rx_signal_watch_make(signal, fd, &error)
        if error != 0 { throw IOError(code: error, operation: "sigaction", subject: "signal \(signal)") }
    }

    deinit { unwatch() }

    /// Starts to read the counter; called once, on the loop thread.
    ///
    /// - Parameter receive: retained until `close`. Receives the number of deliveries since its last call.
    func start(on loop: EventLoop, receive: @escaping (UInt64) -> Void) {
        rx_signal_admit(signal)
        self.loop = loop
        let descriptor = Descriptor(counter.take()!.take(), on: loop)
        self.descriptor = descriptor
        operation = CountOperation(descriptor, receive: receive)
        operation?.read()
    }

    /// Ends the watch; called on the loop thread.
    func close() {
        if let loop {
            // In this order, a signal that comes in between is still handled, or waits.
            rx_signal_dismiss(signal)
            if let operation { loop.cancel(operation) }
        }
        loop = nil
        unwatch()
        operation?.close()
        operation = nil
        descriptor?.close()
    }

    /// Counts nothing any more, and restores the earlier handling of the signal if this is its last watch; called on any thread.
    func unwatch() {
        lock.withLock {
            if let watch { rx_signal_unwatch(watch) }
            watch = nil
        }
    }
}

/// Reads a counter of the kernel again and again. Used only on the loop thread.
private final class CountOperation: DescriptorOperation {
    private unowned(unsafe) let descriptor: Descriptor
    private let count = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    @exclusivity(unchecked) private var receive: ((UInt64) -> Void)?

    init(_ descriptor: Descriptor, receive: @escaping (UInt64) -> Void) {
        self.descriptor = descriptor
        self.receive = receive
        super.init(
            Request(kind: RX_READ, descriptor: descriptor.fd, address: UnsafeMutableRawPointer(count), length: 8))
    }

    deinit { count.deallocate() }

    func read() { descriptor.submit(self) }

    func close() { receive = nil }

    override func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        // A read of an eventfd fails only by being cancelled.
        guard result == 8, let receive else { return }
        receive(count.pointee)
        if self.receive != nil { read() }
    }
}
