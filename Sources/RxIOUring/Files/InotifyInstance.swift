// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// The inotify instance of a loop, which its followed files share. Used on the loop thread only.
///
/// The system gives a user few instances (128 by default) and many watches. The kernel has one watch for each file or directory, however
/// often it is asked for: the watch ends when its last watcher is removed.
///
/// The kernel takes 10 milliseconds or more to close an instance, which counts until then. So one without a watcher stays for a while: a stream
/// that follows one file after another uses the same one.
final class InotifyInstance: LoopDependent {
    private let loop: EventLoop
    private let descriptor: Descriptor
    /// Retains this instance until the kernel's last completion; `close` breaks the cycle.
    @exclusivity(unchecked) private var read: ReadOperation?
    /// The number of watchers that use this instance.
    @exclusivity(unchecked) private var users = 0
    /// The watchers by the number of their directory's watch and by the name in it.
    @exclusivity(unchecked) private var directories: [CInt: [[UInt8]: Watchers]] = [:]
    /// The watchers by the number of a file's watch.
    @exclusivity(unchecked) private var files: [CInt: Watchers] = [:]

    private typealias Watchers = [ObjectIdentifier: FileWatcher]
    private typealias ChangesByWatcher = [ObjectIdentifier: (watcher: FileWatcher, changes: FileWatcher.Changes)]

    /// Closes the instance, once it has no watcher.
    @exclusivity(unchecked) private var idleTimer: DelayTimer?
    private static let idleTime: Int64 = 100_000_000

    /// Bytes for many events; at least one with a name has to fit in.
    private static let roomForEvents = 16_384

    /// The instance of the loop for one more watcher. Throws an `IOError` if the system is out of instances.
    static func use(on loop: EventLoop, for path: File.Path) throws(IOError) -> InotifyInstance {
        if let instance = loop.locals[InotifyInstance.self] {
            instance.endIdleTime()
            instance.users += 1
            return instance
        }
        let fd = rx_watcher_make()
        if fd < 0 { throw IOError(code: -fd, operation: "inotify_init1", subject: path.description) }
        let instance = InotifyInstance(fd, on: loop)
        loop.locals[InotifyInstance.self] = instance
        return instance
    }

    private init(_ fd: CInt, on loop: EventLoop) {
        self.loop = loop
        // The kernel waits for all its processors to let go of the watches.
        descriptor = Descriptor(fd, on: loop, closesSlowly: true)
        users = 1
        let read = ReadOperation(descriptor, whenFinished: finished)
        self.read = read
        read.read(into: ByteStorage(capacity: InotifyInstance.roomForEvents), offset: -1)
    }

    /// Ends the use by a watcher that has removed its watches. The instance is closed some time after the last use.
    func endUse() {
        users -= 1
        if users > 0 { return }
        if loop.locals[InotifyInstance.self] !== self || !loop.add(self) { return close() }
        idleTimer = DelayTimer(on: loop, after: InotifyInstance.idleTime) { [self] in
            endIdleTime()
            close()
        }
    }

    private func endIdleTime() {
        guard let timer = idleTimer else { return }
        idleTimer = nil
        timer.cancel(on: loop)
        loop.remove(self)
    }

    func loopEnded() {
        idleTimer = nil
        close()
    }

    /// Leaves the place to the instance of the next watcher.
    private func leaveLoop() {
        if loop.locals[InotifyInstance.self] === self { loop.locals[InotifyInstance.self] = nil }
    }

    private func close() {
        leaveLoop()
        if let read { loop.cancel(read) }
        read = nil
        descriptor.close()
    }

    // MARK: Watches

    var fd: CInt { descriptor.fd }

    /// Adds a watcher to those of a directory's watch.
    func addDirectory(_ watch: CInt, for watcher: FileWatcher) {
        directories[watch, default: [:]][watcher.name, default: [:]][ObjectIdentifier(watcher)] = watcher
    }

    func removeDirectory(_ watch: CInt, of watcher: FileWatcher) {
        directories[watch]?[watcher.name]?[ObjectIdentifier(watcher)] = nil
        if directories[watch]?[watcher.name]?.isEmpty == true { directories[watch]?[watcher.name] = nil }
        guard directories[watch]?.isEmpty == true else { return }
        directories[watch] = nil
        removeUnused(watch)
    }

    /// Adds a watcher to those of a file's watch.
    func addFile(_ watch: CInt, for watcher: FileWatcher) {
        files[watch, default: [:]][ObjectIdentifier(watcher)] = watcher
    }

    func removeFile(_ watch: CInt, of watcher: FileWatcher) {
        files[watch]?[ObjectIdentifier(watcher)] = nil
        guard files[watch]?.isEmpty == true else { return }
        files[watch] = nil
        removeUnused(watch)
    }

    /// Removes a watch unless it has watchers.
    func removeUnused(_ watch: CInt) {
        if directories[watch] != nil || files[watch] != nil { return }
        // Fails if the directory is gone, and its watch with it.
        rx_watch_remove(descriptor.fd, watch)
    }

    // MARK: Events

    private func finished(_ result: Int32) {
        guard let read else { return }
        let storage = read.takeStorage()
        var collected: ChangesByWatcher = [:]
        if result <= 0, result != -EINTR {
            // The next watcher gets another instance.
            leaveLoop()
            if idleTimer != nil {
                endIdleTime()
                return close()
            }
            everyWatcher { collected[ObjectIdentifier($0)] = ($0, .init(error: result == 0 ? EIO : -result)) }
        } else {
            parse(UnsafeRawBufferPointer(start: storage.address, count: max(0, Int(result))), &collected)
            // Reads again before the receivers look: anything that happens after that look is an event again.
            read.read(into: storage, offset: -1)
        }
        for (watcher, changes) in collected.values { watcher.changed(changes, self) }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, _ collected: inout ChangesByWatcher) {
        var event = rx_watch_event()
        var offset = 0
        while true {
            let size = rx_watch_parse(bytes.baseAddress!, bytes.count, offset, &event)
            if size == 0 { return }
            offset += size
            if event.kinds & RX_WATCH_OVERFLOW.rawValue != 0 {
                // The lost events may include the end of a directory.
                everyWatcher { add(.init(isAboutPath: true, isDirectoryLost: true), $0, &collected) }
            } else if let watchers = files[event.watch] {
                for watcher in watchers.values { add(.init(), watcher, &collected) }
            } else if let names = directories[event.watch] {
                parse(event, names, &collected)
            }
        }
    }

    private func parse(_ event: rx_watch_event, _ names: [[UInt8]: Watchers], _ collected: inout ChangesByWatcher) {
        if event.kinds & RX_WATCH_GONE.rawValue != 0 {
            for watcher in names.values.joined() {
                add(.init(isAboutPath: true, isDirectoryLost: true), watcher.value, &collected)
            }
        }
        if event.kinds & RX_WATCH_NAME.rawValue != 0, let name = event.name {
            let bytes = UnsafeBufferPointer(
                start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: strlen(name))
            for watcher in (names[Array(bytes)] ?? [:]).values { add(.init(isAboutPath: true), watcher, &collected) }
        }
    }

    private func add(_ changes: FileWatcher.Changes, _ watcher: FileWatcher, _ collected: inout ChangesByWatcher) {
        collected[ObjectIdentifier(watcher), default: (watcher, .init())].changes.add(changes)
    }

    private func everyWatcher(_ body: (FileWatcher) -> Void) {
        for names in directories.values {
            for watchers in names.values { watchers.values.forEach(body) }
        }
    }
}
