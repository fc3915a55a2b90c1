import CRxIOUring
import Glibc

/// Reports changes to a name in a directory, and to the content of files, by inotify. Used only on the loop thread.
///
/// Events are only hints: their receiver looks at the files itself. So it does not matter which ones the kernel has merged.
final class FileWatcher {
    /// The sum of a series of events.
    struct Changes {
        /// True if another file may have the name.
        var isAboutPath = false
        /// The error for which the directory is not watched any more, if it has moved or is gone; else 0.
        var directoryError: CInt = 0
        /// The error for which nothing is reported any more, or 0.
        var error: CInt = 0
    }

    private let path: String
    private let directoryPath: String
    private let name: String
    private let loop: EventLoop
    private let heard: (Changes) -> Void

    @exclusivity(unchecked) private var descriptor: Descriptor?
    /// Retains this watcher until the kernel's last completion; `end` breaks the cycle.
    @exclusivity(unchecked) private var read: ReadOperation?
    @exclusivity(unchecked) private var directory: CInt = -1

    /// Bytes for many events; at least one with a name has to fit in.
    private static let roomForEvents = 4096

    /// - Parameters:
    ///   - path: the name to watch. Files are watched separately.
    ///   - heard: called with the changes when something has happened.
    init(_ path: String, on loop: EventLoop, heard: @escaping (Changes) -> Void) {
        self.path = path
        self.loop = loop
        self.heard = heard
        let slash = path.lastIndex(of: "/")
        name = String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...])
        switch slash {
        case nil: directoryPath = "."
        case path.startIndex?: directoryPath = "/"
        case let slash?: directoryPath = String(path[..<slash])
        }
    }

    /// Starts to watch, or returns the error for which that is impossible.
    func begin() -> IOError? {
        let fd = rx_watcher_make()
        if fd < 0 { return IOError(code: -fd, operation: "inotify_init1", subject: path) }
        let descriptor = Descriptor(fd, on: loop)
        self.descriptor = descriptor
        directory = rx_watch_directory(fd, directoryPath)
        if directory < 0 {
            descriptor.close()
            return IOError(code: -directory, operation: "inotify_add_watch", subject: directoryPath)
        }
        let read = ReadOperation(descriptor, whenFinished: finished)
        self.read = read
        read.read(into: ByteStorage(capacity: FileWatcher.roomForEvents), offset: -1)
        return nil
    }

    func end() {
        if let read { loop.cancel(read) }
        read = nil
        descriptor?.close()
    }

    /// Watches an open file, and returns the number of the watch, or a negated errno.
    func watch(_ file: CInt, _ path: String) -> CInt {
        guard let descriptor else { return -EBADF }
        return rx_watch_open_file(descriptor.fd, file, path)
    }

    /// Ends the watch of a file.
    func forget(_ watch: CInt) {
        if let descriptor, !descriptor.isClosing { rx_watch_remove(descriptor.fd, watch) }
    }

    private func finished(_ result: Int32) {
        guard let read else { return }
        let storage = read.takeStorage()
        if result <= 0, result != -EINTR { return heard(Changes(error: result == 0 ? EIO : -result)) }
        let changes = parse(UnsafeRawBufferPointer(start: storage.address, count: max(0, Int(result))))
        // Reads again before the receiver looks: anything that happens after that look is an event again.
        read.read(into: storage, offset: -1)
        heard(changes)
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) -> Changes {
        var changes = Changes()
        var event = rx_watch_event()
        var offset = 0
        while true {
            let size = rx_watch_parse(bytes.baseAddress!, bytes.count, offset, &event)
            if size == 0 { return changes }
            offset += size
            let kinds = event.kinds
            if kinds & RX_WATCH_OVERFLOW.rawValue != 0 {
                changes.isAboutPath = true
                // The lost events may include the end of the directory.
                watchDirectoryAgain(&changes)
            }
            guard event.watch == directory else { continue }
            if kinds & RX_WATCH_NAME.rawValue != 0, strcmp(event.name, name) == 0 { changes.isAboutPath = true }
            if kinds & RX_WATCH_GONE.rawValue != 0 { watchDirectoryAgain(&changes) }
        }
    }

    /// Watches the directory that has the directory's name by now.
    private func watchDirectoryAgain(_ changes: inout Changes) {
        guard let descriptor else { return }
        let former = directory
        directory = rx_watch_directory(descriptor.fd, directoryPath)
        if former >= 0, former != directory { rx_watch_remove(descriptor.fd, former) }
        changes.isAboutPath = true
        changes.directoryError = directory < 0 ? -directory : 0
    }
}
