// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives
import RxSwift

/// An open file with the writes that wait for it and the writes under way, until it is closed.
///
/// Two writes may be under way at once, at offsets behind each other, so that the disk is busy while the loop does other work. When
/// the first one fails, bytes of the other may be in the file already: the file is cut off where the first byte is missing, and so has all
/// bytes up to some point and none behind it. Writes to pipes and devices, and writes in append mode, whose places the system
/// chooses, are under way one at a time.
///
/// Used on the loop thread only, unless a comment says otherwise.
final class FileOutput: LoopDependent, @unchecked Sendable {
    let loop: EventLoop
    let path: String
    /// Usable from any thread.
    let queue: WriteQueue
    private let layout: Layout
    private let descriptor: Descriptor
    /// Held until the file is closed.
    @exclusivity(unchecked) private var hold: WriteClaim.Hold?

    @exclusivity(unchecked) private var pending = PendingWrites()
    /// The writes that were started, in the order of their offsets. The first one has not ended, or failed.
    @exclusivity(unchecked) private var underWay: [FileWriteOperation] = []
    @exclusivity(unchecked) private var recycled: FileWriteOperation?
    /// True while an operation is under way beside which no other may be.
    @exclusivity(unchecked) private var isExclusive = false
    @exclusivity(unchecked) private var synchronization: (operation: SynchronizeOperation, waiter: (any WriteWaiter)?)?
    /// The offset behind the last byte that was written or is being written.
    @exclusivity(unchecked) private var end: Int64
    /// The number of bytes written.
    @exclusivity(unchecked) private(set) var total = 0

    /// True once nothing more is to be written.
    @exclusivity(unchecked) private var isStopping = false
    /// The error for which nothing more is written.
    @exclusivity(unchecked) private(set) var failure: IOError?
    /// Called once with the error that has ended the writing; otherwise the bytes that are lost are reported.
    @exclusivity(unchecked) var onFailure: ((IOError) -> Void)?
    /// True once a close was requested. Everything that was accepted before is written first.
    @exclusivity(unchecked) private(set) var isCloseRequested = false
    @exclusivity(unchecked) private var isTelling = false
    @exclusivity(unchecked) private var isClosing = false
    @exclusivity(unchecked) private(set) var isClosed = false
    /// The objects that wait for the close.
    @exclusivity(unchecked) private var closeWaiters: [any WriteWaiter] = []
    /// The objects to be told when the queue becomes full, when writing has failed, and when the file is closed.
    @exclusivity(unchecked) private var observers = ObserverList<any OutputObserver>()

    /// The number of bytes for which another write is started beside one under way. Fewer wait for more.
    private static let worthwhile = 256 * 1024

    init(
        _ descriptor: Descriptor, _ layout: Layout, queue: WriteQueue, path: String,
        holding hold: WriteClaim.Hold? = nil, loop: EventLoop
    ) {
        self.descriptor = descriptor
        self.hold = hold
        self.layout = layout
        self.queue = queue
        self.path = path
        self.loop = loop
        if case .positions(let end) = layout { self.end = end } else { end = 0 }
        // Succeeds: the loop accepts dependents, as it is running the source that opens the file.
        _ = loop.add(self)
        #if TRACE_RESOURCES
            ResourceCensus.born(Self.self)
        #endif
    }

    #if TRACE_RESOURCES
        deinit { ResourceCensus.died(Self.self) }
    #endif

    // MARK: On any thread

    /// Queues an item, in order.
    func add(_ item: WriteQueue.Item, beyondLimit tolerance: OutputTolerance) -> WriteQueue.AddResult {
        // Another thread of the parent process may have held the lock of the queue.
        if rx_forks() != loop.forks { return WriteQueue.AddResult(rejection: shutDownError) }
        let result = queue.add(item, beyondLimit: tolerance)
        if result.tellsLoop {
            if loop.isDirect { advance() } else { loop.queue.submitExpress(advance) }
        }
        if result.hasFilled {
            // Submitted, not called at once: the caller may be an observer of this file.
            loop.queue.submitExpress {
                for observer in self.observers.all { observer.outputFilled() }
            }
        }
        return result
    }

    // MARK: Starting

    /// Starts what can be started.
    func advance() { startPending(telling: []) }

    /// Starts what can be started, then tells waiters of the writes that have ended, and then closes if that was requested.
    private func startPending(telling waiters: [any WriteWaiter]) {
        if isStopping || isClosing { return tell(waiters) }
        var reached: [any WriteWaiter] = []
        repeat {
            pending.append(queue.takeAdded())
            while let item = pending.first, start(item, &reached) {}
        } while mustLookAgain
        tell(waiters + reached)
        closeIfDone()
    }

    /// Tells an outcome. The file is not closed meanwhile, though one that is told may be the last to hold it: the close is told behind them.
    private func tell(_ waiters: [any WriteWaiter], _ error: IOError? = nil) {
        let isWithinAnother = isTelling
        isTelling = true
        for waiter in waiters { waiter.writeEnded(error) }
        isTelling = isWithinAnother
    }

    /// Arranges for the next call of `advance` unless the end of an operation is one. Returns true if there is something to start by now.
    private var mustLookAgain: Bool {
        if isExclusive || underWay.count >= layout.mostUnderWay { return false }
        // The end of what is under way is awaited.
        if let item = pending.first, !item.isGathered { return false }
        return !queue.requestNotice(at: underWay.isEmpty ? 0 : max(1, FileOutput.worthwhile - pending.bytes))
    }

    /// Starts the first pending item, and items behind it. Returns false if that has to wait.
    private func start(_ item: WriteQueue.Item, _ reached: inout [any WriteWaiter]) -> Bool {
        if isExclusive { return false }
        switch item.work {
        case _ where item.isGathered:
            let isWorthwhile = underWay.isEmpty || pending.bytes >= FileOutput.worthwhile
            if !isWorthwhile || underWay.count >= layout.mostUnderWay { return false }
            startGather()
        case _ where !underWay.isEmpty: return false
        case .write(let bytes, let offset?) where !bytes.isEmpty: start(bytes, at: offset, item.waiter)
        case .write:
            pending.removeFirst()
            queue.remove(bytes: 0, items: item.items)
            if let waiter = item.waiter { reached.append(waiter) }
        case .synchronize: startSynchronization(item.waiter)
        }
        return true
    }

    private func takeSpare() -> FileWriteOperation {
        defer { recycled = nil }
        return recycled ?? FileWriteOperation(descriptor)
    }

    private func startGather() {
        let operation = takeSpare()
        while let item = pending.first, case .write(let bytes, nil) = item.work, operation.add(bytes, item.waiter) {
            pending.removeFirst()
        }
        underWay.append(operation)
        let place = end
        end += Int64(operation.count)
        operation.begin(self, offset: layout.hasPlaces ? place : -1)
    }

    private func start(_ bytes: ByteChunk, at offset: Int64, _ waiter: (any WriteWaiter)?) {
        let operation = takeSpare()
        _ = operation.add(bytes, waiter)
        pending.removeFirst()
        underWay.append(operation)
        isExclusive = true
        // The system rejects what ends behind the greatest offset.
        let (behind, overflows) = offset.addingReportingOverflow(Int64(bytes.count))
        end = max(end, overflows ? .max : behind)
        operation.begin(self, offset: offset)
    }

    private func startSynchronization(_ waiter: (any WriteWaiter)?) {
        pending.removeFirst()
        isExclusive = true
        let operation = SynchronizeOperation(descriptor) { self.synchronized($0) }
        synchronization = (operation, waiter)
        descriptor.submit(operation)
    }

    // MARK: Ending

    /// Handles the end of a write.
    func ended(_ operation: FileWriteOperation) {
        if !operation.isComplete { stop(behind: operation) }
        var waiters: [any WriteWaiter] = []
        while let first = underWay.first, !first.isUnderWay, first.isComplete {
            underWay.removeFirst()
            isExclusive = false
            total += first.count
            queue.remove(bytes: first.count, items: first.itemCount)
            waiters.append(contentsOf: first.waiters.map(\.waiter))
            first.clear()
            recycled = first
        }
        startPending(telling: waiters)
        if isStopping { concludeIfStopped() }
    }

    private func synchronized(_ result: Int32) {
        guard let (operation, waiter) = synchronization else { return }
        if result == -EINTR, !isStopping { return descriptor.submit(operation) }
        synchronization = nil
        isExclusive = false
        queue.remove(bytes: 0, items: WriteQueue.Item.items(with: waiter))
        if result < 0 {
            // After the first failure, the system may report success for pages that it has dropped.
            failure = failure ?? IOError(code: -result, operation: "fsync", subject: path)
            isStopping = true
        }
        let waiters = waiter.map { [$0] } ?? []
        if result < 0 { tell(waiters, failure) }
        startPending(telling: result >= 0 ? waiters : [])
        if isStopping { concludeIfStopped() }
    }

    /// Writes nothing behind a write that has failed. Those before it go on: their bytes are wanted.
    private func stop(behind failed: FileWriteOperation) {
        isStopping = true
        guard let place = underWay.firstIndex(where: { $0 === failed }) else { return }
        stop(underWay[(place + 1)...])
    }

    private func stop(_ operations: ArraySlice<FileWriteOperation>) {
        for operation in operations {
            operation.stop()
            loop.cancel(operation)
        }
    }

    /// Ends the writing as soon as the kernel uses no memory any more.
    private func stop(with error: IOError) {
        failure = failure ?? error
        isStopping = true
        stop(underWay[...])
        if let synchronization { loop.cancel(synchronization.operation) }
        concludeIfStopped()
    }

    private func concludeIfStopped() {
        if isClosing || synchronization != nil || underWay.contains(where: \.isUnderWay) { return }
        let failed = underWay
        underWay = []
        isExclusive = false
        if let first = failed.first {
            truncateHole(failed)
            failure = failure ?? IOError(code: first.code, operation: "write", subject: subject(of: first))
        }
        guard let failure else { return }
        queue.reject(failure)
        pending.append(queue.takeAdded())
        conclude(failed, pending.removeAll(), failure)
    }

    /// Removes what was written behind the first missing byte.
    private func truncateHole(_ operations: [FileWriteOperation]) {
        guard let first = operations.first, case .positions = layout else { return }
        end = first.offset + Int64(first.written)
        if operations.dropFirst().contains(where: { $0.written > 0 }) {
            FileHole(path: path, start: end, hold: hold).remove(from: descriptor, on: loop)
        }
    }

    private func subject(of operation: FileWriteOperation) -> String {
        if onFailure != nil || operation.offset < 0 { return path }
        return "\(path) at offset \(operation.offset + Int64(operation.written))"
    }

    /// Tells everyone of the failure. The last step, as users are told.
    private func conclude(_ failed: [FileWriteOperation], _ dropped: [WriteQueue.Item], _ failure: IOError) {
        var isBehindHole = false
        var (written, unwritten): ([any WriteWaiter], [any WriteWaiter]) = ([], [])
        var lost = 0
        for operation in failed {
            let count = isBehindHole ? 0 : operation.written
            isBehindHole = true
            total += count
            written += operation.waiters.filter { $0.end <= count }.map(\.waiter)
            unwritten += operation.waiters.filter { $0.end > count }.map(\.waiter)
            lost += min(operation.unattendedBytes, operation.count - count)
            queue.remove(bytes: operation.count, items: operation.itemCount)
            operation.clear()
        }
        for item in dropped {
            queue.remove(bytes: item.count, items: item.items)
            if let waiter = item.waiter { unwritten.append(waiter) } else { lost += item.count }
        }
        let onFailure = onFailure
        self.onFailure = nil
        tell(written)
        tell(unwritten, failure)
        closeIfDone()
        for observer in observers.all { observer.outputChanged() }
        if let onFailure { onFailure(failure) } else if lost > 0 { IOHooks.reportRejectedSend(failure, lost) }
    }

    // MARK: Closing

    /// Closes behind everything that was accepted. The waiter learns of the first error of the file.
    func close(_ waiter: (any WriteWaiter)?) {
        if isClosed {
            waiter?.writeEnded(failure)
            return
        }
        if let waiter { closeWaiters.append(waiter) }
        isCloseRequested = true
        rejectWrites()
        advance()
        closeIfDone()
    }

    /// Rejects writes from now on, since the file is being closed; on any thread.
    func rejectWrites() { queue.reject(IOError(code: EBADF, operation: "write", subject: path)) }

    func removeCloseWaiter(_ waiter: any WriteWaiter) { closeWaiters.removeAll { $0 === waiter } }

    /// Drops what was not written, and closes. No object is told.
    func abandon() {
        if isClosing { return }
        isCloseRequested = true
        onFailure = { _ in }
        stop(with: IOError(code: ECANCELED, operation: "write", subject: path))
        closeIfDone()
    }

    private func closeIfDone() {
        if !isCloseRequested || isTelling || isClosing || isExclusive || !underWay.isEmpty || pending.first != nil {
            return
        }
        isClosing = true
        onFailure = nil
        descriptor.onClosed = closed
        descriptor.close()
    }

    private func closed() {
        isClosed = true
        recycled = nil
        hold = nil
        loop.remove(self)
        let waiters = closeWaiters
        closeWaiters = []
        if failure == nil, descriptor.closeError != 0 {
            let error = IOError(code: descriptor.closeError, operation: "close", subject: path)
            failure = error
            if waiters.isEmpty { IOHooks.report("\(error)") }
        }
        for waiter in waiters { waiter.writeEnded(failure) }
        for observer in observers.all { observer.outputChanged() }
    }

    /// Rejects what comes from now on, since the loop has ended. From any thread.
    func rejectAtEnd() { queue.reject(shutDownError) }

    func drain() -> Bool {
        rejectAtEnd()
        advance()
        if isClosing { descriptor.closeEnded() }
        return isClosing ? !isClosed : isExclusive || !underWay.isEmpty || pending.first != nil
    }

    func loopEnded() {
        if isClosing { return }
        isCloseRequested = true
        stop(with: shutDownError)
        closeIfDone()
    }

    private var shutDownError: IOError { IOError(code: ECANCELED, operation: "event loop shut down", subject: path) }

    // MARK: For OpenFile

    /// True if bytes have places: not in a pipe or a device. From any thread.
    var hasPlaces: Bool { layout.hasPlaces }

    /// The descriptor, unless it is being closed.
    var openDescriptor: Descriptor? { isClosing || descriptor.isClosing ? nil : descriptor }

    /// True if the system chooses the places of bytes. From any thread.
    var isAppending: Bool { layout.isAppending }

    /// Adds an object to be told when the queue becomes full, when writing has failed, and when the file is closed. It looks for itself
    /// whether that is so already.
    func addObserver(_ observer: any OutputObserver) {
        observers.add(observer, ObjectIdentifier(observer))
        queue.setObserved(true)
    }

    func removeObserver(_ observer: any OutputObserver) {
        observers.remove(ObjectIdentifier(observer))
        if observers.isEmpty { queue.setObserved(false) }
    }
}
